import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { VirtualClock } from '../../test/faults/virtual-clock.ts';
import { systemClock } from '../clock.ts';
import type { Address } from '../vocabulary.ts';
import { ClusterReach } from './cluster-reach.ts';

const ONE: Address = { host: '127.0.0.1', port: 1 };
const OTHER: Address = { host: '127.0.0.1', port: 2 };

const reachOf = (refuses: (address: Address, now: number) => boolean) => {
  const clock = new VirtualClock();
  const away: number[] = [];
  const reach = new ClusterReach({
    clock,
    addresses: [ONE, OTHER],
    signal: new AbortController().signal,
    onAway: (waitedMs) => away.push(waitedMs),
    refuses: (address) => Promise.resolve(refuses(address, clock.now())),
  });
  return { clock, away, patience: async () => await clock.run(reach.patienceMs(60_000)) };
};

test('a cluster that takes connections at one address is waited for as long as a step wants', async () => {
  const { clock, away, patience } = reachOf((address) => address === ONE);
  expect([await patience(), clock.now(), away]).toEqual([60_000, 0, []]);
});

test('a cluster that refuses all is waited for once, told once, and hardly waited for by later steps', async () => {
  const { clock, away, patience } = reachOf(() => true);
  expect([await patience(), clock.now()]).toEqual([1000, 10_000]);
  expect([await patience(), clock.now()]).toEqual([1000, 10_000]);
  expect(away).toEqual([10_000]);
});

test('a cluster that comes back is waited for again, during the wait and after it', async () => {
  const during = reachOf((_, now) => now < 4000);
  expect([await during.patience(), during.away]).toEqual([60_000, []]);
  let isBack = false;
  const after = reachOf(() => !isBack);
  expect(await after.patience()).toBe(1000);
  isBack = true;
  expect(await after.patience()).toBe(60_000);
});

test('a closed port refuses, an open one does not', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const aborted = new AbortController();
  const addresses = [{ host: '127.0.0.1', port }];
  const reach = new ClusterReach({
    clock: systemClock,
    addresses,
    signal: aborted.signal,
    onAway: () => undefined,
  });
  expect(await reach.isThere()).toBe(true);
  await new Promise((resolve) => server.close(resolve));
  aborted.abort();
  expect(await reach.isThere()).toBe(false);
});
