// What tests of clients share: a fake cluster, lanes and readers with ordinary options, and batches to send. Whatever a test opens
// is closed after it.
import { afterEach } from 'vitest';
import type { Lane, LaneOptions, Reader, ReaderOptions, ReadRange, ReadRecord } from '../../src/clients/client.ts';
import { APACHE_KAFKA_PROFILE } from '../../src/outcomes.ts';
import { encodeRecordBatch } from '../../src/wire/record-batch.ts';
import { FakeCluster, type Fate, TOPIC } from '../support/fake-cluster.ts';

/** As much of a client as opens lanes, or readers. */
interface LaneOpener {
  openLane(options: LaneOptions): Promise<Lane> | Lane;
}
interface ReaderOpener {
  openReader(options: ReaderOptions): Promise<Reader>;
}

const opened: { close(): Promise<void> }[] = [];
const clusters: FakeCluster[] = [];

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  for (const cluster of clusters.splice(0)) await cluster.stop();
});

export const startFakeCluster = async (): Promise<FakeCluster> => {
  const cluster = await FakeCluster.start();
  clusters.push(cluster);
  return cluster;
};

/** A lane to the only partition, with deadlines that no healthy answer comes near. */
export const openLane = async (
  client: LaneOpener,
  cluster: FakeCluster,
  options: Partial<LaneOptions> = {},
): Promise<Lane> => {
  const lane = await client.openLane({
    bootstrap: cluster.bootstrap,
    clientId: 'lane-test',
    topic: TOPIC,
    partition: 0,
    acks: 'all',
    idempotence: false,
    retry: 'none',
    attemptTimeoutMs: 5000,
    deliveryTimeoutMs: 5000,
    profile: APACHE_KAFKA_PROFILE,
    ...options,
  });
  opened.push(lane);
  return lane;
};

export const openReader = async (client: ReaderOpener, cluster: FakeCluster): Promise<Reader> => {
  const reader = await client.openReader({ bootstrap: cluster.bootstrap, clientId: 'reader-test' });
  opened.push(reader);
  return reader;
};

export const batch = (...texts: readonly string[]) =>
  texts.map((text) => ({ key: Buffer.from(text), value: Buffer.from(text), headers: { h: Buffer.from(text) } }));

/** The fates of produce requests in turn; everything else, and what comes after them, is served. */
export const producesGet = (cluster: FakeCluster, ...fates: readonly Fate[]): void => {
  let turn = 0;
  cluster.hook = (request) => (request.api === 'Produce' ? (fates[turn++] ?? 'serve') : 'serve');
};

export const producesSeen = (cluster: FakeCluster): number =>
  cluster.brokers.flatMap(({ seen }) => seen).filter(({ api }) => api === 'Produce').length;

/** Connections the cluster holds just now. */
export const connectionsTo = (cluster: FakeCluster): number =>
  cluster.brokers.reduce((sum, { connections }) => sum + connections, 0);

/** Appends one batch to the log as a broker would have stored it. */
export const append = (cluster: FakeCluster, ...texts: readonly string[]): void => {
  const records = texts.map((text) => ({ key: null, value: Buffer.from(text), timestamp: 1_700_000_000_000 }));
  cluster.log.push(encodeRecordBatch({ records, baseOffset: cluster.endOffset }));
};

/** Appends what ends a transaction: a control batch of one record that is nobody's. */
export const appendMarker = (cluster: FakeCluster): void => {
  const key = Buffer.from([0, 0, 0, 1]);
  const records = [{ key, value: Buffer.alloc(6), timestamp: 1_700_000_000_000 }];
  const marker = { producerId: 1, producerEpoch: 0, isTransactional: true, isControl: true };
  cluster.log.push(encodeRecordBatch({ records, baseOffset: cluster.endOffset, ...marker }));
};

export interface Collected {
  readonly range: ReadRange;
  readonly records: ReadRecord[];
  /** `offset value` of each record, in the order in which they came. */
  readonly seen: string[];
}

/** A range from `from` to above `above` that keeps what it is given; it waits for a value when `until` names one. */
export const collect = (options: {
  readonly from: number;
  readonly above: number;
  readonly until?: string;
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}): Collected => {
  const records: ReadRecord[] = [];
  const seen: string[] = [];
  const range: ReadRange = {
    topic: TOPIC,
    partition: 0,
    from: options.from,
    above: options.above,
    done: () => options.until === undefined || records.some(({ value }) => value?.toString() === options.until),
    reachedEnd: 'complete',
    deadlineMs: options.deadlineMs ?? 20_000,
    signal: options.signal ?? new AbortController().signal,
    onRecords: (given) => {
      records.push(...given);
      seen.push(...given.map(({ offset, value }) => `${offset} ${value?.toString() ?? ''}`));
    },
  };
  return { range, records, seen };
};
