// Properties of the judge on histories of a correct toy log: they pass; one planted anomaly gives exactly what it is; names and
// the order of concurrent lines change nothing.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Line,
  type Model,
  model,
  passLine,
  readAll,
  type Stored,
  simulate,
  steps,
  textOf,
  whole,
} from '../../test/support/toy-log.ts';
import { judgeText } from './judge.ts';
import type { Judgement } from './judgement.ts';

const said = ({ verdict, findings }: Judgement) => ({
  verdict,
  findings: findings
    .filter(({ anomaly }) => anomaly !== 'recovered' && anomaly !== 'unknown-absent')
    .map(({ anomaly, legal, count }) => `${anomaly} ${legal ? 'legal' : 'illegal'} ×${count}`),
});

const RUNS = { numRuns: 100 };

/** An acknowledged record that is neither the first nor the last of the log. */
const middleAcked = ({ acks, log }: Model, pick: number): number => {
  const offsets = acks
    .flatMap(({ offset, count }) => Array.from({ length: count as number }, (_, each) => (offset as number) + each))
    .filter((offset) => offset > 0 && offset < log.length - 1);
  return offsets[pick % offsets.length] ?? -1;
};

const without = (log: readonly Stored[], offset: number): (Stored | undefined)[] =>
  log.map((stored, at) => (at === offset ? undefined : stored));

describe('a legal history', () => {
  it('passes, in one pass or in two', () => {
    fc.assert(
      fc.property(model, (made) => {
        expect(said(judgeText(textOf(made, whole(made))))).toEqual({ verdict: 'pass', findings: [] });
        expect(said(judgeText(textOf(made, [...whole(made), ...whole(made, 2)])))).toEqual({
          verdict: 'pass',
          findings: [],
        });
      }),
      RUNS,
    );
  });

  it('passes also where every unknown record is absent', () => {
    fc.assert(
      fc.property(steps, (made) => {
        const kept = simulate(made.map((one) => ({ ...one, unknown: false })));
        const ghost = { t: 'send', at: 1e6, producer: 'p9', partition: 0, seq: 0, count: 3 };
        const judgement = judgeText(textOf({ ...kept, sends: [...kept.sends, ghost] }, whole(kept)));
        expect(said(judgement)).toEqual({ verdict: 'pass', findings: [] });
      }),
      RUNS,
    );
  });
});

describe('one planted anomaly gives exactly that', () => {
  const planted = (
    plant: (made: Model, offset: number) => { reads: Line[]; model?: Model },
    expected: readonly string[],
  ) =>
    fc.assert(
      fc.property(model, fc.nat(), (made, pick) => {
        const offset = middleAcked(made, pick);
        fc.pre(offset > 0);
        const { reads, model: changed = made } = plant(made, offset);
        expect(said(judgeText(textOf(changed, reads)))).toEqual({ verdict: 'fail', findings: expected });
      }),
      RUNS,
    );

  it('a dropped record', () => {
    planted(
      ({ log }, offset) => ({ reads: [...readAll(1, without(log, offset)), passLine(1, log.length)] }),
      ['lost-write illegal ×1', 'offset-gap illegal ×1'],
    );
  });

  it('a cut tail', () => {
    fc.assert(
      fc.property(model, fc.nat(), (made, pick) => {
        const end = 1 + (pick % (made.log.length - 1));
        const acked = made.acks.flatMap(({ offset, count }) =>
          Array.from({ length: count as number }, (_, each) => (offset as number) + each),
        );
        const lost = acked.filter((offset) => offset >= end).length;
        fc.pre(lost > 0 && lost < acked.length);
        const reads = [...readAll(1, made.log.slice(0, end)), passLine(1, end)];
        expect(said(judgeText(textOf(made, reads)))).toEqual({
          verdict: 'fail',
          findings: [`lost-tail illegal ×${lost}`],
        });
      }),
      RUNS,
    );
  });

  it('a second copy', () => {
    planted(
      ({ log }, offset) => {
        const longer = [...log, log[offset] as Stored];
        return { reads: [...readAll(1, longer), passLine(1, longer.length)] };
      },
      ['duplicate illegal ×1'],
    );
  });

  it('a flipped byte', () => {
    planted(
      (made, offset) => ({
        reads: whole(made).map((line) => (line['offset'] === offset ? { ...line, checksum: 'bad' } : line)),
      }),
      ['corrupt-value illegal ×1'],
    );
  });

  it('a ghost', () => {
    planted(
      ({ log }) => {
        const longer = [...log, { producer: 'p0', seq: 1_000_000 }];
        return { reads: [...readAll(1, longer), passLine(1, longer.length)] };
      },
      ['phantom illegal ×1'],
    );
  });

  it('a record that only the first pass shows', () => {
    planted(
      (made, offset) => ({
        reads: [...whole(made), ...readAll(2, without(made.log, offset)), passLine(2, made.log.length)],
      }),
      ['divergent-route illegal ×1', 'offset-gap illegal ×1'],
    );
  });

  it('a record that only the second pass shows', () => {
    planted(
      (made, offset) => ({
        reads: [...readAll(1, without(made.log, offset)), passLine(1, made.log.length), ...whole(made, 2)],
      }),
      ['offset-gap illegal ×1', 'stale-read illegal ×1'],
    );
  });

  it('a poll that goes back by one', () => {
    planted(
      (made, offset) => {
        const reads = whole(made);
        const at = reads.findIndex((line) => line['offset'] === offset);
        return { reads: [...reads.slice(0, at + 1), reads[at] as Line, ...reads.slice(at + 1)] };
      },
      ['nonmonotonic-poll illegal ×1'],
    );
  });

  it('an acknowledged offset far above the log', () => {
    fc.assert(
      fc.property(model, (made) => {
        const last = made.acks.at(-1) as Line;
        const acks = [...made.acks.slice(0, -1), { ...last, offset: 1_000_000 }];
        const judgement = judgeText(textOf({ ...made, acks }, whole(made)));
        expect(said(judgement)).toEqual({
          verdict: 'fail',
          findings: [`ack-offset-mismatch illegal ×${last['count'] as number}`],
        });
      }),
      RUNS,
    );
  });
});

describe('what must not matter', () => {
  it('the names of producers', () => {
    fc.assert(
      fc.property(model, fc.nat(), (made, pick) => {
        const reads = [...readAll(1, without(made.log, middleAcked(made, pick))), passLine(1, made.log.length)];
        const plain = textOf(made, reads);
        const renamed = plain.replaceAll(/"p([0-3])"/gu, (_, index: string) => `"writer ${3 - Number(index)}"`);
        expect(said(judgeText(renamed))).toEqual(said(judgeText(plain)));
      }),
      RUNS,
    );
  });

  it('the order of acknowledgements that came at once, and of sends that left at once', () => {
    fc.assert(
      fc.property(model, fc.nat(), fc.boolean(), (made, pick, reversed) => {
        const offset = middleAcked(made, pick);
        const together = (lines: readonly Line[], at: number): Line[] => {
          const moved = lines.map((line) => ({ ...line, at }));
          return reversed ? moved.reverse() : moved;
        };
        const concurrent = { ...made, sends: together(made.sends, 0), acks: together(made.acks, 1) };
        const inOrder = {
          ...made,
          sends: made.sends.map((line) => ({ ...line, at: 0 })),
          acks: made.acks.map((line) => ({ ...line, at: 1 })),
        };
        const reads = [...readAll(1, without(made.log, offset)), passLine(1, made.log.length)];
        expect(said(judgeText(textOf(concurrent, reads)))).toEqual(said(judgeText(textOf(inOrder, reads))));
      }),
      RUNS,
    );
  });
});
