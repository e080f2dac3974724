// Examples that stand next to each other, told once: a batch that is gone is one line, not fifty.
import type { Example } from '../ledger/judgement.ts';
import { rangeText } from './numbers.ts';

/** Consecutive records of one producer at consecutive offsets, acknowledged at the same moment. */
export interface ExampleRun {
  readonly first: Example;
  readonly last: Example;
  readonly count: number;
}

const follows = (run: ExampleRun, next: Example): boolean => {
  const { last } = run;
  const sameLane = next.producer === last.producer && next.incarnation === last.incarnation;
  const step = (one: number | undefined, other: number | undefined): boolean =>
    one === undefined ? other === undefined : other === one + 1;
  return (
    sameLane &&
    last.seq !== undefined &&
    step(last.seq, next.seq) &&
    step(last.offset, next.offset) &&
    next.ackedAt === last.ackedAt &&
    next.detail === last.detail
  );
};

/** In the order given. */
export const exampleRuns = (examples: readonly Example[]): readonly ExampleRun[] => {
  const runs: ExampleRun[] = [];
  for (const example of examples) {
    const open = runs.at(-1);
    if (open !== undefined && follows(open, example))
      runs[runs.length - 1] = { ...open, last: example, count: open.count + 1 };
    else runs.push({ first: example, last: example, count: 1 });
  }
  return runs;
};

/** `950-965` of one of a run's numbers; undefined where it has none. */
export const spanOf = ({ first, last }: ExampleRun, key: 'seq' | 'offset'): string | undefined => {
  const from = first[key];
  const to = last[key];
  return from === undefined || to === undefined ? undefined : rangeText({ first: from, last: to });
};
