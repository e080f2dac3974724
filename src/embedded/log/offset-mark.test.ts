// Waiting for an offset: reached, given up, never.
import { describe, expect, it } from 'vitest';
import { OffsetMark } from './offset-mark.ts';

const never = (): AbortSignal => new AbortController().signal;

describe('OffsetMark', () => {
  it('answers at once when it stands there already', async () => {
    expect(await new OffsetMark(5).reach(5, never())).toBe(true);
  });

  it('answers exactly those whose offset is reached', async () => {
    const mark = new OffsetMark(0);
    const order: string[] = [];
    const near = mark.reach(5, never()).then((reached) => order.push(`near ${reached}`));
    const far = mark.reach(6, never()).then((reached) => order.push(`far ${reached}`));
    mark.advance(5);
    await near;
    expect(mark.isAwaited).toBe(true);
    mark.advance(6);
    await far;
    expect(order).toEqual(['near true', 'far true']);
    expect(mark.isAwaited).toBe(false);
  });

  it('gives up when the signal aborts, before or while waiting', async () => {
    const mark = new OffsetMark(0);
    expect(await mark.reach(1, AbortSignal.abort())).toBe(false);
    const controller = new AbortController();
    const waiting = mark.reach(1, controller.signal);
    controller.abort();
    expect(await waiting).toBe(false);
    expect(mark.isAwaited).toBe(false);
  });

  it('answers false to everybody once it is closed, but still true for what it has reached', async () => {
    const mark = new OffsetMark(3);
    const waiting = mark.reach(4, never());
    mark.close();
    expect(await waiting).toBe(false);
    expect(await mark.reach(4, never())).toBe(false);
    expect(await mark.reach(3, never())).toBe(true);
  });
});
