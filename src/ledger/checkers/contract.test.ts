// What every checker of the registry keeps, whatever it looks for: written once, run for all, alone and among the others, on the
// judged histories of test/cases and on generated ones.
import { readdirSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextHistory } from '../../../test/support/text-history.ts';
import { model, textOf, whole } from '../../../test/support/toy-log.ts';
import { judgeText } from '../judge.ts';
import type { Example, Finding, Judgement } from '../judgement.ts';
import type { Checker } from './checker.ts';
import { CHECKERS } from './registry.ts';

interface Case {
  readonly name: string;
  readonly text: string;
  /** What the case demands, one text for each finding. */
  readonly expected: readonly { readonly anomaly: string; readonly said: string }[];
}

type Said = Pick<Finding, 'anomaly' | 'legal' | 'topic' | 'partition' | 'count'>;

const saying = ({ anomaly, legal, topic, partition, count }: Said): string =>
  `${anomaly} ${legal ? 'legal' : 'illegal'} ${topic}/${partition} ×${count}`;

const CASES_FOLDER = new URL('../../../test/cases/', import.meta.url);

/** Every judged history but those that are refused as malformed. */
const cases: readonly Case[] = readdirSync(CASES_FOLDER)
  .filter((file) => file.endsWith('.ndjson') && !file.startsWith('malformed-'))
  .map((file) => {
    const answer = readFileSync(new URL(file.replace('.ndjson', '.expected.json'), CASES_FOLDER), 'utf8');
    const { findings = [] } = JSON.parse(answer) as { findings?: readonly Said[] };
    return {
      name: file,
      text: readFileSync(new URL(file, CASES_FOLDER), 'utf8'),
      expected: findings.map((finding) => ({ anomaly: finding.anomaly, said: saying(finding) })),
    };
  });

const judgeWith = (text: string, ...checkers: readonly Checker[]): Judgement => judgeText(text, 'h', { checkers });

const findingsOf = (text: string, ...checkers: readonly Checker[]): readonly string[] =>
  judgeWith(text, ...checkers)
    .findings.map(saying)
    .sort();

/** Notes are no accusation: an unknown record may be there or not. */
const accusations = (text: string, checker: Checker): readonly Finding[] =>
  judgeWith(text, checker).findings.filter(({ severity }) => severity !== 'note');

/** One pass over both partitions, each record by itself: one is missing, one only in the first pass, some are damaged. */
const readBack = (history: TextHistory, pass: number, partitions: readonly number[]): void => {
  for (const partition of partitions) {
    for (let offset = 0; offset < 12; offset++) {
      const producer = `p${2 * Math.floor(offset / 3) + partition}`;
      if (producer === 'p0' && (offset === 1 || (offset === 2 && pass === 2))) continue;
      const checksum = producer === 'p2' ? { checksum: 'bad' } : {};
      history.read(pass, offset, offset % 3, 1, { partition, producer, ...checksum });
    }
    history.read(pass, 12, 0, 1, { partition, producer: `p${4 + partition}` });
    history.read(pass, 13, 0, 1, { partition, producer: 'nobody' });
    history.pass(pass, 0, 14, 'complete', { partition });
  }
};

/** Lanes that send at one moment and are answered at one moment: one refused, one without answer. */
const concurrent = (order: readonly number[]): string => {
  const lanes = order.map((lane) => ({ producer: `p${lane}`, partition: lane % 2, seq: 0, count: 3 }));
  const history = new TextHistory();
  for (const lane of lanes) history.line('send', { ...lane, at: 10 });
  for (const lane of lanes) {
    const { producer } = lane;
    const offset = 3 * Math.floor(Number(producer.slice(1)) / 2);
    if (producer === 'p3') history.line('error', { ...lane, at: 20, code: 10 });
    else if (producer !== 'p5') history.line('ack', { ...lane, at: 20, offset });
  }
  for (const pass of [1, 2]) readBack(history, pass, order[0] === 0 ? [0, 1] : [1, 0]);
  return history.text;
};

const LANES = [0, 1, 2, 3, 4, 5, 6, 7];

interface Line {
  readonly t: string;
  readonly topic?: string;
  readonly producer?: string;
  readonly incarnation?: number;
  readonly seq?: number;
  readonly count?: number;
  readonly offset?: number;
  readonly latest?: number;
  readonly position?: number;
  readonly epoch?: number;
  readonly id?: { readonly producer: string; readonly incarnation?: number; readonly seq: number };
}

/** Whether a history holds what an example points to: the record by its name, or else the offset. */
const isThere = (lines: readonly Line[], { producer, incarnation = 0, seq, offset }: Example): boolean => {
  if (producer === undefined) {
    const highest = lines.map((line) => Math.max(line.latest ?? 0, line.position ?? 0, (line.offset ?? 0) + 1));
    return offset !== undefined && offset >= 0 && offset <= Math.max(...highest);
  }
  return lines.some((line) => {
    const named = line.id ?? line;
    const { seq: first = Number.NaN } = named;
    const isSame = named.producer === producer && (named.incarnation ?? 0) === incarnation;
    return isSame && seq !== undefined && first <= seq && seq < first + (line.count ?? 1);
  });
};

describe.each(CHECKERS.map((checker) => ({ kind: checker.kind, checker })))('$kind', ({ checker }) => {
  const detects: readonly string[] = checker.detects;

  it('finds alone, in every judged history, what the case demands of it and nothing else', () => {
    for (const { name, text, expected } of cases) {
      const own = expected.filter(({ anomaly }) => detects.includes(anomaly)).map(({ said }) => said);
      expect(findingsOf(text, checker), name).toEqual(own.sort());
    }
  });

  it.each([...checker.detects])('finds %s where it was planted', (anomaly) => {
    const planted = cases.filter(({ expected }) => expected.some((each) => each.anomaly === anomaly));
    expect(planted).not.toEqual([]);
  });

  it('accuses nobody of anything on generated logs that are correct', () => {
    fc.assert(
      fc.property(model, (made) => {
        const text = textOf(made, [...whole(made), ...whole(made, 2)]);
        expect(accusations(text, checker)).toEqual([]);
        expect(judgeWith(text, checker).verdict).toBe('pass');
      }),
      { numRuns: 50 },
    );
  });

  it('proves nothing by an empty history', () => {
    const judgement = judgeWith(new TextHistory().text, checker);
    expect(judgement).toMatchObject({ verdict: 'inconclusive', findings: [] });
  });

  it('says the same in whatever order things that happened at once are written down', () => {
    const inOrder = findingsOf(concurrent(LANES), checker);
    fc.assert(
      fc.property(fc.shuffledSubarray(LANES, { minLength: LANES.length }), (order) => {
        expect(findingsOf(concurrent(order), checker)).toEqual(inOrder);
      }),
      { numRuns: 30 },
    );
  });

  it('leaves what it looks at as it was', () => {
    for (const { name, text } of cases) {
      const views: string[] = [];
      const look: Checker = {
        ...checker,
        check: (view) => views.push(inspect(view, { depth: 8, maxArrayLength: null })),
      };
      judgeWith(text, look, checker);
      const before = views.splice(0);
      judgeWith(text, checker, look);
      expect(views, name).toEqual(before);
    }
  });

  it('names for every finding at least one thing that the history holds', () => {
    for (const { name, text } of cases) {
      const lines = text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => JSON.parse(line) as Line);
      for (const { anomaly, examples, count } of judgeWith(text, checker).findings) {
        expect(examples.length, `${name}: ${anomaly}`).toBeGreaterThan(0);
        expect(examples.length, `${name}: ${anomaly}`).toBeLessThanOrEqual(count);
        const missing = examples.filter((example) => !isThere(lines, example));
        expect(missing, `${name}: ${anomaly}`).toEqual([]);
      }
    }
  });
});

it('the checkers say together, in either order, what each of them says alone', () => {
  for (const { name, text } of cases) {
    const alone = CHECKERS.flatMap((checker) => findingsOf(text, checker)).sort();
    expect(findingsOf(text, ...CHECKERS), name).toEqual(alone);
    expect(findingsOf(text, ...[...CHECKERS].reverse()), name).toEqual(alone);
  }
});

it('what happened at once in those tests is enough for most checkers to find something', () => {
  const silent = CHECKERS.filter((checker) => findingsOf(concurrent(LANES), checker).length === 0);
  expect(silent.map(({ kind }) => kind)).toEqual(['inconsistent-offset', 'order']);
});
