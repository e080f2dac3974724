// A cluster that grows under load: a broker that was no part of it joins, and partitions move to it. A process that runs is not yet
// of use, so the fault is confirmed only when the newcomer has served its share for a while.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';
import { durationField } from './unit-fields.ts';

const params = {
  /** How many partitions of the topic it is to lead, the named one among them; where nothing is said, an even share. */
  partitions: z.int({ error: 'Must be how many partitions, a whole number of at least 1.' }).min(1).exactOptional(),
  /** How long it may take to stop when the fault is over. */
  grace: durationField({ min: '1s', max: '5m' }).prefault('1m'),
};

export const brokerJoin = {
  kind: 'broker-join',
  summary:
    'Starts one more broker and moves partitions to it, which it then leads; after the duration they move back and it stops.',
  recovery: 'healable',
  requires: ['administration', 'processes', 'spares'],
  backends: ['process'],
  victims: ['leaderOf'],
  duration: 'required',
  params,
  prepare: async (context, selector, given, signal) => {
    const { prepareJoin } = await import('./join.ts');
    return await prepareJoin(context, selector, given, signal);
  },
} satisfies FaultDefinition<typeof params>;
