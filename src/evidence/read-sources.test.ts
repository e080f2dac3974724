import { describe, expect, it } from 'vitest';
import type { BrokerStats } from '../targets/target.ts';
import { readSourcesBetween } from './read-sources.ts';

const stats = (objectBytes: number, cacheBytes = 0, walBytes = 0): BrokerStats => ({
  objectBytes,
  cacheBytes,
  walBytes,
  backlogBytes: 0,
  cachedBytes: 0,
  recovering: 0,
});

describe('the sources of a pass', () => {
  it('are what each broker served between two readings, added up', () => {
    const before = [
      { node: 'broker/1', stats: stats(10, 5) },
      { node: 'broker/2', stats: stats(0) },
    ];
    const after = [
      { node: 'broker/1', stats: stats(30, 6, 2) },
      { node: 'broker/2', stats: stats(7) },
    ];
    expect(readSourcesBetween(before, after)).toEqual({ objectBytes: 27, cacheBytes: 1, walBytes: 2 });
  });

  it('count a broker that was started in between from zero', () => {
    const before = [{ node: 'broker/1', stats: stats(100) }];
    expect(readSourcesBetween(before, [{ node: 'broker/1', stats: stats(4) }]).objectBytes).toBe(4);
    expect(readSourcesBetween([], [{ node: 'broker/1', stats: stats(4) }]).objectBytes).toBe(4);
  });
});
