// Each toxic alone, on a clock that only moves when the test says so: what leaves, when, and what changing or removing it does.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../clock.ts';
import { randomStream } from '../../../random.ts';
import type { Attributes, Stage } from '../stage.ts';
import { TOXICS } from './registry.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Bench {
  readonly stage: Stage;
  /** `ms text` for each chunk, `ms END`, `ms close`, `ms reset`; milliseconds since the toxic came. */
  readonly seen: string[];
  readonly text: () => string;
}

const bench = (type: string, attributes: Attributes): Bench => {
  const toxic = TOXICS.find((known) => known.type === type)!;
  const started = systemClock.now();
  const seen: string[] = [];
  const chunks: string[] = [];
  const note = (what: string): void => void seen.push(`${Math.round(systemClock.now() - started)} ${what}`);
  const output = {
    write: (chunk: Buffer) => {
      chunks.push(chunk.toString());
      note(chunk.length > 20 ? `${chunk.length} bytes` : chunk.toString());
    },
    end: () => note('END'),
    endLink: note,
    released: () => undefined,
  };
  const stage = toxic.createStage(attributes, output, { clock: systemClock, random: randomStream(1, 'bench') });
  return { stage, seen, text: () => chunks.join('') };
};

const send = ({ stage }: Bench, text: string): void => stage.write(Buffer.from(text));

describe('the registry', () => {
  test('is sorted, without repetition, each with a sentence', () => {
    const types = TOXICS.map(({ type }) => type);
    expect(types).toEqual([...new Set(types)].sort());
    for (const { summary } of TOXICS) expect(summary).toMatch(/^[A-Z].*\.$/);
  });
});

describe('latency', () => {
  test('delays chunks side by side and the end behind them', () => {
    const it = bench('latency', { latency: 100, jitter: 0 });
    send(it, 'a');
    vi.advanceTimersByTime(30);
    send(it, 'b');
    it.stage.end();
    vi.advanceTimersByTime(500);
    expect(it.seen).toEqual(['100 a', '130 b', '130 END']);
    expect(it.stage.heldBytes).toBe(0);
  });

  test('with jitter stays within it and keeps the order', () => {
    const it = bench('latency', { latency: 100, jitter: 50 });
    for (let index = 0; index < 200; index++) {
      send(it, `${index};`);
      vi.advanceTimersByTime(1);
    }
    vi.advanceTimersByTime(500);
    expect(it.text()).toBe(Array.from({ length: 200 }, (_, index) => `${index};`).join(''));
    it.seen.forEach((line, index) => {
      const delay = Number(line.split(' ')[0]) - index;
      expect(delay).toBeGreaterThanOrEqual(50);
      expect(delay).toBeLessThanOrEqual(152);
    });
  });

  test('lowered to 0 lets queued chunks go at once', () => {
    const it = bench('latency', { latency: 5000, jitter: 0 });
    send(it, 'a');
    vi.advanceTimersByTime(10);
    it.stage.update({ latency: 0, jitter: 0 });
    expect(it.seen).toEqual(['10 a']);
  });

  test('removed lets queued chunks and the end go at once', () => {
    const it = bench('latency', { latency: 5000, jitter: 0 });
    send(it, 'a');
    send(it, 'b');
    it.stage.end();
    it.stage.remove();
    expect(it.seen).toEqual(['0 a', '0 b', '0 END']);
  });
});

describe('bandwidth', () => {
  test('passes rate KB/s in pieces of 100 ms', () => {
    const it = bench('bandwidth', { rate: 10 });
    it.stage.write(Buffer.alloc(2500));
    it.stage.end();
    vi.advanceTimersByTime(1000);
    expect(it.seen).toEqual(['100 1000 bytes', '200 1000 bytes', '250 500 bytes', '250 END']);
  });

  test('keeps its rate for many small chunks', () => {
    const it = bench('bandwidth', { rate: 1000 });
    for (let index = 0; index < 1000; index++) it.stage.write(Buffer.alloc(100));
    vi.advanceTimersByTime(50);
    expect(it.text().length).toBeGreaterThan(45_000);
    expect(it.text().length).toBeLessThan(55_000);
  });

  test('of 0 stalls until it is raised', () => {
    const it = bench('bandwidth', { rate: 0 });
    send(it, 'abc');
    vi.advanceTimersByTime(60_000);
    expect(it.seen).toEqual([]);
    it.stage.update({ rate: 1 });
    vi.advanceTimersByTime(10);
    expect(it.text()).toBe('abc');
  });

  test('changed in the middle loses and reorders nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 400 }))), (steps) => {
        const it = bench('bandwidth', { rate: 1 });
        let sent = '';
        steps.forEach(([rate, waitMs], index) => {
          const text = `${index}:${'x'.repeat(index * 37)};`;
          sent += text;
          send(it, text);
          vi.advanceTimersByTime(waitMs);
          it.stage.update({ rate });
        });
        it.stage.remove();
        expect(it.text()).toBe(sent);
        expect(it.stage.heldBytes).toBe(0);
      }),
      { seed: 5, numRuns: 50 },
    );
  });
});

describe('slicer', () => {
  test('cuts into pieces of the size and at the pace it was given', () => {
    const it = bench('slicer', { average_size: 10, size_variation: 2, delay: 5000 });
    const text = 'the quick brown fox jumps over the lazy dog';
    send(it, text);
    it.stage.end();
    vi.advanceTimersByTime(1000);
    expect(it.text()).toBe(text);
    const pieces = it.seen.slice(0, -1);
    const lengths = pieces.map((line) => line.slice(line.indexOf(' ') + 1).length);
    for (const length of lengths.slice(0, -1)) expect(Math.abs(length - 10)).toBeLessThanOrEqual(2);
    pieces.forEach((line, index) =>
      expect(Math.abs(Number(line.split(' ')[0]) - 5 * (index + 1))).toBeLessThanOrEqual(1),
    );
    expect(it.seen.at(-1)).toMatch(/END$/);
  });

  test('refuses sizes that would not end', () => {
    const check = TOXICS.find(({ type }) => type === 'slicer')!.check!;
    expect(check({ average_size: 0, size_variation: 0, delay: 0 })).toContain('average_size');
    expect(check({ average_size: 5, size_variation: 5, delay: 0 })).toContain('size_variation');
    expect(check({ average_size: 5, size_variation: 4, delay: 0 })).toBeUndefined();
  });
});

describe('slow_close', () => {
  test('delays the end and nothing else', () => {
    const it = bench('slow_close', { delay: 200 });
    send(it, 'a');
    it.stage.end();
    vi.advanceTimersByTime(1000);
    expect(it.seen).toEqual(['0 a', '200 END']);
  });

  test('removed passes the waiting end on', () => {
    const it = bench('slow_close', { delay: 200 });
    it.stage.end();
    it.stage.remove();
    vi.advanceTimersByTime(1000);
    expect(it.seen).toEqual(['0 END']);
  });
});

describe('timeout', () => {
  test('drops every byte and closes the given time after the last one', () => {
    const it = bench('timeout', { timeout: 100 });
    for (let index = 0; index < 5; index++) {
      vi.advanceTimersByTime(60);
      send(it, 'dropped');
    }
    vi.advanceTimersByTime(1000);
    expect(it.seen).toEqual(['400 close']);
  });

  test('of 0 never closes, passes an end on, and closes when it is removed', () => {
    const it = bench('timeout', { timeout: 0 });
    send(it, 'dropped');
    vi.advanceTimersByTime(3_600_000);
    expect(it.seen).toEqual([]);
    it.stage.end();
    it.stage.remove();
    expect(it.seen).toEqual(['3600000 END', '3600000 close']);
  });
});

describe('reset_peer', () => {
  test('waits for data, then resets after its time', () => {
    const it = bench('reset_peer', { timeout: 50 });
    vi.advanceTimersByTime(1000);
    send(it, 'lost');
    vi.advanceTimersByTime(20);
    send(it, 'lost too');
    vi.advanceTimersByTime(30);
    expect(it.seen).toEqual(['1050 reset']);
  });

  test('removed before any data leaves the link alone, after it resets at once', () => {
    const idle = bench('reset_peer', { timeout: 50 });
    idle.stage.remove();
    expect(idle.seen).toEqual([]);
    const armed = bench('reset_peer', { timeout: 50 });
    send(armed, 'lost');
    armed.stage.remove();
    expect(armed.seen).toEqual(['0 reset']);
  });
});

describe('limit_data', () => {
  test('passes its bytes across chunks, then closes', () => {
    const it = bench('limit_data', { bytes: 5 });
    send(it, 'abc');
    send(it, 'defg');
    expect(it.seen).toEqual(['0 abc', '0 de', '0 close']);
  });

  test('that is reached exactly closes', () => {
    const it = bench('limit_data', { bytes: 3 });
    send(it, 'abc');
    expect(it.seen).toEqual(['0 abc', '0 close']);
  });
});
