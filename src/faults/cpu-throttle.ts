// A node that gets too little CPU, like a container on a crowded machine: it answers, and late. What it may use is set through the
// container's own limit, so that its kernel counts the periods in which it had to wait; more than that count is not believed.
import type { FaultDefinition } from './fault.ts';
import { percentField } from './unit-fields.ts';

/** Of one CPU. What a broker needs for its heartbeats is a few percent: below that it is fenced as well. */
const params = { quota: percentField({ min: '1%', max: '100%' }).prefault('20%') };

export const cpuThrottle = {
  kind: 'cpu-throttle',
  summary: 'Gives a node’s container only a share of one CPU, so that it answers late, for the duration.',
  recovery: 'healable',
  requires: ['containers', 'processes'],
  backends: ['docker'],
  victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'controller'],
  duration: 'required',
  params,
  prepare: async (context, selector, { quota }, signal) => {
    const { openContainerScene } = await import('./container-fault.ts');
    const { openThrottle } = await import('./throttle.ts');
    const { prepareProcessFault } = await import('./process-fault.ts');
    const { isQuick } = await import('./slow-answers.ts');
    const scene = await openContainerScene('cpu-throttle', context, selector, signal);
    const throttle = await openThrottle(scene, quota, signal);
    return prepareProcessFault({
      fault: 'cpu-throttle',
      scene,
      undo: throttle.undo,
      apply: async (own, begun) => ({ answer: await throttle.apply(own, begun) }),
      mechanism: async () => await throttle.mechanism(),
      effect: async (own) => await throttle.effect(own),
      controlBound: isQuick,
      healed: async () => await throttle.healed(),
    });
  },
} satisfies FaultDefinition<typeof params>;
