import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeCluster, type Fate, TOPIC } from '../../test/support/fake-cluster.ts';
import { APACHE_KAFKA_PROFILE } from '../outcomes.ts';
import { ClusterClient } from './cluster-client.ts';
import { Producer, type ProducerOptions } from './producer.ts';
import { readBatchHeader } from './record-batch.ts';

let cluster: FakeCluster;
let client: ClusterClient;

const producer = (options: Partial<ProducerOptions> = {}): Producer =>
  new Producer({
    client,
    topic: TOPIC,
    partition: 0,
    acks: 'all',
    idempotent: false,
    retry: 'none',
    attemptTimeoutMs: 5000,
    deliveryTimeoutMs: 10_000,
    profile: APACHE_KAFKA_PROFILE,
    ...options,
  });

const batch = [{ key: Buffer.from('k'), value: Buffer.from('v'), timestamp: 1 }];

/** Decides the fate of each produce request in turn; the rest is served. */
const fates = (...list: readonly Fate[]): void => {
  const left = [...list];
  cluster.hook = (request) => (request.api === 'Produce' ? (left.shift() ?? 'serve') : 'serve');
};

const produced = (): number =>
  cluster.brokers.flatMap(({ seen }) => seen).filter(({ api }) => api === 'Produce').length;

beforeEach(async () => {
  cluster = await FakeCluster.start(2);
  client = new ClusterClient({ bootstrap: cluster.bootstrap, clientId: 'test', connectTimeoutMs: 3000 });
});

afterEach(async () => {
  client.close();
  await cluster.stop();
});

describe('a producer that sends once', () => {
  it('reports the acknowledged offset', async () => {
    const lane = producer();
    expect(await lane.send(batch)).toEqual({ outcome: 'ok', baseOffset: 0, attempts: 1, tainted: false, code: 0 });
    expect(await lane.send(batch)).toMatchObject({ outcome: 'ok', baseOffset: 1 });
  });

  it('is in doubt after a lost answer, and does not send again', async () => {
    fates('swallow-answer');
    const result = await producer({ attemptTimeoutMs: 300 }).send(batch);
    expect(result).toMatchObject({ outcome: 'unknown', attempts: 1, tainted: false, notSent: false });
    expect(result.code).toBeUndefined();
    expect(cluster.log).toHaveLength(1);
    expect(produced()).toBe(1);
  });

  it('is in doubt when the connection ends before the answer', async () => {
    fates('hang-up');
    expect(await producer().send(batch)).toMatchObject({ outcome: 'unknown', attempts: 1 });
  });

  it('is in doubt after NOT_LEADER and finds the new leader for the next batch', async () => {
    const lane = producer();
    await lane.send(batch);
    cluster.moveLeader(2);
    expect(await lane.send(batch)).toMatchObject({ outcome: 'unknown', code: 6, attempts: 1 });
    expect(await lane.send(batch)).toMatchObject({ outcome: 'ok', baseOffset: 1 });
  });

  it('fails on a definite refusal', async () => {
    fates({ code: 10 });
    expect(await producer().send(batch)).toMatchObject({ outcome: 'fail', code: 10, notSent: false });
  });

  it('does not trust the offset of "already stored"', async () => {
    fates({ code: 46 });
    expect(await producer().send(batch)).toMatchObject({ outcome: 'ok', baseOffset: 'untrusted', code: 46 });
  });

  it('fails for certain when no leader was reached, because nothing left the process', async () => {
    await cluster.stop();
    const result = await producer({ attemptTimeoutMs: 200 }).send(batch);
    expect(result).toMatchObject({ outcome: 'fail', attempts: 0, notSent: true });
    cluster = await FakeCluster.start();
  });

  it('waits for a leader before it sends', async () => {
    cluster.leader = -1;
    setTimeout(() => cluster.moveLeader(2), 60);
    const result = await producer({ leaderPatienceMs: 5000 }).send(batch);
    expect(result).toMatchObject({ outcome: 'ok', attempts: 1 });
  });

  it('takes an answer about another partition for no answer', async () => {
    cluster.hook = (request, broker) => {
      if (request.api !== 'Produce') return 'serve';
      const answer = cluster.answer(request, broker, 0) as Buffer;
      return { raw: Buffer.from(answer.toString('latin1').replace(TOPIC, 'others'), 'latin1') };
    };
    expect(await producer().send(batch)).toMatchObject({ outcome: 'unknown', attempts: 1 });
  });

  it('is in doubt when cancelled after sending, certain before', async () => {
    const abort = new AbortController();
    cluster.hook = (request) => {
      if (request.api !== 'Produce') return 'serve';
      setImmediate(() => abort.abort());
      return 'ignore';
    };
    expect(await producer().send(batch, abort.signal)).toMatchObject({ outcome: 'unknown', attempts: 1 });
    expect(await producer().send(batch, abort.signal)).toMatchObject({ outcome: 'fail', notSent: true });
  });

  it('never calls acks=0 acknowledged', async () => {
    const result = await producer({ acks: 0 }).send(batch);
    expect(result).toMatchObject({ outcome: 'unknown', attempts: 1 });
  });
});

describe('a producer that repeats the same batch', () => {
  const repeating = (options: Partial<ProducerOptions> = {}): Producer => producer({ retry: 'same-batch', ...options });

  it('follows the leader and marks the success as tainted', async () => {
    const lane = repeating();
    await lane.send(batch);
    cluster.moveLeader(2);
    expect(await lane.send(batch)).toMatchObject({ outcome: 'ok', baseOffset: 1, attempts: 2, tainted: true });
  });

  it('sends the very same bytes again after a lost answer', async () => {
    fates('swallow-answer', 'hang-up');
    const result = await repeating({ idempotent: true, attemptTimeoutMs: 500 }).send(batch);
    expect(result).toMatchObject({ outcome: 'ok', attempts: 3, tainted: true });
    const bytes = cluster.brokers
      .flatMap(({ seen }) => seen)
      .flatMap((request) => (request.api === 'Produce' ? [request.body.topicData[0]!.partitionData[0]!.records!] : []));
    expect(new Set(bytes.map((records) => records.subarray(16).toString('hex'))).size).toBe(1);
  });

  it('leaves a broker that names itself the leader when it is none', async () => {
    const lane = repeating();
    await lane.send(batch);
    const asked = cluster.brokers[0]!;
    cluster.hook = (request, broker) => {
      if (request.api !== 'Metadata' || broker !== asked) return 'serve';
      const { leader, leaderEpoch } = cluster;
      Object.assign(cluster, { leader: 1, leaderEpoch: 0 });
      const raw = cluster.answer(request, asked, 0) as Buffer;
      Object.assign(cluster, { leader, leaderEpoch });
      return { raw };
    };
    cluster.moveLeader(2);
    expect(await lane.send(batch)).toMatchObject({ outcome: 'ok', baseOffset: 1, tainted: true });
  });

  it('calls no error definite once an attempt is in doubt', async () => {
    fates('swallow-answer', { code: 10 });
    expect(await repeating({ attemptTimeoutMs: 500 }).send(batch)).toMatchObject({
      outcome: 'unknown',
      code: 10,
      attempts: 2,
      tainted: true,
    });
  });

  it('is not tainted by a refusal before the append', async () => {
    fates({ code: 19 }, { code: 19 });
    expect(await repeating().send(batch)).toMatchObject({ outcome: 'ok', attempts: 3, tainted: false });
  });

  it('stops at the delivery timeout', async () => {
    cluster.hook = (request) => (request.api === 'Produce' ? { code: 7 } : 'serve');
    const result = await repeating({ deliveryTimeoutMs: 600 }).send(batch);
    expect(result).toMatchObject({ outcome: 'unknown', code: 7, tainted: true });
    expect(result.attempts).toBeGreaterThan(2);
  });
});

describe('an idempotent producer', () => {
  it('numbers its batches under one identity', async () => {
    const lane = producer({ idempotent: true });
    await lane.send([...batch, ...batch]);
    await lane.send(batch);
    const headers = cluster.log.map((stored) => readBatchHeader(stored, 0));
    expect(headers.map(({ baseSequence }) => baseSequence)).toEqual([0, 2]);
    expect(new Set(headers.map(({ producerId }) => producerId))).toEqual(new Set([1000]));
    expect(lane.identity).toEqual({ producerId: 1000, producerEpoch: 0 });
  });

  it('is retired by an unknown outcome, but not by a definite refusal', async () => {
    fates({ code: 10 }, 'hang-up');
    const lane = producer({ idempotent: true });
    expect(await lane.send(batch)).toMatchObject({ outcome: 'fail' });
    expect(await lane.send(batch)).toMatchObject({ outcome: 'unknown' });
    await expect(lane.send(batch)).rejects.toMatchObject({ code: 'WIRE_RETIRED' });
  });

  it('has one batch in flight', async () => {
    const lane = producer();
    const first = lane.send(batch);
    await expect(lane.send(batch)).rejects.toMatchObject({ code: 'PRODUCER_BUSY' });
    expect(await first).toMatchObject({ outcome: 'ok' });
  });
});
