// A node that is cut off from everything: its container is taken out of every network it is in. Its process runs on and can neither
// be reached nor reach anybody. A bare way back would change who it is (aliases, addresses), so each endpoint is made again as it was
// and compared field by field.
import type { FaultDefinition } from './fault.ts';

const params = {};

export const nodeIsolate = {
  kind: 'node-isolate',
  summary: 'Takes a node’s container out of all of its networks, and puts it back as it was after the duration.',
  recovery: 'healable',
  requires: ['containers', 'processes'],
  backends: ['docker'],
  victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'controller'],
  duration: 'required',
  params,
  prepare: async (context, selector, _params, signal) => {
    const { endpointSteps, isolate, openContainerScene, sampleIsolation, sampleSilence } = await import(
      './container-fault.ts'
    );
    const { prepareProcessFault } = await import('./process-fault.ts');
    const scene = await openContainerScene('node-isolate', context, selector, signal);
    const undo = await endpointSteps(scene, signal);
    return prepareProcessFault({
      fault: 'node-isolate',
      scene,
      undo,
      apply: async (own, begun) => ({ answer: await isolate(scene, undo, own, begun) }),
      mechanism: async () => await sampleIsolation(scene),
      effect: async (own) => await sampleSilence(scene, own),
    });
  },
} satisfies FaultDefinition<typeof params>;
