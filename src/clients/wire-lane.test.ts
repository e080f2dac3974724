import { expect, test } from 'vitest';
import { batch, openLane, producesGet, producesSeen, startFakeCluster } from '../../test/clients/client-fixture.ts';
import { decodeRecordBatches } from '../wire/record-batch.ts';
import type { LaneOptions } from './client.ts';
import { openWireLane } from './wire-lane.ts';

const wire = { openLane: (options: LaneOptions) => openWireLane(options) };
const REQUEST_TIMED_OUT = 7;
const NOT_ENOUGH_REPLICAS = 19;

test('key, value and headers of each record reach the log as they were given', async () => {
  const cluster = await startFakeCluster();
  await (await openLane(wire, cluster)).send(batch('a', 'b'));
  const { batches } = decodeRecordBatches(cluster.log[0] ?? Buffer.alloc(0));
  expect(batches.flatMap(({ records }) => records)).toMatchObject(
    ['a', 'b'].map((text, offset) => ({
      offset,
      key: Buffer.from(text),
      value: Buffer.from(text),
      headers: [{ key: 'h', value: Buffer.from(text) }],
    })),
  );
});

test('the same bytes go out again with same-batch, until the delivery timeout', async () => {
  const cluster = await startFakeCluster();
  producesGet(cluster, ...Array.from({ length: 100 }, () => ({ code: REQUEST_TIMED_OUT })));
  const lane = await openLane(wire, cluster, { retry: 'same-batch', deliveryTimeoutMs: 300 });
  const result = await lane.send(batch('a'));
  expect(result).toMatchObject({ outcome: 'unknown', code: REQUEST_TIMED_OUT, tainted: true });
  expect(result.attempts).toBeGreaterThan(1);
  expect(result.attempts).toBe(producesSeen(cluster));
});

test('what the target declares decides whether a missing replica is a definite failure', async () => {
  const cluster = await startFakeCluster();
  producesGet(cluster, { code: NOT_ENOUGH_REPLICAS }, { code: NOT_ENOUGH_REPLICAS });
  const kafka = await openLane(wire, cluster);
  expect(await kafka.send(batch('a'))).toMatchObject({ outcome: 'fail', code: NOT_ENOUGH_REPLICAS });
  const profile = { notEnoughReplicasIsDefinite: false, sequenceErrorsAreDefinite: false };
  const cautious = await openLane(wire, cluster, { profile });
  expect(await cautious.send(batch('a'))).toMatchObject({ outcome: 'unknown', code: NOT_ENOUGH_REPLICAS });
});

test('an answer without an error names no code, and one that names no leader epoch tells none', async () => {
  const cluster = await startFakeCluster();
  const result = await (await openLane(wire, cluster)).send(batch('a'));
  expect(result).toEqual({ outcome: 'ok', baseOffset: 0, attempts: 1, tainted: false });
});
