// A node that is ended by the kernel for want of memory: its container's limit is lowered to about what it uses, and a program in it
// takes the rest. The largest process of a container is ended, which is the node; that it was, the engine must tell as `oom`.
import type { FaultDefinition } from './fault.ts';

const params = {};

export const oomKill = {
  kind: 'oom-kill',
  summary: 'Leaves a node’s container without memory until the kernel ends it, and starts it again after the duration.',
  recovery: 'healable',
  requires: ['containers', 'processes'],
  backends: ['docker'],
  victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'controller'],
  duration: 'required',
  params,
  prepare: async (context, selector, _params, signal) => {
    const { openContainerScene } = await import('./container-fault.ts');
    const { openStarvation } = await import('./memory-starvation.ts');
    const { DEAD, prepareProcessFault, sampleNodes } = await import('./process-fault.ts');
    const scene = await openContainerScene('oom-kill', context, selector, signal);
    const starvation = await openStarvation(scene, signal);
    return prepareProcessFault({
      fault: 'oom-kill',
      scene,
      undo: starvation.undo,
      apply: async (own, begun) => ({ answer: await starvation.apply(own, begun) }),
      mechanism: async () => await starvation.mechanism(),
      effect: async (own) => [...(await starvation.ends()), ...(await sampleNodes(scene, DEAD, own))],
      healed: async () => await starvation.healed(),
    });
  },
} satisfies FaultDefinition<typeof params>;
