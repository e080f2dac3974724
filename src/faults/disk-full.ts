// A broker whose log volume is full. A file beside its log takes the space, and goes on taking what is given free; only a volume with
// a size of its own is filled, since any other is the host's disk. A broker that cannot write its only log directory ends by itself,
// so the way back frees the space first and then starts it again. Volumes whose server can be asked to have no more space need no file.
import { backendOf } from './backend-choice.ts';
import type { FaultDefinition } from './fault.ts';
import { sizeField } from './unit-fields.ts';

/** How much is left free. */
const params = { leave: sizeField({ max: '1TiB' }).prefault('0B') };

export const diskFull = {
  kind: 'disk-full',
  summary: 'Fills a broker’s log volume until no more than the rest is free, and empties it after the duration.',
  recovery: 'healable',
  requires: ['containers', 'processes'],
  orElse: 'volumeIo',
  backends: ['docker', 'volume'],
  victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'volume'],
  duration: 'required',
  params,
  prepare: async (context, selector, { leave, ...chosen }, signal) => {
    const { containers, volumeIo } = context.target.can;
    const backend = backendOf(chosen);
    const isServed = backend === 'volume' || (backend === 'auto' && containers === undefined && volumeIo !== undefined);
    if (isServed) {
      const { prepareVolumeFault } = await import('./volume-fault.ts');
      const disturbance = { kind: 'full', leaveBytes: leave, methods: ['read', 'sync', 'write'] } as const;
      return await prepareVolumeFault('disk-full', context, selector, { disturbance, promised: 'http:507' }, signal);
    }
    const { openContainerScene } = await import('./container-fault.ts');
    const { openFilling } = await import('./volume-filling.ts');
    const { prepareProcessFault } = await import('./process-fault.ts');
    const scene = await openContainerScene('disk-full', context, selector, signal);
    const filling = await openFilling(scene, leave, signal);
    return prepareProcessFault({
      fault: 'disk-full',
      scene,
      undo: filling.undo,
      apply: async (own, begun) => ({ answer: await filling.apply(own, begun) }),
      mechanism: async () => await filling.mechanism(),
      effect: async (own) => await filling.effect(own),
      beforeHeal: async (own) => await filling.awaitEnds(own),
      healed: async (own) => await filling.healed(own),
    });
  },
} satisfies FaultDefinition<typeof params>;
