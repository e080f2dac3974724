// What the harness makes of what the thread of its load says, and of its silence: a stand-in for the thread says it here.
import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import type { FromLoad, LoadOrder } from './load-thread.ts';

const { threads } = vi.hoisted(() => ({ threads: [] as unknown[] }));
vi.mock('node:worker_threads', () => ({
  Worker: class extends EventEmitter {
    readonly told: unknown[] = [];
    constructor() {
      super();
      threads.push(this);
    }
    postMessage(message: unknown): void {
      this.told.push(message);
    }
  },
}));

const { startLoadWorker } = await import('./load-worker.ts');

interface Thread extends EventEmitter {
  readonly told: readonly unknown[];
}

const start = () => {
  const heard = { anomalies: [] as string[], standstills: [] as [number, number][] };
  const order = { lanes: [{}, {}] } as unknown as Omit<LoadOrder, 'originNs'>;
  const load = startLoadWorker(order, {
    at: () => 1000,
    onClientAnomaly: (detail) => heard.anomalies.push(detail),
    onStandstill: (ms, at) => heard.standstills.push([ms, at]),
  });
  const thread = threads.at(-1) as Thread;
  const say = (message: FromLoad): void => {
    thread.emit('message', message);
  };
  return { heard, load, thread, say };
};

// Red before: what a load could not send while its own thread stood still counted as an outage of the cluster.
test('a standstill of the thread is passed on with its moment, and so is what a client got wrong', () => {
  const { heard, say } = start();
  say({ t: 'standstill', ms: 700, at: 900 });
  say({ t: 'client-anomaly', detail: 'p1/0 seq 3: odd' });
  expect(heard).toEqual({ anomalies: ['p1/0 seq 3: odd'], standstills: [[700, 900]] });
});

test('batches count by their numbers, in whatever order they end', () => {
  const { load, say } = start();
  const begin = (batch: number, partition: number, at: number) =>
    ({ t: 'begin', batch, partition, count: 5, isProbe: false, at }) as const;
  say({ t: 'events', events: [begin(0, 0, 10), begin(1, 1, 20)] });
  expect([load.attemptedWithin(1, 25, 30), load.attemptedWithin(1, 0, 15), load.acked]).toEqual([true, false, 0]);
  say({ t: 'events', events: [{ t: 'end', batch: 1, outcome: 'ok', at: 40 }] });
  say({ t: 'events', events: [{ t: 'end', batch: 0, outcome: 'unknown', at: 50 }] });
  expect(load.progress()).toMatchObject({ sent: 10, acked: 5, unknown: 5, failed: 0 });
  expect([load.lastAckBefore(1, 60), load.lastAckBefore(0, 60), load.lanes]).toEqual([40, undefined, 2]);
});

test('a thread that ends without a word, or breaks, ends the load with an error before and after it has begun', async () => {
  const early = start();
  early.thread.emit('exit', 3);
  await expect(early.load.started).rejects.toMatchObject({ code: 'LOAD_ENDED', kind: 'internal' });
  const late = start();
  late.say({ t: 'started' });
  await late.load.started;
  late.thread.emit('error', new RangeError('out of reach'));
  await expect(late.load.finished).rejects.toThrow('out of reach');
  await expect(late.load.stop()).rejects.toThrow('out of reach');
});

test('its end after it has said so is no trouble, and a stop is told to it', async () => {
  const { load, thread, say } = start();
  say({ t: 'started' });
  const stopping = load.stop();
  expect(thread.told).toEqual([{ t: 'stop' }]);
  say({ t: 'finished' });
  thread.emit('exit', 0);
  await stopping;
});
