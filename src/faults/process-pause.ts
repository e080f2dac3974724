// A frozen process, like a long garbage collection: its sockets stay open and nothing answers. Longer than its session timeout it
// makes a zombie: a former leader that wakes up and does not know it yet. Healed by waking it up, never by stopping it.
import type { FaultDefinition, UndoStep } from './fault.ts';
import { QUORUM_LOSS } from './fault-params.ts';

const params = {};

export const processPause = {
  kind: 'process-pause',
  summary:
    'Freezes a process with SIGSTOP, like a long garbage collection, and wakes it with SIGCONT after the duration.',
  recovery: 'healable',
  requires: ['processes'],
  backends: ['process'],
  victims: [
    'leaderOf',
    'followerOf',
    'followersOf',
    'broker',
    'random',
    'controller',
    'controllers',
    'object-store',
    'volume',
  ],
  duration: 'required',
  mayAllow: [QUORUM_LOSS],
  params,
  prepare: async (context, selector, _params, signal) => {
    const { openScene, prepareProcessFault, sampleEach, sampleNodes } = await import('./process-fault.ts');
    const { sampleQuorumBack, sampleQuorumLost } = await import('./quorum-watch.ts');
    const { refuseFullOutage, resolveVictims } = await import('./victim.ts');
    const victims = await resolveVictims(context, selector, signal);
    refuseFullOutage('process-pause', victims, context.target.brokers.length);
    const scene = await openScene('process-pause', context, victims, signal);
    const undo = victims.nodes.flatMap((node): UndoStep[] => {
      const identity = scene.identities.get(node);
      return identity === undefined ? [] : [{ do: 'resume-process', node, ...identity }];
    });
    return prepareProcessFault({
      fault: 'process-pause',
      scene,
      undo,
      apply: async (own) => {
        const paused = await Promise.all(victims.nodes.map(async (node) => await scene.processes.pause(node, own)));
        return { answer: `stopped process ${paused.map((each) => each.pid).join(', ')}` };
      },
      mechanism: async () =>
        await sampleEach(victims.nodes, async (node) => {
          const state = await scene.processes.state(node);
          return { holds: state === 'paused', seen: `${node} is ${state}` };
        }),
      effect: async (own) => [
        ...(await sampleNodes(scene, ['timeout'], own)),
        ...(await sampleQuorumLost(selector, context.target, own)),
      ],
      healed: async (own) => await sampleQuorumBack(selector, context.target, own),
    });
  },
} satisfies FaultDefinition<typeof params>;
