import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { runOrder } from '../ledger/run-order.ts';
import { CAUTIOUS_PROFILE } from '../outcomes.ts';
import { freePorts } from '../targets/free-ports.ts';
import type { LoadOrder, ThreadLane } from './load-thread.ts';
import { startLoadWorker } from './load-worker.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-load-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A lane to a port at which nobody listens. */
const laneToNobody = async (changed: Partial<ThreadLane> = {}): Promise<ThreadLane> => {
  const [port = 0] = await freePorts('127.0.0.1', 1);
  return {
    producer: 'p1',
    partition: 3,
    batch: 2,
    intervalMs: 0,
    firstAtMs: 0,
    bootstrap: [{ host: '127.0.0.1', port }],
    client: 'wire',
    retry: 'none',
    idempotence: false,
    attemptTimeoutMs: 100,
    ...changed,
  };
};

const orderOf = (lanes: readonly ThreadLane[], order = runOrder()): Omit<LoadOrder, 'originNs'> => ({
  ledger: { directory: folder, run: 'r', contract: 1, order: order.memory },
  runId: 'r',
  topic: 't',
  acks: 'all',
  deliveryTimeoutMs: 1000,
  profile: CAUTIOUS_PROFILE,
  lanes,
  sizeBytes: 200,
  probeBytes: 200,
});

const owner = () => {
  const stalls: { readonly ms: number; readonly at: number }[] = [];
  const from = systemClock.now();
  return {
    at: () => systemClock.now() - from,
    onClientAnomaly: () => undefined,
    onStandstill: (ms: number, at: number) => stalls.push({ ms, at }),
    stalls,
  };
};

test('what its thread sends is known here, its order goes on here, and its ledger is closed when it has stopped', async () => {
  const order = runOrder();
  const { at, ...rest } = owner();
  const load = startLoadWorker(orderOf([await laneToNobody()], order), { at, ...rest });
  const from = at();
  await vi.waitFor(() => expect(load.attemptedWithin(3, from, at())).toBe(true), { timeout: 20_000 });
  await load.stop();
  const { sent, acked, failed, unknown } = load.progress();
  expect(sent).toBeGreaterThan(0);
  expect([acked, failed + unknown]).toEqual([0, sent]);
  // Two rows for each batch of two records.
  expect(order.next()).toBe(sent + 1);
  expect(existsSync(join(folder, 'ledger', 'harness.rows'))).toBe(true);
});

test('a load that comes to its end by itself is finished, and may be stopped all the same', async () => {
  const load = startLoadWorker({ ...orderOf([await laneToNobody()]), recordsPerLane: 2 }, owner());
  await load.finished;
  await load.stop();
  expect(load.progress().sent).toBe(2);
});

test('a ledger that cannot be written ends it with that error', async () => {
  mkdirSync(join(folder, 'ledger'));
  writeFileSync(join(folder, 'ledger', 'harness.rows'), 'in the way');
  const load = startLoadWorker(orderOf([await laneToNobody()]), owner());
  await expect(load.finished).rejects.toMatchObject({ kind: 'environment' });
  await expect(load.stop()).rejects.toMatchObject({ kind: 'environment' });
});

test('a lane that nobody can run ends it with that error', async () => {
  const load = startLoadWorker(orderOf([await laneToNobody({ client: 'nobody' })]), owner());
  await expect(load.finished).rejects.toMatchObject({ code: 'NO_CLIENT', kind: 'internal' });
});

test('what is no load at all ends it with an error', async () => {
  const broken = { ...orderOf([]), ledger: undefined } as never;
  await expect(startLoadWorker(broken, owner()).finished).rejects.toThrow(/undefined/);
});
