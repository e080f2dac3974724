import { expect, test } from 'vitest';
import {
  batch,
  openLane as openLaneOf,
  producesGet,
  producesSeen,
  startFakeCluster,
} from '../../test/clients/client-fixture.ts';
import type { FakeCluster } from '../../test/support/fake-cluster.ts';
import type { Lane, LaneOptions } from './client.ts';
import { openKafkaJsLane } from './kafkajs-lane.ts';

const kafkajs = { openLane: (options: LaneOptions) => openKafkaJsLane(options) };

const openLane = async (cluster: FakeCluster, options: Partial<LaneOptions> = {}): Promise<Lane> =>
  await openLaneOf(kafkajs, cluster, options);

test('an acknowledged batch is ok at the offset that the broker answered', async () => {
  const cluster = await startFakeCluster();
  const lane = await openLane(cluster);
  await expect(lane.send(batch('a'))).resolves.toEqual({ outcome: 'ok', attempts: 1, tainted: false, baseOffset: 0 });
  await expect(lane.send(batch('b'))).resolves.toEqual({ outcome: 'ok', attempts: 1, tainted: false, baseOffset: 1 });
});

test('an answer that never comes is unknown and tainted, although the record was stored', async () => {
  const cluster = await startFakeCluster();
  producesGet(cluster, 'swallow-answer');
  const result = await (await openLane(cluster, { attemptTimeoutMs: 300 })).send(batch('a'));
  expect(result).toMatchObject({ outcome: 'unknown', attempts: 1, tainted: true });
  expect(cluster.log).toHaveLength(1);
});

test('a batch that left no socket is a definite failure', async () => {
  const cluster = await startFakeCluster();
  const lane = await openLane(cluster, { attemptTimeoutMs: 500 });
  await cluster.stop();
  const result = await lane.send(batch('a'));
  expect(result).toMatchObject({ outcome: 'fail', attempts: 0, notSent: true, tainted: false });
  expect(result.clientAnomaly).toBeUndefined();
});

test('a bootstrap server that is down is passed over for the next', async () => {
  const cluster = await startFakeCluster();
  const nobody = { host: '127.0.0.1', port: 1 };
  const lane = await openLane(cluster, { bootstrap: [nobody, ...cluster.bootstrap] });
  await expect(lane.send(batch('a'))).resolves.toMatchObject({ outcome: 'ok', attempts: 1, tainted: false });
});

test('nothing leaves after the deadline, so that a failure stays one', async () => {
  const cluster = await startFakeCluster();
  // The library waits for metadata until the deadline; then the cluster answers everything.
  cluster.hook = ({ api }) => (api === 'Metadata' ? 'ignore' : 'serve');
  const lane = await openLane(cluster, { attemptTimeoutMs: 200 });
  await expect(lane.send(batch('late'))).resolves.toMatchObject({ outcome: 'fail', notSent: true });
  cluster.hook = () => 'serve';
  await lane.close();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(cluster.log).toHaveLength(0);
});

test('a refusal on the only attempt is a failure, or unknown where the table does not say', async () => {
  const cluster = await startFakeCluster();
  producesGet(cluster, { code: 10 }, { code: 6 });
  await expect((await openLane(cluster)).send(batch('large'))).resolves.toMatchObject({
    outcome: 'fail',
    code: 10,
    attempts: 1,
  });
  const moved = await (await openLane(cluster)).send(batch('moved'));
  expect(moved).toMatchObject({ outcome: 'unknown', code: 6, attempts: 1 });
});

test('a duplicate sequence is stored already: ok, without an offset to trust', async () => {
  const cluster = await startFakeCluster();
  producesGet(cluster, { code: 46 });
  const result = await (await openLane(cluster)).send(batch('again'));
  expect(result).toMatchObject({ outcome: 'ok', code: 46 });
  expect(result.baseOffset).toBeUndefined();
});

test('without idempotence the library sends a batch once, whatever the answer', async () => {
  const cluster = await startFakeCluster();
  producesGet(cluster, { code: 7 }, { code: 7 }, { code: 7 });
  await expect((await openLane(cluster)).send(batch('once'))).resolves.toMatchObject({
    outcome: 'unknown',
    attempts: 1,
  });
  expect(producesSeen(cluster)).toBe(1);
});

test('with idempotence the library’s own retries are counted, and taint an acknowledgement', async () => {
  const cluster = await startFakeCluster();
  producesGet(cluster, { code: 7 });
  const result = await (await openLane(cluster, { idempotence: true })).send(batch('retried'));
  expect(result).toMatchObject({ outcome: 'ok', attempts: 2, tainted: true, baseOffset: 0 });
});

test('with idempotence a batch without an answer is given up at the delivery timeout', async () => {
  const cluster = await startFakeCluster();
  producesGet(cluster, 'ignore', 'ignore', 'ignore');
  const result = await (
    await openLane(cluster, { idempotence: true, attemptTimeoutMs: 150, deliveryTimeoutMs: 400 })
  ).send(batch('lost'));
  expect(result).toMatchObject({ outcome: 'unknown', tainted: true });
});

test('acks=0 is never ok', async () => {
  const cluster = await startFakeCluster();
  const result = await (await openLane(cluster, { acks: 0 })).send(batch('unasked'));
  expect(result).toMatchObject({ outcome: 'unknown', tainted: true, reason: 'unacknowledged' });
});

test('bytes that are no answer make the run about the client', async () => {
  const cluster = await startFakeCluster();
  const correlation = Buffer.alloc(4);
  cluster.hook = (request) => {
    if (request.api !== 'Produce') return 'serve';
    correlation.writeInt32BE(request.correlationId);
    return { raw: Buffer.concat([Buffer.from([0, 0, 0, 8]), correlation, Buffer.from([0xff, 0xff, 0xff, 0xff])]) };
  };
  const result = await (await openLane(cluster, { attemptTimeoutMs: 500 })).send(batch('garbled'));
  expect(result.outcome).toBe('unknown');
  expect(result.clientAnomaly).toBeDefined();
});
