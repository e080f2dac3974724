import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { runOrder } from './run-order.ts';

test('counts from 1, and on from where another one of the same memory is', () => {
  const order = runOrder();
  expect([order.next(), order.next()]).toEqual([1, 2]);
  const other = runOrder(order.memory);
  expect([other.next(), order.next()]).toEqual([3, 4]);
});

test('threads that count at once never get one number twice', async () => {
  const order = runOrder();
  const count = 20_000;
  // As run-order.ts does it: Node.js 20 runs no TypeScript in a thread.
  const counting = `const { workerData, parentPort } = require('node:worker_threads');
    const last = new BigInt64Array(workerData);
    const got = Array.from({ length: ${count} }, () => Number(Atomics.add(last, 0, 1n)) + 1);
    parentPort.postMessage(got);`;
  const worker = new Worker(counting, { eval: true, workerData: order.memory });
  const mine: number[] = [];
  const theirs = once(worker, 'message');
  await once(worker, 'online');
  for (let turn = 0; turn < count; turn++) mine.push(order.next());
  const [others] = (await theirs) as [number[]];
  expect(new Set([...mine, ...others]).size).toBe(2 * count);
  expect(Math.max(...mine, ...others)).toBe(2 * count);
});
