// Disturbances by themselves, with a clock that moves when it is told to.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../clock.ts';
import { Disturbances, type IoFailure } from './disturbances.ts';
import type { VolumeRequest } from './protocol.ts';

let nowMs: number;
let alarms: { readonly atMs: number; readonly ring: () => void }[];
let disturbances: Disturbances;

const clock: Clock = {
  now: () => nowMs,
  wall: () => nowMs,
  sleep: async (ms, signal) =>
    await new Promise<void>((resolve, reject) => {
      alarms.push({ atMs: nowMs + ms, ring: resolve });
      signal?.addEventListener('abort', () => reject(new Error('over')));
    }),
};

const pass = async (ms: number): Promise<void> => {
  nowMs += ms;
  for (const alarm of alarms.filter(({ atMs }) => atMs <= nowMs)) alarm.ring();
  alarms = alarms.filter(({ atMs }) => atMs > nowMs);
  await new Promise((resolve) => setImmediate(resolve));
};

beforeEach(() => {
  nowMs = 0;
  alarms = [];
  disturbances = new Disturbances(clock);
});

const write = (volume = 'broker-1-x'): VolumeRequest => ({ op: 'write', volume, holder: 'h', at: 0 });
const sync: VolumeRequest = { op: 'sync', volume: 'broker-1-x', holder: 'h' };
const read: VolumeRequest = { op: 'read', volume: 'broker-1-x', at: 0, length: 1 };

/** `done`, the errno, or `held`. */
const fateOf = async (request: VolumeRequest, sizeBytes = 10): Promise<string> => {
  let fate = 'held';
  disturbances.admit(request, sizeBytes).then(
    () => (fate = 'done'),
    (thrown: unknown) => (fate = (thrown as IoFailure).errno),
  );
  await new Promise((resolve) => setImmediate(resolve));
  return fate;
};

describe('a disturbance', () => {
  it('ends by itself after its time, unless it is asked for again', async () => {
    disturbances.set('d', { kind: 'error', ttlMs: 1000 });
    await pass(900);
    disturbances.set('d', { kind: 'error', ttlMs: 1000 });
    await pass(900);
    expect(await fateOf(write())).toBe('EIO');
    expect(disturbances.list()).toMatchObject([{ name: 'd', kind: 'error', acted: 1 }]);
    await pass(100);
    expect(await fateOf(write())).toBe('done');
    expect(disturbances.list()).toEqual([]);
  });

  it('is about some volumes and methods, and never about whose a volume is', async () => {
    disturbances.set('d', { kind: 'error', ttlMs: 1000, volumes: ['broker-1-'], methods: ['sync'] });
    expect([await fateOf(sync), await fateOf(write()), await fateOf(read)]).toEqual(['EIO', 'done', 'done']);
    disturbances.set('d', { kind: 'error', ttlMs: 1000, volumes: ['broker-1-'] });
    expect([await fateOf(write()), await fateOf(write('broker-12-x'))]).toEqual(['EIO', 'done']);
    expect(await fateOf({ op: 'fence', volume: 'broker-1-x' })).toBe('done');
    expect(await fateOf({ op: 'put', handle: 'f' })).toBe('done');
  });

  it('holds what came during a stall until that is over', async () => {
    disturbances.set('d', { kind: 'stall', ttlMs: 1000 });
    let isOver = false;
    void disturbances.admit(write(), 10).then(() => (isOver = true));
    await pass(500);
    disturbances.set('d', { kind: 'stall', ttlMs: 1000 });
    await pass(600);
    expect(isOver).toBe(false);
    expect(disturbances.remove('d')).toBe(true);
    await pass(0);
    expect(isOver).toBe(true);
    expect(disturbances.remove('d')).toBe(false);
  });

  it('delays by its latency', async () => {
    disturbances.set('d', { kind: 'latency', ttlMs: 10_000, latencyMs: 300 });
    let isOver = false;
    void disturbances.admit(sync, 0).then(() => (isOver = true));
    await pass(299);
    expect(isOver).toBe(false);
    await pass(1);
    expect(isOver).toBe(true);
  });

  it('leaves so much space and no more, for new files too', async () => {
    disturbances.set('d', { kind: 'full', ttlMs: 1000, leaveBytes: 15 });
    expect([await fateOf(write(), 10), await fateOf(write(), 10), await fateOf(write(), 5)]).toEqual([
      'done',
      'ENOSPC',
      'done',
    ]);
    expect(await fateOf({ op: 'create', path: 'f' }, 0)).toBe('ENOSPC');
    expect([await fateOf(sync), await fateOf({ op: 'remove', path: 'f' })]).toEqual(['done', 'done']);
  });

  it('lets a read-only disk be read, and nothing else', async () => {
    disturbances.set('d', { kind: 'read-only', ttlMs: 1000 });
    expect([await fateOf(read), await fateOf(write()), await fateOf(sync)]).toEqual(['done', 'EROFS', 'EROFS']);
  });

  it.each([
    { body: { kind: 'storm', ttlMs: 1 }, says: '"storm" is none of' },
    { body: { kind: 'stall' }, says: '"ttlMs" must be' },
    { body: { kind: 'stall', ttlMs: 1, tll: 2 }, says: '"tll" is none of' },
    { body: { kind: 'stall', ttlMs: 1, methods: ['trim'] }, says: '"trim" is none of' },
  ])('is refused where it says $body', ({ body, says }) => {
    expect(() => disturbances.set('d', body)).toThrow(says);
    expect(disturbances.list()).toEqual([]);
  });
});
