import { describe, expect, it } from 'vitest';
import type { Clock } from '../clock.ts';
import { Strikes } from './strikes.ts';

describe('strikes', () => {
  it('names what others have in hand, and what they had since then', () => {
    let now = 0;
    const strikes = new Strikes({ now: () => now } as Clock);
    strikes.begin('pause-1', ['broker/1', 'broker/2']);
    strikes.begin('kill-2', ['broker/3']);
    expect([...strikes.byOthers('pause-1', 0)]).toEqual(['broker/3']);
    now = 100;
    strikes.end('kill-2');
    expect([...strikes.byOthers('pause-1', 50)]).toEqual(['broker/3']);
    expect([...strikes.byOthers('pause-1', 101)]).toEqual([]);
    expect([...strikes.byOthers('kill-2', 101)]).toEqual(['broker/1', 'broker/2']);
  });

  it('tells until when others acted: until what they changed was put back, or until they were over', () => {
    let now = 0;
    const strikes = new Strikes({ now: () => now } as Clock);
    strikes.begin('pause-1', ['broker/1']);
    expect(strikes.othersUntil('pause-1')).toBe(Number.NEGATIVE_INFINITY);
    strikes.begin('kill-2', ['broker/3']);
    now = 50;
    expect(strikes.othersUntil('pause-1')).toBe(50);
    strikes.putBack('kill-2');
    strikes.begin('cut-3', ['broker/2']);
    now = 100;
    expect(strikes.othersUntil('cut-3')).toBe(100);
    strikes.end('pause-1');
    strikes.end('kill-2');
    now = 150;
    expect(strikes.othersUntil('cut-3')).toBe(100);
    expect(strikes.othersUntil('pause-1')).toBe(150);
  });
});
