// What a random run is like before anything happens in it: its contract, its topics, and what its recorder can see.
import type { Random } from '../../../src/random.ts';
import { chance, maybe, weighted } from './line.ts';

export interface PlannedTopic {
  readonly topic: string;
  readonly partitions: number;
  readonly replicationFactor: number | undefined;
  readonly exclusive: boolean;
  readonly config: Readonly<Record<string, string | number | boolean>>;
}

export interface Plan {
  readonly acks: 0 | 1 | 'all';
  readonly idempotence: boolean;
  readonly contract: Readonly<Record<string, unknown>>;
  readonly topics: readonly PlannedTopic[];
  /** An acknowledged tail may be cut by a new leader. */
  readonly mayTruncate: boolean;
  readonly deleteRecords: boolean;
  /** Probability that each thing of this kind is recorded. */
  readonly recorded: {
    readonly leaders: number;
    readonly ackEpochs: number;
    readonly readEpochs: number;
    readonly producerIds: number;
    readonly snapshots: number;
    readonly baseline: number;
    readonly topicIds: boolean;
    readonly sentinel: number;
  };
}

/** What a contract may allow or forbid: every anomaly of the rules. */
export const JUDGED_ANOMALIES = [
  'ack-offset-mismatch',
  'corrupt-value',
  'divergent-route',
  'duplicate',
  'duplicate-ack-offset',
  'duplicate-client',
  'failed-visible',
  'hwm-regression',
  'inconsistent-offset',
  'leader-epoch-regression',
  'log-reset',
  'lost-prefix',
  'lost-tail',
  'lost-write',
  'nonmonotonic-poll',
  'nonmonotonic-send',
  'offset-gap',
  'phantom',
  'realtime-order',
  'recovered',
  'stale-read',
  'unknown-absent',
  'unseen',
  'wrong-partition',
] as const;

const planConfig = (random: Random): Record<string, string | number | boolean> => {
  const config: Record<string, string | number | boolean> = {};
  if (chance(random, 0.1)) config['cleanup.policy'] = random.pick(['compact', 'compact,delete', 'delete']);
  if (chance(random, 0.15))
    config['retention.ms'] = random.pick([0, 10, 20 + random.integer(90), 60_000, '30', '604800000', -1, '-1']);
  if (chance(random, 0.08)) config['retention.bytes'] = random.pick([1000, '1048576', -1, '-1']);
  if (chance(random, 0.08)) config['unclean.leader.election.enable'] = random.pick([true, 'true', false, 'false']);
  if (chance(random, 0.05)) config['segment.bytes'] = 1_048_576;
  return config;
};

const planTopics = (random: Random): PlannedTopic[] => {
  const names = chance(random, 0.15) ? ['orders', 'audit'] : ['orders'];
  return names.map((topic) => ({
    topic,
    partitions: weighted(random, [
      [65, 1],
      [30, 2],
      [5, 3],
    ]),
    replicationFactor: weighted<number | undefined>(random, [
      [70, 3],
      [15, 1],
      [15, undefined],
    ]),
    exclusive: !chance(random, 0.12),
    config: planConfig(random),
  }));
};

/** A few anomalies, or half of all: what is illegal under every contract is met only by long lists. */
const someAnomalies = (random: Random): readonly string[] => {
  const shuffled = random.shuffle(JUDGED_ANOMALIES);
  return shuffled.slice(0, chance(random, 0.4) ? shuffled.length / 2 : 1 + random.integer(2));
};

const planAllowances = (random: Random): Record<string, unknown> => ({
  allow: maybe(
    random,
    0.12,
    someAnomalies(random).map((anomaly) => ({ anomaly, because: 'known defect' })),
  ),
  forbid: maybe(random, 0.08, someAnomalies(random)),
});

const planRecorded = (random: Random): Plan['recorded'] => ({
  leaders: weighted(random, [
    [60, 1],
    [20, 0.7],
    [20, 0],
  ]),
  ackEpochs: random.pick([0, 0, 1, 0.7]),
  readEpochs: random.pick([0, 1, 1, 0.6]),
  producerIds: random.pick([0, 1, 0.8]),
  snapshots: weighted(random, [
    [25, 0],
    [75, 1],
  ]),
  baseline: random.pick([1, 1, 1, 0.5]),
  topicIds: chance(random, 0.4),
  sentinel: random.pick([0, 0.5, 1]),
});

/** Chooses a contract, topics and a recorder. Fields that equal their default are often left out. */
export const planRun = (random: Random): Plan => {
  const acks = weighted<0 | 1 | 'all'>(random, [
    [60, 'all'],
    [35, 1],
    [5, 0],
  ]);
  const idempotence = chance(random, 0.35);
  const minInSyncReplicas = weighted(random, [
    [55, 2],
    [40, 1],
    [5, 3],
  ]);
  const boundary = weighted(random, [
    [45, 'replicated'],
    [40, 'leader'],
    [8, 'wal'],
    [7, 'object'],
  ]);
  const uncleanLeaderElection = chance(random, 0.15);
  const deleteRecords = chance(random, 0.08);
  const contract = {
    acks: acks === 'all' ? maybe(random, 0.8, acks) : acks,
    idempotence: idempotence || maybe(random, 0.5, false),
    transactions: maybe(random, 0.05, true),
    minInSyncReplicas: minInSyncReplicas === 1 ? maybe(random, 0.5, 1) : minInSyncReplicas,
    boundary: boundary === 'replicated' ? maybe(random, 0.5, boundary) : boundary,
    deliveryTimeout: maybe(random, 0.4, random.pick([5, 10, 60, 120_000])),
    uncleanLeaderElection: uncleanLeaderElection || undefined,
    uniqueKeys: maybe(random, 0.15, true),
    deleteRecords: deleteRecords || undefined,
    laggingReads: maybe(random, 0.1, true),
    survives: maybe(
      random,
      0.25,
      random.pick([[], ['broker-loss'], ['node-loss'], ['all-brokers-down', 'broker-loss']]),
    ),
    profile: maybe(random, 0.15, random.pick(['apache-kafka', 'redpanda'])),
    ...planAllowances(random),
  };
  const isWeak = acks !== 'all' || minInSyncReplicas === 1 || uncleanLeaderElection;
  return {
    acks,
    idempotence,
    contract,
    topics: planTopics(random),
    mayTruncate: isWeak && boundary !== 'wal' && boundary !== 'object',
    deleteRecords,
    recorded: planRecorded(random),
  };
};
