// An orderly stop with SIGTERM. What makes it one is the order: the leaders have moved before the process ends, it ends by
// itself and in time. A stop that had to be forced, or that took its partitions down with it, is not confirmed.
import type { FaultDefinition } from './fault.ts';
import { QUORUM_LOSS } from './fault-params.ts';
import type { Stop } from './orderly-stop.ts';
import { durationField } from './unit-fields.ts';

const params = { grace: durationField({ min: '100ms', max: '5m' }).prefault('10s') };

export const gracefulStop = {
  kind: 'graceful-stop',
  summary:
    'Stops a process with SIGTERM, so that leaders move before it exits, and starts it again after the duration.',
  recovery: 'healable',
  requires: ['processes'],
  backends: ['process'],
  victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random', 'controller', 'controllers'],
  duration: 'required',
  mayAllow: [QUORUM_LOSS],
  params,
  prepare: async (context, selector, { grace: graceMs }, signal) => {
    const { AbsenceWatch } = await import('./leadership.ts');
    const { sampleStop, stopNode } = await import('./orderly-stop.ts');
    const { DEAD, openScene, prepareProcessFault, sampleGone, sampleNodes, startAgain } = await import(
      './process-fault.ts'
    );
    const { sampleQuorumBack, sampleQuorumLost } = await import('./quorum-watch.ts');
    const { refuseFullOutage, resolveVictims } = await import('./victim.ts');
    const { target } = context;
    const victims = await resolveVictims(context, selector, signal);
    refuseFullOutage('graceful-stop', victims, target.brokers.length);
    const scene = await openScene('graceful-stop', context, victims, signal);
    const absence = new AbsenceWatch(context, victims.brokers, scene.cluster);
    const stops = new Map<string, Stop>();
    return prepareProcessFault({
      fault: 'graceful-stop',
      scene,
      undo: startAgain(scene),
      apply: async (own, begun) => {
        await Promise.all(
          victims.nodes.map(async (node) => stops.set(node, await stopNode(scene, node, graceMs, own, begun))),
        );
        return { answer: `stopped ${victims.nodes.join(', ')}` };
      },
      mechanism: async () => [
        ...(await sampleGone(scene)),
        ...victims.nodes.flatMap((node) => sampleStop(node, stops.get(node))),
      ],
      effect: async (own) => [
        ...(await sampleNodes(scene, DEAD, own)),
        ...(victims.brokers.length === 0 ? [] : await absence.sample(own)),
        ...(await sampleQuorumLost(selector, target, own)),
      ],
      healed: async (own) => await sampleQuorumBack(selector, target, own),
    });
  },
} satisfies FaultDefinition<typeof params>;
