// A toy cluster: the logs that a random run writes to, and what the run still waits for.
import type { Random } from '../../../src/random.ts';
import { chance, type Line, type RecordId } from './line.ts';
import type { Plan, PlannedTopic } from './plan.ts';

/** One offset of a log that holds something. */
export interface Entry {
  readonly offset: number;
  readonly kind: 'own' | 'foreign' | 'sentinel' | 'control';
  readonly id: RecordId | undefined;
  readonly epoch: number;
  readonly producerId: number | undefined;
}

export interface Log {
  readonly topic: PlannedTopic;
  readonly partition: number;
  readonly topicId: string;
  entries: Entry[];
  start: number;
  end: number;
  leader: number;
  epoch: number;
}

export interface Pending {
  /** The producer, incarnation and partition whose batch it is. */
  readonly lane: string;
  readonly happen: () => void;
}

export interface Cluster {
  readonly plan: Plan;
  readonly random: Random;
  readonly logs: readonly Log[];
  /** The history so far. */
  readonly lines: Line[];
  /** What will happen to batches that were sent: an append, an outcome. */
  readonly pending: Pending[];
  /** lane → its next sequence number. */
  readonly nextSeq: Map<string, number>;
  nowMs: number;
}

/** Lets time pass: mostly a little, rarely beyond every timeout. */
export const tick = (cluster: Cluster): number => {
  const { random } = cluster;
  cluster.nowMs += chance(random, 0.02) ? 40_000 : chance(random, 0.1) ? 0.5 : random.integer(8);
  return cluster.nowMs;
};

/** The name of a log's topic where the line must or may carry it. */
export const topicField = (cluster: Cluster, log: Log): string | undefined =>
  cluster.plan.topics.length > 1 || chance(cluster.random, 0.1) ? log.topic.topic : undefined;

/** Appends entries at the end of a log; the offset of the first. */
export const append = (log: Log, entries: readonly Omit<Entry, 'offset' | 'epoch'>[]): number => {
  const base = log.end;
  for (const entry of entries) {
    log.entries.push({ ...entry, offset: log.end, epoch: log.epoch });
    log.end++;
  }
  return base;
};

/** Cuts the last `count` offsets off a log. */
export const truncate = (log: Log, count: number): void => {
  log.end = Math.max(log.start, log.end - count);
  log.entries = log.entries.filter((entry) => entry.offset < log.end);
};

/** Moves the start of a log forward over `count` offsets. */
export const trim = (log: Log, count: number): void => {
  log.start = Math.min(log.end, log.start + count);
  log.entries = log.entries.filter((entry) => entry.offset >= log.start);
};

const foreignEntry = (random: Random): Omit<Entry, 'offset' | 'epoch'> => ({
  kind: 'foreign',
  id: chance(random, 0.4) ? { producer: 'p1', seq: random.integer(3), run: 'r0' } : undefined,
  producerId: undefined,
});

/** Somebody else writes a record. */
export const appendForeign = (cluster: Cluster, log: Log): void => {
  append(log, [foreignEntry(cluster.random)]);
};

const startLog = (random: Random, topic: PlannedTopic, partition: number): Log => {
  const start = chance(random, 0.2) ? 1 + random.integer(10) : 0;
  const log: Log = {
    topic,
    partition,
    topicId: `id-${topic.topic}`,
    entries: [],
    start,
    end: start,
    leader: 1 + random.integer(3),
    epoch: random.integer(6),
  };
  const older = chance(random, 0.15) ? 1 + random.integer(2) : 0;
  append(
    log,
    Array.from({ length: older }, () => foreignEntry(random)),
  );
  return log;
};

/** A cluster whose topics are as planned and hold next to nothing. */
export const startCluster = (plan: Plan, random: Random): Cluster => ({
  plan,
  random,
  logs: plan.topics.flatMap((topic) =>
    Array.from({ length: topic.partitions }, (_, partition) => startLog(random, topic, partition)),
  ),
  lines: [],
  pending: [],
  nextSeq: new Map(),
  nowMs: 0,
});
