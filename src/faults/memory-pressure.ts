// A node that gets too little memory: its container's limit is lowered, so that the kernel takes its file cache away, makes it wait,
// and ends it where it wants more all the same. Which of these comes depends on the limit; each is an effect, and the limit that was
// hit is the mechanism.
import type { FaultDefinition } from './fault.ts';
import { sizeField } from './unit-fields.ts';

/** The engine takes no less than 6 MiB. */
const params = { limit: sizeField({ min: '6MiB' }) };

export const memoryPressure = {
  kind: 'memory-pressure',
  summary: 'Lowers the memory limit of a node’s container, so that it is slow or ended, for the duration.',
  recovery: 'healable',
  requires: ['containers', 'processes'],
  backends: ['docker'],
  victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'controller'],
  duration: 'required',
  params,
  prepare: async (context, selector, { limit }, signal) => {
    const { openContainerScene } = await import('./container-fault.ts');
    const { openSqueeze } = await import('./memory-squeeze.ts');
    const { prepareProcessFault } = await import('./process-fault.ts');
    const scene = await openContainerScene('memory-pressure', context, selector, signal);
    const squeeze = await openSqueeze(scene, limit, signal);
    return prepareProcessFault({
      fault: 'memory-pressure',
      scene,
      undo: squeeze.undo,
      apply: async (own, begun) => ({ answer: await squeeze.apply(own, begun) }),
      mechanism: async () => await squeeze.mechanism(),
      effect: async (own) => await squeeze.effect(own),
      healed: async () => await squeeze.healed(),
    });
  },
} satisfies FaultDefinition<typeof params>;
