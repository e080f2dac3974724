// A partition that moves to other brokers while it is written: its data is copied there, the new replicas come in sync, the old ones
// go. As many replicas as before, so that what an acknowledgement means stays the same.
import { z } from 'zod';
import type { FaultDefinition } from './fault.ts';

const brokerId = z.int({ error: 'Must be a broker id, a whole number of at least 0.' }).min(0);

const params = {
  /** Who is to hold it, the preferred leader first; where nobody is named, a broker without it takes a follower's place. */
  to: z
    .array(brokerId, { error: 'Must be a list of broker ids, for example [2, 3].' })
    .min(1)
    .meta({ examples: [[2, 3]] })
    .exactOptional(),
  /** Whether it stays there when the fault is over. */
  keep: z.boolean().prefault(false),
};

export const partitionReassignment = {
  kind: 'partition-reassignment',
  summary:
    'Moves a partition to other brokers, as many as before, and back after the duration unless it is to stay there.',
  recovery: 'healable',
  requires: ['administration'],
  backends: ['kafka'],
  victims: ['leaderOf'],
  duration: 'required',
  params,
  problem: ({ to = [] }) => (new Set(to).size === to.length ? undefined : 'a broker can hold a partition only once.'),
  changes: ({ keep, to }) => ({
    meanwhile: `this partition is copied to and held by ${to === undefined ? 'another broker in the place of one' : `brokers ${to.join(', ')}`}`,
    undo: keep
      ? 'it stays there once it has come there; until then it goes back'
      : 'it is moved back to the brokers that held it',
  }),
  prepare: async (context, selector, given, signal) => {
    const { prepareMove } = await import('./replica-move.ts');
    return await prepareMove(context, selector, given, signal);
  },
} satisfies FaultDefinition<typeof params>;
