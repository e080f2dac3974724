// The rules of Kafka's producer state, one by one.
import { describe, expect, it } from 'vitest';
import type { BatchHeader } from './interfaces.ts';
import { ProducerStates } from './producer-states.ts';

const batch = (baseSequence: number, recordCount = 10, producerEpoch = 0, producerId = 7): BatchHeader => ({
  baseOffset: 0,
  leaderEpoch: 0,
  lengthBytes: 100,
  recordCount,
  producerId,
  producerEpoch,
  baseSequence,
});

const after = (...batches: readonly BatchHeader[]): ProducerStates => {
  const states = new ProducerStates(10);
  batches.forEach((header, index) => states.record(header, index * 100));
  return states;
};

describe('ProducerStates', () => {
  it('takes the next batch in sequence and refuses one that leaves a gap', () => {
    const states = after(batch(0), batch(10));
    expect(states.check(batch(20)).kind).toBe('new');
    expect(states.check(batch(21)).kind).toBe('out-of-order-sequence');
    expect(states.check(batch(30)).kind).toBe('out-of-order-sequence');
  });

  it('answers each of the last five batches with its first offset, and refuses the one before them', () => {
    const states = after(...[0, 10, 20, 30, 40, 50].map((sequence) => batch(sequence)));
    for (const [index, sequence] of [10, 20, 30, 40, 50].entries()) {
      expect(states.check(batch(sequence))).toEqual({ kind: 'duplicate', baseOffset: (index + 1) * 100 });
    }
    expect(states.check(batch(0)).kind).toBe('out-of-order-sequence');
  });

  it('does not take a batch of another length for the same one', () => {
    expect(after(batch(0), batch(10)).check(batch(10, 9)).kind).toBe('out-of-order-sequence');
  });

  it('wraps sequences after 2^31 - 1', () => {
    const states = after(batch(2 ** 31 - 4, 4));
    expect(states.check(batch(0)).kind).toBe('new');
    expect(after(batch(2 ** 31 - 2, 5)).check(batch(3)).kind).toBe('new');
  });

  it('refuses an older epoch, and lets a newer one begin at 0 only', () => {
    const states = after(batch(0, 10, 1));
    expect(states.check(batch(10, 10, 0)).kind).toBe('stale-producer-epoch');
    expect(states.check(batch(0, 10, 2)).kind).toBe('new');
    expect(states.check(batch(10, 10, 2)).kind).toBe('out-of-order-sequence');
  });

  it('forgets the batches of an older epoch', () => {
    expect(after(batch(0, 10, 0), batch(0, 10, 1)).check(batch(0, 10, 1))).toEqual({
      kind: 'duplicate',
      baseOffset: 100,
    });
  });

  it('lets a producer that it does not know begin anywhere', () => {
    expect(after(batch(0)).check(batch(500, 10, 3, 8)).kind).toBe('new');
  });

  it('keeps nothing of batches without a producer id', () => {
    const states = after(batch(-1, 10, -1, -1));
    expect(states.snapshot()).toEqual([]);
    expect(states.check(batch(-1, 10, -1, -1)).kind).toBe('new');
  });

  it('survives a round trip through its snapshot', () => {
    const states = after(batch(0), batch(10), batch(0, 3, 2, 8));
    const again = new ProducerStates(10, JSON.parse(JSON.stringify(states.snapshot())));
    expect(again.snapshot()).toEqual(states.snapshot());
    expect(again.check(batch(10))).toEqual({ kind: 'duplicate', baseOffset: 100 });
    expect(again.check(batch(3, 5, 2, 8)).kind).toBe('new');
  });

  it('forgets the least recently used producer when there are too many', () => {
    const states = new ProducerStates(2);
    for (const id of [1, 2, 1, 3]) states.record(batch(0, 10, 0, id), 0);
    expect(states.snapshot().map(([id]) => id)).toEqual([1, 3]);
  });
});
