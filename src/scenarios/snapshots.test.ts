import { expect, test } from 'vitest';
import type { OffsetSnapshot } from '../evidence/offset-snapshot.ts';
import type { SnapshotMoment } from '../vocabulary.ts';
import type { Part } from './part.ts';
import { snapshot } from './snapshots.ts';

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

/** What is told of a part with two partitions: `[kind, the rest]`. */
const tell = async (when: SnapshotMoment, answer: () => OffsetSnapshot): Promise<readonly string[]> => {
  const lines: string[] = [];
  let order = 0;
  const part = {
    topic: 't',
    partitions: [0, 1],
    at: () => 7,
    order: { next: () => (order += 1) },
    tell: ({ t, ...rest }: { t: string; detail?: string; text?: string }, at?: number, reserved?: number) =>
      lines.push(`${t} ${rest.detail ?? rest.text ?? `${JSON.stringify(rest)} at ${at} order ${reserved}`}`),
  } as unknown as Part;
  await snapshot({ offsets: async () => await Promise.resolve().then(answer) }, part, when);
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
