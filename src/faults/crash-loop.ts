// A broker that dies again and again as soon as it is back: each start costs its partitions a recovery, and each death another
// leader. After the last death it stays down for the duration, and is then as lost as one that was killed once.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';
import { durationField } from './unit-fields.ts';

const params = {
  /** Deaths in all. */
  times: z.int().min(2).max(20).prefault(3),
  /** How long it is up again before it dies the next time. */
  interval: durationField({ max: '10m' }).prefault('500ms'),
};

/** How long a broker may take to start. */
const START_MS = 60_000;

export const crashLoop = {
  kind: 'crash-loop',
  summary:
    'Kills a broker with SIGKILL each time it is back, and after the last time starts it when the duration is over.',
  recovery: 'healable',
  requires: ['processes'],
  backends: ['process'],
  victims: ['leaderOf', 'followerOf', 'followersOf', 'broker', 'random'],
  duration: 'required',
  params,
  prepare: async (context, selector, { times, interval: intervalMs }, signal) => {
    const { Deaths } = await import('./deaths.ts');
    const { AbsenceWatch } = await import('./leadership.ts');
    const { DEAD, openScene, prepareProcessFault, sampleNodes, startAgain } = await import('./process-fault.ts');
    const { refuseFullOutage, resolveVictims } = await import('./victim.ts');
    const { target } = context;
    const victims = await resolveVictims(context, selector, signal);
    refuseFullOutage('crash-loop', victims, target.brokers.length);
    const scene = await openScene('crash-loop', context, victims, signal);
    const absence = new AbsenceWatch(context, victims.brokers, scene.cluster);
    const deaths = new Deaths(scene, times);
    return prepareProcessFault({
      fault: 'crash-loop',
      scene,
      undo: startAgain(scene),
      longestMs: (times - 1) * (START_MS + intervalMs),
      apply: async (own, begun) => {
        await deaths.bring(intervalMs, own, begun);
        return { answer: `killed ${victims.nodes.join(', ')} ${times} times` };
      },
      mechanism: async () => await deaths.sample(),
      effect: async (own) => [...(await sampleNodes(scene, DEAD, own)), ...(await absence.sample(own))],
    });
  },
} satisfies FaultDefinition<typeof params>;
