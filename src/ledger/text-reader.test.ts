import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextHistory } from '../../test/support/text-history.ts';
import { InputError } from '../errors.ts';
import { readText } from './text-reader.ts';

const problem = (text: string): string => {
  try {
    readText(text, 'h.ndjson');
  } catch (thrown) {
    if (thrown instanceof InputError) return thrown.describe();
    throw thrown;
  }
  return 'no problem';
};

const good = new TextHistory().acked(0, 4, 0).read(1, 0, 0, 4).pass(1, 0, 4).text;
const header = `${good.split('\n')[0] ?? ''}\n`;
const send = '{"t":"send","at":1,"producer":"p","partition":0,"seq":0,"count":4}\n';

describe('the text reader', () => {
  it('reads a history, with and without a last line feed', () => {
    expect(problem(good)).toBe('no problem');
    expect(problem(good.trimEnd())).toBe('no problem');
  });

  it('names file and line of whatever is wrong', () => {
    expect(problem(`${good}{"t":"pass"}\n`)).toMatch(/^MALFORMED_HISTORY h\.ndjson:6 — the pass line lacks "pass"/u);
  });

  it.each([
    ['', 'The history is empty'],
    ['\n', 'The line is empty'],
    [send, 'The first line must be the history line'],
    ['[]\n', 'must be an object'],
    [
      '{"t":"history","version":2,"run":"r","contract":{},"topics":[]}\n',
      'has version 2; this ackproof reads version 1',
    ],
    [`${header}${header}`, 'second history line'],
    [`${header}\n`, 'The line is empty'],
    [`${header}{"t":"sned"}\n`, 'names no kind of line'],
    [`${header}{"t":"constructor"}\n`, 'names no kind of line'],
    [`${header}nonsense\n`, 'not JSON'],
    [`${header}{"t":"send","at":"1","producer":"p","partition":0,"seq":0}\n`, '"at" of the send line must be a number'],
    [`${header}{"t":"send","at":1,"producer":"p","partition":0,"seq":0.5}\n`, '"seq" of the send line must be'],
    [
      `${header}{"t":"send","at":1,"producer":"p","partition":0,"seq":0,"count":0}\n`,
      '"count" of the send line must be',
    ],
    [`${header}{"t":"send","at":1,"producer":"p","partition":7,"seq":0}\n`, 'has no partition 7'],
    [`${header}{"t":"send","at":1,"producer":"p","partition":0,"seq":0,"topic":"x"}\n`, 'has no topic "x"'],
    [`${header}${send}{"t":"send","at":2,"producer":"p","partition":0,"seq":3}\n`, 'Record 3 of producer p'],
    [`${header}${send}${send.replace('send', 'ack').replace('"count":4', '"count":5')}`, 'Record 4 of producer p'],
    [`${header}${send}${send.replace('send', 'ack')}${send.replace('send', 'error')}`, 'has an outcome already'],
    [`${header}${send}${send.replace('"at":1', '"at":0')}`, 'Time goes back'],
    [`${header}${send.replace('"seq":0', `"seq":${Number.MAX_SAFE_INTEGER}`)}`, '"seq" and "count" go beyond'],
    [
      `${header}${send}${send.replace('send', 'ack').replace('}', ',"offset":9007199254740990}')}`,
      '"offset" and "count" go beyond',
    ],
    [
      `${header}{"t":"read","pass":1,"partition":0,"offset":0,"count":2,"id":{"producer":"p","seq":9007199254740991}}\n`,
      '"seq" and "count" go beyond',
    ],
    [header.replace('"all"', '"most"'), '"acks" of the contract must be'],
    [
      header.replace('"minInSyncReplicas":2', '"allow":[{"anomaly":"lost-writes","because":"x"}]'),
      'Did you mean "lost-write"?',
    ],
  ])('refuses %j', (text, expected) => {
    expect(problem(text)).toContain(expected);
  });

  it.each([
    ['an empty text', good.replaceAll('"p1"', '""')],
    ['no attempt at all', `${header}${send}{"t":"error","at":2,"producer":"p","partition":0,"seq":0,"attempts":0}\n`],
    ['a record below offset 0', `${header}{"t":"read","pass":1,"partition":0,"offset":-1}\n`],
    ['a negative time', `${header}{"t":"harness","at":-1,"anomaly":"clock-jump","detail":""}\n`],
    [
      '−1 for every epoch and producer id',
      good.replaceAll('"count":4,"id"', '"count":4,"epoch":-1,"producerId":-1,"id"'),
    ],
  ])('takes %s as it stands', (_, text) => {
    expect(problem(text)).toBe('no problem');
  });

  it('joins one ack over several sends, and one send with several outcomes', () => {
    const record = { producer: 'p1', incarnation: 0, partition: 0 };
    const history = new TextHistory()
      .line('send', { ...record, seq: 0, count: 2 })
      .line('send', { ...record, seq: 2, count: 3 });
    history.line('ack', { ...record, seq: 1, count: 2, offset: 11 }).line('error', { ...record, seq: 4, code: 10 });
    const runs = readText(history.text, 'h').load('orders', 0).lanes[0]?.runs ?? [];
    expect(runs.map(({ seq, count, outcome, offset }) => [seq, count, outcome, offset])).toEqual([
      [0, 1, 'unknown', undefined],
      [1, 1, 'ok', 11],
      [2, 1, 'ok', 12],
      [3, 1, 'unknown', undefined],
      [4, 1, 'fail', undefined],
    ]);
  });

  it('answers every mutilated history with facts or with an InputError, never otherwise', () => {
    const lines = good.trimEnd().split('\n');
    const mutilated = fc
      .tuple(fc.nat(), fc.nat(), fc.string({ unit: 'binary', maxLength: 5 }), fc.nat(3))
      .map(([where, cut, put, keep]) => {
        const at = where % good.length;
        return good.slice(0, at) + put + good.slice(at + (cut % 8)) + (lines[keep] ?? '');
      });
    fc.assert(
      fc.property(mutilated, (text) => {
        problem(text);
      }),
      { numRuns: 3000 },
    );
  });

  it('answers every line of known fields and arbitrary values with facts or with an InputError', () => {
    const names = [
      't',
      'at',
      'producer',
      'partition',
      'seq',
      'count',
      'pass',
      'offset',
      'id',
      'from',
      'position',
      'end',
    ];
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom('send', 'ack', 'read', 'pass', 'complete', 0, 1, -1, 1e300),
    );
    const line = fc.dictionary(fc.constantFrom(...names), value).map((fields) => JSON.stringify(fields));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 4 }), (made) => {
        problem(header + send + made.join('\n'));
      }),
      { numRuns: 3000 },
    );
  });
});
