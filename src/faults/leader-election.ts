// Another leader by order: an in-sync follower becomes the first of a partition's replicas and an election makes it lead. Nothing
// dies, which is how leaders move in every rolling upgrade and rebalance, and how acknowledgements are lost by who waits for too
// few of them.
import type { FaultDefinition } from './fault.ts';
import { durationField } from './unit-fields.ts';

const params = {
  /** How long the partition must then keep one leader to count as healed. */
  stableFor: durationField({ min: '100ms', max: '5m' }).prefault('10s'),
};

export const leaderElection = {
  kind: 'leader-election',
  summary:
    'Makes an in-sync follower the leader of a partition by order, and gives the replicas their former order after the duration.',
  recovery: 'healable',
  requires: ['administration'],
  backends: ['kafka'],
  victims: ['leaderOf'],
  duration: 'required',
  params,
  changes: () => ({
    meanwhile: 'another in-sync replica leads this partition, and one of a canary topic that is made for it',
    undo: 'the replicas get back their former order, so that the cluster may elect the former leader again; the canary topic is deleted',
  }),
  prepare: async (context, selector, { stableFor }, signal) => {
    const { prepareElection } = await import('./election.ts');
    return await prepareElection(context, selector, stableFor, signal);
  },
} satisfies FaultDefinition<typeof params>;
