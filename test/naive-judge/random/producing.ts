// What a producer of a random run does: it sends a batch, and one of many fates overtakes it.
import { append, type Cluster, type Entry, type Log, tick, topicField } from './cluster.ts';
import { chance, choose, type Line, maybe, weighted } from './line.ts';

interface Batch {
  readonly lane: string;
  readonly log: Log;
  readonly producer: string;
  readonly incarnation: number;
  readonly seq: number;
  readonly count: number;
  readonly producerId: number | undefined;
}

/** A lane mostly has one batch in flight: what it waits for happens before it sends the next. */
const settleLane = (cluster: Cluster, lane: string): void => {
  for (const waiting of cluster.pending.filter((other) => other.lane === lane)) {
    cluster.pending.splice(cluster.pending.indexOf(waiting), 1);
    waiting.happen();
  }
};

const sendBatch = (cluster: Cluster, log: Log): Batch => {
  const { random } = cluster;
  const producer = random.pick(['p1', 'p1', 'p2', 'p3']);
  const incarnation = chance(random, 0.12) ? 1 : 0;
  const lane = JSON.stringify([producer, incarnation, log.topic.topic, log.partition]);
  if (!chance(random, 0.12)) settleLane(cluster, lane);
  const seq = cluster.nextSeq.get(lane) ?? 0;
  const count = random.pick([1, 1, 1, 2, 2, 3]);
  cluster.nextSeq.set(lane, seq + count);
  const producerId = cluster.plan.idempotence ? Number(producer.slice(1)) * 10 + incarnation : undefined;
  const batch = { lane, log, producer, incarnation, seq, count, producerId };
  cluster.lines.push({ t: 'send', at: tick(cluster), ...batchFields(cluster, batch) });
  return batch;
};

/** The fields that `send`, `ack` and `error` lines share. */
const batchFields = (cluster: Cluster, batch: Batch): Omit<Line, 't'> => ({
  producer: batch.producer,
  incarnation: batch.incarnation === 0 ? maybe(cluster.random, 0.1, 0) : batch.incarnation,
  topic: topicField(cluster, batch.log),
  partition: batch.log.partition,
  seq: batch.seq,
  count: batch.count === 1 ? maybe(cluster.random, 0.1, 1) : batch.count,
});

const appendBatch = (batch: Batch, producerId = batch.producerId): number =>
  append(
    batch.log,
    Array.from(
      { length: batch.count },
      (_, index): Omit<Entry, 'offset' | 'epoch'> => ({
        kind: 'own',
        id: { producer: batch.producer, incarnation: batch.incarnation, seq: batch.seq + index },
        producerId,
      }),
    ),
  );

const acknowledge = (
  cluster: Cluster,
  batch: Batch,
  offset: number | undefined,
  epoch: number,
  more: Partial<Line>,
): void => {
  const { random, plan } = cluster;
  cluster.lines.push({
    t: 'ack',
    at: tick(cluster),
    ...batchFields(cluster, batch),
    offset,
    epoch: maybe(random, plan.recorded.ackEpochs, epoch),
    ...more,
  });
};

const fail = (cluster: Cluster, batch: Batch, more: Partial<Line>): void => {
  cluster.lines.push({ t: 'error', at: tick(cluster), ...batchFields(cluster, batch), ...more });
};

const later = (cluster: Cluster, batch: Batch, happen: () => void): void => {
  cluster.pending.push({ lane: batch.lane, happen });
};

/** What overtakes a batch. Each appends now or when its outcome arrives, and says what the producer is told. */
type Fate = (cluster: Cluster, batch: Batch) => void;

/** Stored at once or when the acknowledgement is due, and acknowledged. */
const stored: Fate = (cluster, batch) => {
  const { random } = cluster;
  const early = chance(random, 0.7) ? { offset: appendBatch(batch), epoch: batch.log.epoch } : undefined;
  const more = { attempts: maybe(random, 0.15, random.pick([1, 2])), tainted: maybe(random, 0.05, false) };
  const isTrusted = !chance(random, 0.05);
  later(cluster, batch, () => {
    const offset = early?.offset ?? appendBatch(batch);
    acknowledge(cluster, batch, isTrusted ? offset : undefined, early?.epoch ?? batch.log.epoch, more);
  });
};

/** The first answer was lost; the batch was sent again, and stored once or twice. */
const storedAgain: Fate = (cluster, batch) => {
  const { random, plan } = cluster;
  const first = appendBatch(batch);
  const epoch = batch.log.epoch;
  later(cluster, batch, () => {
    const isNewProducer = plan.recorded.producerIds === 1 || chance(random, 0.1);
    const isSecond = plan.idempotence ? isNewProducer && chance(random, 0.5) : chance(random, 0.6);
    const again = plan.idempotence ? (batch.producerId ?? 0) + 100 : undefined;
    const offset = isSecond ? appendBatch(batch, again) : first;
    const acked = chance(random, 0.85) ? offset : undefined;
    acknowledge(cluster, batch, acked, isSecond ? batch.log.epoch : epoch, { attempts: 2, tainted: true });
  });
};

/** Stored, and answered by "duplicate sequence number". */
const storedBefore: Fate = (cluster, batch) => {
  appendBatch(batch);
  later(cluster, batch, () => fail(cluster, batch, { code: 46, attempts: 2, tainted: true }));
};

/** Nobody knows: an error that leaves it open, or none at all; appended early, late or never. */
const leftOpen: Fate = (cluster, batch) => {
  const { random } = cluster;
  const when = weighted(random, [
    [35, 'early'],
    [35, 'late'],
    [30, 'never'],
  ]);
  if (when === 'early') appendBatch(batch);
  const code = choose(random, [7, 13, 20, -1, 5, 45, 90, undefined, undefined]);
  const tainted = maybe(random, 0.4, true);
  if (chance(random, 0.7)) later(cluster, batch, () => fail(cluster, batch, { code, tainted }));
  if (when === 'late') later(cluster, batch, () => void appendBatch(batch));
};

/** Refused for certain, or with a definite code on an attempt that makes it unknown; not stored. */
const refused: Fate = (cluster, batch) => {
  const { random } = cluster;
  const code = choose(random, [10, 19, 19, 87, 17, 18, 21, 29, 31, 32, 43, undefined]);
  const notSent = code === undefined ? true : maybe(random, 0.05, true);
  const retried = notSent !== true && chance(random, 0.2) ? random.pick([{ attempts: 2 }, { tainted: true }]) : {};
  later(cluster, batch, () => fail(cluster, batch, { code, notSent, ...retried }));
};

/** One batch is sent to a random partition and meets a random fate. */
export const produce = (cluster: Cluster): void => {
  const { random } = cluster;
  const batch = sendBatch(cluster, random.pick(cluster.logs));
  const fate = weighted<Fate>(random, [
    [70, stored],
    [9, storedAgain],
    [3, storedBefore],
    [9, leftOpen],
    [7, refused],
  ]);
  fate(cluster, batch);
};

/** Something that was pending happens, in any order. */
export const settleOne = (cluster: Cluster): void => {
  const next = cluster.pending.splice(cluster.random.integer(cluster.pending.length), 1)[0];
  next?.happen();
};
