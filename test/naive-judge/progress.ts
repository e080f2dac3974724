// What has been read of a history so far: the header, the partitions it names, and the records that were sent.
import type { Acks, Boundary } from '../../src/vocabulary.ts';
import type { Contract, FaultLine, Partition, SentRecord, Topic } from './history.ts';
import type { Fields } from './line-shapes.ts';

/** The text is no history; `line` counts from 1. */
export class MalformedLine extends Error {
  readonly line: number;
  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`);
    this.name = 'MalformedLine';
    this.line = line;
  }
}

/** What has been read so far. */
export interface Progress {
  readonly run: string;
  readonly contract: Contract;
  readonly topics: readonly Topic[];
  readonly partitions: Map<string, Partition>;
  readonly faults: FaultLine[];
  readonly passes: string[];
  readonly records: Map<string, SentRecord>;
  /** Reads are resolved last: a pass may show a record before the line that sends it. */
  readonly readLines: { fields: Fields; partition: Partition; pass: string; range: number }[];
  /** (pass, partition) → how many `pass` lines it has so far. */
  readonly rangesSoFar: Map<string, number>;
  lastAtMs: number;
  harnessLines: number;
}

/** One string for several values; equal only if all of them are. */
export const key = (...parts: readonly unknown[]): string => JSON.stringify(parts);

/** −1 is absent in every epoch and producer id. */
export const presentNumber = (value: unknown): number | undefined =>
  value === undefined || value === -1 ? undefined : (value as number);

const contractOf = (fields: Fields): Contract => ({
  acks: (fields['acks'] ?? 'all') as Acks,
  idempotence: fields['idempotence'] === true,
  transactions: fields['transactions'] === true,
  minInSyncReplicas: (fields['minInSyncReplicas'] ?? 1) as number,
  boundary: (fields['boundary'] ?? 'replicated') as Boundary,
  deliveryTimeoutMs: (fields['deliveryTimeout'] ?? 30_000) as number,
  uncleanLeaderElection: fields['uncleanLeaderElection'] === true,
  uniqueKeys: fields['uniqueKeys'] === true,
  deleteRecords: fields['deleteRecords'] === true,
  laggingReads: fields['laggingReads'] === true,
  survives: (fields['survives'] ?? []) as readonly string[],
  profile: (fields['profile'] ?? 'apache-kafka') as string,
  allow: ((fields['allow'] ?? []) as readonly { anomaly: string }[]).map((allowance) => allowance.anomaly),
  forbid: (fields['forbid'] ?? []) as readonly string[],
});

const topicOf = (fields: Fields): Topic => ({
  topic: fields['topic'] as string,
  partitions: fields['partitions'] as number,
  replicationFactor: fields['replicationFactor'] as number | undefined,
  exclusive: fields['exclusive'] !== false,
  config: (fields['config'] ?? {}) as Fields,
});

export const startOf = (header: Fields): Progress => {
  const contract = contractOf(header['contract'] as Fields);
  const topics = (header['topics'] as readonly Fields[]).map(topicOf);
  const faults: FaultLine[] = [];
  const passes: string[] = [];
  const partitions = new Map<string, Partition>();
  for (const topic of topics) {
    for (let partition = 0; partition < topic.partitions; partition++) {
      partitions.set(key(topic.topic, partition), {
        contract,
        topic,
        partition,
        faults,
        passes,
        sent: [],
        reads: [],
        ranges: [],
        snapshots: [],
        leaders: [],
        sentinels: [],
        epochs: [],
        ackEpochs: [],
      });
    }
  }
  return {
    run: header['run'] as string,
    contract,
    topics,
    partitions,
    faults,
    passes,
    records: new Map(),
    readLines: [],
    rangesSoFar: new Map(),
    lastAtMs: -Infinity,
    harnessLines: 0,
  };
};

/** The partition that a line names; `topic` may be left out when the header names one topic. */
export const partitionOf = (progress: Progress, fields: Fields, line: number): Partition => {
  const only = progress.topics.length === 1 ? progress.topics[0]?.topic : undefined;
  const partition = progress.partitions.get(key(fields['topic'] ?? only, fields['partition']));
  if (partition === undefined) throw new MalformedLine(line, 'the header has no such partition or topic');
  return partition;
};
