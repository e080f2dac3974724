// One ownership seen from outside: appends, reads from each place, flush, the end. Fencing has its own tests in test/log-model.
import { describe, expect, it } from 'vitest';
import { DirectPartition, fetchFrom, flushed, numbersIn } from '../../../test/log-model/direct-log.ts';
import type { Offset } from '../../vocabulary.ts';

const BATCH_BYTES = 76;

describe('append', () => {
  it('gives each batch the offset behind the one before it and stamps epoch and offset into it', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(3);
    expect(await partition.append(log, { recordCount: 3 })).toEqual({
      outcome: 'stored',
      baseOffset: 0,
      duplicate: false,
    });
    expect(await partition.append(log)).toEqual({ outcome: 'stored', baseOffset: 3, duplicate: false });
    const result = await fetchFrom(log, 3);
    expect(numbersIn(result)).toEqual([2]);
    expect(log.highWatermark).toBe(4);
  });

  it('answers a batch that is sent again while it is pending, and after, with its one offset', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1);
    const batch = { producerId: 7, baseSequence: 0 };
    const answers = await Promise.all([partition.append(log, batch), partition.append(log, batch)]);
    answers.push(await partition.append(log, batch));
    expect(answers.map((answer) => answer.outcome === 'stored' && [answer.baseOffset, answer.duplicate])).toEqual([
      [0, false],
      [0, true],
      [0, true],
    ]);
    expect(log.endOffset).toBe(1);
  });

  it('recognises a batch sent again after a failover, from the slots and from the index', async () => {
    const partition = new DirectPartition();
    const first = await partition.own(1);
    await partition.append(first, { producerId: 7, baseSequence: 0 });
    await flushed(first);
    await partition.append(first, { producerId: 7, baseSequence: 1 });
    const second = await partition.own(2);
    const uploaded = await partition.append(second, { producerId: 7, baseSequence: 0 });
    const inSlot = await partition.append(second, { producerId: 7, baseSequence: 1 });
    expect([uploaded, inSlot]).toEqual([
      { outcome: 'stored', baseOffset: 0, duplicate: true },
      { outcome: 'stored', baseOffset: 1, duplicate: true },
    ]);
  });

  it('refuses a gap in a sequence without storing anything', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1);
    await partition.append(log, { producerId: 7, baseSequence: 0 });
    expect(await partition.append(log, { producerId: 7, baseSequence: 5 })).toEqual({
      outcome: 'out-of-order-sequence',
    });
    expect(log.endOffset).toBe(1);
  });

  it('is busy while too much waits to be uploaded, and takes more when the store is back', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1, { limits: { backlogBytes: BATCH_BYTES } });
    partition.store.isAwayFor = (request) => request.startsWith('put data/');
    expect((await partition.append(log)).outcome).toBe('stored');
    expect((await partition.append(log)).outcome).toBe('stored');
    expect(await partition.append(log)).toEqual({ outcome: 'busy' });
    partition.store.isAwayFor = () => false;
    await flushed(log);
    expect((await partition.append(log)).outcome).toBe('stored');
  });

  it('puts batches that wait together into one slot', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1);
    await Promise.all(Array.from({ length: 10 }, async () => await partition.append(log)));
    expect(partition.store.keys('wal/')).toHaveLength(2);
    expect(numbersIn(await fetchFrom(log, 0))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('puts a slot beside others in flight only when it is full, and only so many', async () => {
    for (const [slotBytes, inFlight] of [
      [2 * BATCH_BYTES, 3],
      [20 * BATCH_BYTES, 1],
    ] as const) {
      const partition = new DirectPartition();
      const log = await partition.own(1, { limits: { slotsInFlight: 3, slotBytes } });
      partition.store.isAwayFor = (request) => request.startsWith('put wal/');
      const appends = Array.from({ length: 10 }, async () => await partition.append(log));
      await partition.settle();
      const written = new Set(partition.store.requests.filter((request) => request.startsWith('put wal/')));
      expect(written.size).toBe(inFlight);
      log.resign();
      await Promise.all(appends);
    }
  });

  it('is not acknowledged while the write-ahead log or the fence is away, and is when they are back', async () => {
    for (const away of ['put wal/', 'get meta/t/0/epoch']) {
      const partition = new DirectPartition();
      const log = await partition.own(1);
      partition.store.isAwayFor = (request) => request.startsWith(away);
      let outcome: string | undefined;
      void partition.append(log).then((result) => {
        outcome = result.outcome;
      });
      await partition.settle();
      await partition.tick();
      expect(outcome).toBeUndefined();
      expect(log.highWatermark).toBe(0);
      partition.store.isAwayFor = () => false;
      await partition.tick();
      expect(outcome).toBe('stored');
    }
  });
});

describe('upload', () => {
  it('takes in a round what was there when it began; what came meanwhile waits for the next, unless somebody waits for it', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1);
    const beginRound = async (): Promise<void> => {
      await partition.append(log);
      partition.store.isAwayFor = (request) => request.startsWith('put data/');
      await partition.tick();
      await partition.append(log);
      partition.store.isAwayFor = () => false;
    };
    await beginRound();
    await partition.tick();
    expect(partition.store.keys('data/')).toHaveLength(1);
    await partition.tick();
    expect(partition.store.keys('data/')).toHaveLength(2);
    await beginRound();
    const done = flushed(log);
    await partition.tick();
    expect(await done).toBe(true);
    expect(partition.store.keys('data/')).toHaveLength(4);
  });
});

describe('fetch', () => {
  it('reads from memory, then from the slot, then from the object, and says so', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1);
    await partition.append(log);
    const sources = async (): Promise<unknown> => {
      const result = await fetchFrom(log, 0);
      expect(numbersIn(result)).toEqual([1]);
      return result.status === 'read' && result.sources;
    };
    expect(await sources()).toEqual({ cacheBytes: BATCH_BYTES, walBytes: 0, objectBytes: 0 });
    log.dropCache();
    expect(await sources()).toEqual({ cacheBytes: 0, walBytes: BATCH_BYTES, objectBytes: 0 });
    await flushed(log);
    log.dropCache();
    expect(await sources()).toEqual({ cacheBytes: 0, walBytes: 0, objectBytes: BATCH_BYTES });
    expect(partition.store.keys('wal/')).toEqual([]);
  });

  it('returns at least one batch, and more only while they fit', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1);
    for (let count = 0; count < 4; count++) await partition.append(log, { recordCount: 2 });
    expect(numbersIn(await fetchFrom(log, 0, 1))).toEqual([1]);
    expect(numbersIn(await fetchFrom(log, 0, 0))).toEqual([1]);
    expect(numbersIn(await fetchFrom(log, 0, 2 * BATCH_BYTES))).toEqual([1, 2]);
    expect(numbersIn(await fetchFrom(log, 3, 2 * BATCH_BYTES - 1))).toEqual([2]);
    await flushed(log);
    log.dropCache();
    expect(numbersIn(await fetchFrom(log, 3, 2 * BATCH_BYTES))).toEqual([2, 3]);
  });

  it('is empty at the high watermark and out of range beyond the end', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1);
    await partition.append(log);
    expect(numbersIn(await fetchFrom(log, 1))).toEqual([]);
    expect(await fetchFrom(log, 2)).toEqual({ status: 'out-of-range' });
    expect(await fetchFrom(log, -1)).toEqual({ status: 'out-of-range' });
  });

  it('shows nothing that is stored but not confirmed by the fence', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1);
    partition.store.isAwayFor = (request) => request === 'get meta/t/0/epoch';
    void partition.append(log);
    await partition.settle();
    expect(partition.store.keys('wal/')).toHaveLength(1);
    expect(numbersIn(await fetchFrom(log, 0))).toEqual([]);
  });

  it('names an object that is missing instead of going on behind it', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1);
    await partition.append(log);
    await flushed(log);
    await partition.append(log);
    await flushed(log);
    const [lost] = partition.store.keys('data/');
    partition.store.contents.objects.delete(lost!);
    log.dropCache();
    expect(await fetchFrom(log, 0)).toEqual({ status: 'missing-object', key: lost });
    expect(numbersIn(await fetchFrom(log, 1))).toEqual([2]);
  });

  it('takes an object that is cut short or overwritten for a missing one', async () => {
    for (const bytes of [new Uint8Array(BATCH_BYTES - 1), new Uint8Array(0)]) {
      const partition = new DirectPartition();
      const log = await partition.own(1);
      await partition.append(log);
      await flushed(log);
      const [key] = partition.store.keys('data/');
      partition.store.contents.put(key!, bytes, {});
      log.dropCache();
      expect(await fetchFrom(log, 0)).toEqual({ status: 'missing-object', key });
    }
    const partition = new DirectPartition();
    const log = await partition.own(1);
    await partition.append(log);
    const [slot] = partition.store.keys('wal/');
    partition.store.contents.put(slot!, new Uint8Array(200), {});
    log.dropCache();
    expect(await fetchFrom(log, 0)).toEqual({ status: 'missing-object', key: slot });
  });

  it('goes on behind a missing object with the defect skip-missing-object', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1, { defects: ['skip-missing-object'] });
    await partition.append(log);
    await flushed(log);
    await partition.append(log);
    await flushed(log);
    partition.store.contents.objects.delete(partition.store.keys('data/')[0]!);
    log.dropCache();
    expect(numbersIn(await fetchFrom(log, 0))).toEqual([2]);
  });

  it('goes on behind an object out of reach too with the defect skip-missing-object', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1, { defects: ['skip-missing-object'] });
    await partition.append(log);
    await flushed(log);
    log.dropCache();
    await partition.append(log);
    partition.store.isAwayFor = (request) => request.startsWith('get data/');
    expect(numbersIn(await fetchFrom(log, 0))).toEqual([2]);
  });

  it('shows what is acknowledged in memory alone with the defect ack-before-wal', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1, { defects: ['ack-before-wal'] });
    await partition.append(log);
    expect(partition.store.keys('wal/')).toEqual([]);
    expect(log.highWatermark).toBe(1);
    expect(numbersIn(await fetchFrom(log, 0))).toEqual([1]);
  });

  it('returns what it has when the store goes away in the middle, and says so when it has nothing', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1);
    await partition.append(log);
    await flushed(log);
    log.dropCache();
    await partition.append(log);
    partition.store.isAwayFor = (request) => request.startsWith('get data/');
    expect(await fetchFrom(log, 0)).toEqual({ status: 'store-away' });
    expect(numbersIn(await fetchFrom(log, 1))).toEqual([2]);
  });
});

describe('upload', () => {
  it('happens by itself after the interval, and leaves nothing in the write-ahead log', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1);
    await partition.append(log);
    await partition.tick();
    expect(log.stats()).toMatchObject({ uploadedEnd: 1, unuploadedBytes: 0, segments: 1 });
    expect(partition.store.keys('wal/')).toEqual([]);
  });

  it('does not wait for the interval once an object is full', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1, { limits: { objectBytes: 2 * BATCH_BYTES } });
    await partition.append(log);
    await partition.settle();
    expect(log.stats().segments).toBe(0);
    await partition.append(log);
    await partition.settle();
    expect(log.stats()).toMatchObject({ segments: 1, uploadedEnd: 2 });
  });

  it('cuts objects at their size', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1, { limits: { objectBytes: 2 * BATCH_BYTES, slotBytes: 1 } });
    await Promise.all(Array.from({ length: 5 }, async () => await partition.append(log)));
    await flushed(log);
    const sizes = partition.store.keys('data/').map((key) => partition.store.contents.objects.get(key)?.bytes.length);
    expect(Math.max(...sizes.map(Number))).toBe(2 * BATCH_BYTES);
    expect(sizes.reduce((sum, size) => Number(sum) + Number(size), 0)).toBe(5 * BATCH_BYTES);
  });

  it('waits while the store is away and keeps the slots', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1);
    await partition.append(log);
    partition.store.isAwayFor = (request) => request.startsWith('put data/');
    await partition.tick();
    await partition.tick();
    expect(log.stats().uploadedEnd).toBe(0);
    expect(partition.store.keys('wal/')).toHaveLength(1);
    partition.store.isAwayFor = () => false;
    await partition.tick();
    expect(log.stats().uploadedEnd).toBe(1);
  });
});

describe('flush', () => {
  it('gives up when its signal aborts', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1);
    await partition.append(log);
    partition.store.isAwayFor = (request) => request.startsWith('put data/');
    const controller = new AbortController();
    const flush = log.flush(controller.signal);
    await partition.settle();
    controller.abort();
    expect(await flush).toBe(false);
  });

  it('includes what is accepted and not yet acknowledged', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1);
    const append = partition.append(log);
    expect(await flushed(log)).toBe(true);
    expect(log.stats().uploadedEnd).toBe(1);
    expect((await append).outcome).toBe('stored');
  });
});

describe('the end of an ownership', () => {
  it('is the same for everybody who waits', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1);
    partition.store.isAwayFor = (request) => request.startsWith('put ');
    const append = partition.append(log);
    const waiting = log.waitForDataAbove(0 as Offset, new AbortController().signal);
    const flush = flushed(log);
    log.resign();
    expect(await append).toEqual({ outcome: 'not-owner' });
    expect(await waiting).toBe(false);
    expect(await flush).toBe(false);
    expect(await log.ended).toBe('resigned');
    expect(log.isOwner).toBe(false);
    expect(await partition.append(log)).toEqual({ outcome: 'not-owner' });
    expect(await fetchFrom(log, 0)).toEqual({ status: 'not-owner' });
    expect(await log.confirmOwnership()).toBe('not-owner');
  });

  it('is found out by asking the fence', async () => {
    const partition = new DirectPartition();
    const first = await partition.own(1);
    expect(await first.confirmOwnership()).toBe('owner');
    partition.store.isAwayFor = () => true;
    expect(await first.confirmOwnership()).toBe('store-away');
    partition.store.isAwayFor = () => false;
    await partition.own(2);
    expect(await first.confirmOwnership()).toBe('not-owner');
    expect(first.isOwner).toBe(false);
  });

  it('comes when a slot is missing that was never uploaded', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1, { limits: { cacheBytes: 0 } });
    await partition.append(log);
    partition.store.contents.objects.delete(partition.store.keys('wal/')[0]!);
    await partition.tick();
    expect(await log.ended).toMatch(/slot .* is missing from the write-ahead log/);
  });
});

describe('waitForDataAbove', () => {
  it('resolves when the high watermark passes the offset', async () => {
    const partition = new DirectPartition();
    const log = await partition.own(1);
    const waiting = log.waitForDataAbove(0 as Offset, new AbortController().signal);
    await partition.append(log);
    expect(await waiting).toBe(true);
  });
});
