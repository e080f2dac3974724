// kill -9 of a process: what it held in memory is gone at once, and we own the restart. A broker counts as lost when the others
// have noticed: it is refused, not named any more, and its partitions have leaders of a later epoch.
import type { FaultDefinition } from './fault.ts';
import { QUORUM_LOSS } from './fault-params.ts';

const params = {};

export const processKill = {
  kind: 'process-kill',
  summary:
    'Kills a broker, the controller, the object store or the volume process with SIGKILL and starts it again after the duration.',
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
    const { AbsenceWatch } = await import('./leadership.ts');
    const { DEAD, openScene, prepareProcessFault, sampleGone, sampleNodes, startAgain } = await import(
      './process-fault.ts'
    );
    const { sampleQuorumBack, sampleQuorumLost } = await import('./quorum-watch.ts');
    const { refuseFullOutage, resolveVictims } = await import('./victim.ts');
    const { target } = context;
    const victims = await resolveVictims(context, selector, signal);
    refuseFullOutage('process-kill', victims, target.brokers.length);
    const scene = await openScene('process-kill', context, victims, signal);
    const absence = new AbsenceWatch(context, victims.brokers, scene.cluster);
    return prepareProcessFault({
      fault: 'process-kill',
      scene,
      undo: startAgain(scene),
      apply: async (own) => {
        const killed = await Promise.all(victims.nodes.map(async (node) => await scene.processes.kill(node, own)));
        return { answer: `killed process ${killed.map((each) => each.pid).join(', ')}` };
      },
      mechanism: async () => await sampleGone(scene),
      effect: async (own) => [
        ...(await sampleNodes(scene, DEAD, own)),
        ...(victims.brokers.length === 0 ? [] : await absence.sample(own)),
        ...(await sampleQuorumLost(selector, target, own)),
      ],
      healed: async (own) => await sampleQuorumBack(selector, target, own),
    });
  },
} satisfies FaultDefinition<typeof params>;
