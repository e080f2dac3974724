// What the cache finds, and what it forgets.
import { describe, expect, it } from 'vitest';
import { BatchCache, type CachedRun } from './batch-cache.ts';

const run = (baseOffset: number, endOffset: number, sizeBytes = 10): CachedRun => ({
  baseOffset,
  endOffset,
  batches: new Uint8Array(sizeBytes),
});

describe('BatchCache', () => {
  it('finds the run that holds an offset, whatever the order they came in', () => {
    const cache = new BatchCache(1000);
    for (const added of [run(20, 30), run(0, 10), run(10, 20)]) cache.add(added);
    expect([0, 9, 10, 29].map((offset) => cache.find(offset)?.baseOffset)).toEqual([0, 0, 10, 20]);
    expect(cache.find(30)).toBeUndefined();
  });

  it('does not find an offset in a hole', () => {
    const cache = new BatchCache(1000);
    cache.add(run(0, 10));
    cache.add(run(20, 30));
    expect(cache.find(15)).toBeUndefined();
  });

  it('forgets the lowest offsets first when it is full', () => {
    const cache = new BatchCache(25);
    for (const added of [run(10, 20), run(20, 30), run(0, 10)]) cache.add(added);
    expect(cache.find(5)).toBeUndefined();
    expect(cache.find(15)).toBeDefined();
    expect(cache.sizeBytes).toBe(20);
  });

  it('replaces a run that begins at the same offset and counts it once', () => {
    const cache = new BatchCache(1000);
    cache.add(run(0, 10, 10));
    cache.add(run(0, 20, 25));
    expect(cache.sizeBytes).toBe(25);
    expect(cache.find(15)?.endOffset).toBe(20);
  });

  it('is empty after it was cleared', () => {
    const cache = new BatchCache(1000);
    cache.add(run(0, 10));
    cache.clear();
    expect(cache.find(5)).toBeUndefined();
    expect(cache.sizeBytes).toBe(0);
  });
});
