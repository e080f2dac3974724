import { describe, expect, it } from 'vitest';
import { RegainPauses } from './regain-pauses.ts';

describe('pauses before a partition is asked for again', () => {
  it('grow to ten seconds while ownerships do not last, each partition for itself', () => {
    const pauses = new RegainPauses();
    const taken = Array.from({ length: 9 }, () => pauses.take('t/0', 29_999));
    expect(taken).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
    expect(pauses.take('t/1', 0)).toBe(100);
  });

  it('begin anew after an ownership that lasted, or when the partition was somebody else’s', () => {
    const pauses = new RegainPauses();
    pauses.take('t/0', 0);
    expect(pauses.take('t/0', 30_000)).toBe(100);
    expect(pauses.take('t/0', 0)).toBe(200);
    pauses.forget('t/0');
    expect(pauses.take('t/0', 0)).toBe(100);
  });
});
