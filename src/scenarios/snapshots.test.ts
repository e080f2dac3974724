import { expect, test } from 'vitest';
import { VirtualClock } from '../../test/faults/virtual-clock.ts';
import type { OffsetSnapshot } from '../evidence/offset-snapshot.ts';
import type { SnapshotMoment } from '../vocabulary.ts';
import type { Part } from './part.ts';
import { snapshot } from './snapshots.ts';
import { Turns } from './turns.ts';

const row = (partition: number) => ({
  topic: 't',
  partition,
  at: 5,
  earliest: 0,
  latest: 9,
  latestCommitted: 8,
  topicId: 'id',
  epoch: 3,
});

/** A part with two partitions that writes what it is told into `lines`: `[kind, the rest]`. */
const partOf = (lines: string[], clock = new VirtualClock()): Part => {
  let order = 0;
  return {
    topic: 't',
    partitions: [0, 1],
    at: () => 7 + clock.now(),
    order: { next: () => (order += 1) },
    snapshots: new Turns(clock),
    tell: ({ t, ...rest }: { t: string; detail?: string; text?: string }, at?: number, reserved?: number) =>
      lines.push(`${t} ${rest.detail ?? rest.text ?? `${JSON.stringify(rest)} at ${at} order ${reserved}`}`),
  } as unknown as Part;
};

/** What is told of a part with two partitions. */
const tell = async (when: SnapshotMoment, answer: () => OffsetSnapshot): Promise<readonly string[]> => {
  const lines: string[] = [];
  await snapshot({ offsets: async () => await Promise.resolve().then(answer) }, partOf(lines), when);
  return lines;
};

test('a snapshot stands where it was asked for, not where it was answered', async () => {
  const [line] = await tell('baseline', () => ({ taken: [row(0), row(1)], missing: [] }));
  expect(line).toMatch(/^offsets .*"latest":9,"latestCommitted":8,"topicId":"id","epoch":3.* at 5 order 1$/);
});

test('a partition without a baseline or a last snapshot makes the run prove less', async () => {
  const missing = [{ topic: 't', partition: 1, why: 'no leader' }];
  for (const when of ['baseline', 'after-producers'] as const) {
    const lines = await tell(when, () => ({ taken: [row(0)], missing }));
    expect(lines).toContain(`harness no ${when} snapshot of partition 1: no leader`);
  }
});

test('a snapshot between them that is missing is a note', async () => {
  const lines = await tell('after-heal', () => ({
    taken: [row(0)],
    missing: [{ topic: 't', partition: 1, why: 'away' }],
  }));
  expect(lines.slice(1)).toEqual(['note no after-heal snapshot of partition 1: away']);
});

test('a partition that the cluster does not even name is missing', async () => {
  const lines = await tell('after-producers', () => ({ taken: [row(0)], missing: [] }));
  expect(lines).toContain('harness no after-producers snapshot of partition 1: the cluster does not name it');
});

test('a cluster that does not answer is told, and never thrown', async () => {
  const lines = await tell('after-producers', () => {
    throw new Error('refused');
  });
  expect(lines).toContain('harness no after-producers snapshot of any partition: refused');
});

const ends = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.replace(/^offsets .*"when":"([^"]+)".*"latest":(\d+),.*order (\d+)$/, '$1 $2 order $3'));

// Red before: the earlier one stood first in the history with the later, higher end.
test('a snapshot that is slow to be answered is not overtaken by a later one, which would show a log that was cut', async () => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const part = partOf(lines, clock);
  let waitMs = 200;
  const eye = {
    offsets: async () => {
      const patience = waitMs;
      waitMs = 10;
      await clock.sleep(patience);
      return { taken: [{ ...row(0), latest: Math.floor(clock.now()) }, row(1)], missing: [] };
    },
  };
  await clock.run(Promise.all([snapshot(eye, part, 'before-fault', 300), snapshot(eye, part, 'after-heal', 300)]));
  expect(ends(lines).filter((_, index) => index % 2 === 0)).toEqual([
    'before-fault 200 order 1',
    'after-heal 210 order 2',
  ]);
});

test('a snapshot amid faults does not wait longer than it may take for another one, and says so', async () => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const part = partOf(lines, clock);
  const eye = {
    offsets: async () => {
      await clock.sleep(5000);
      return { taken: [row(0), row(1)], missing: [] };
    },
  };
  let skippedAt = 0;
  const skipping = snapshot(eye, part, 'after-heal');
  const skipped = snapshot(eye, part, 'before-fault', 300).then(() => {
    skippedAt = clock.now();
  });
  await clock.run(Promise.all([skipping, skipped]));
  expect(skippedAt).toBe(300);
  expect(lines[0]).toBe('note no before-fault snapshot of any partition: another snapshot took too long');
});
