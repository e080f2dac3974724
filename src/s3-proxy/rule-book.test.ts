// Which requests rules act on, and until when: no sockets, and a clock that a test turns.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../test/faults/virtual-clock.ts';
import type { Grant } from './grant.ts';
import { RuleBook } from './rule-book.ts';
import type { RuleSpec } from './rule-schema.ts';
import type { S3Request } from './s3-operation.ts';

const bookOf = (clock = new VirtualClock(), seed = 1): RuleBook =>
  new RuleBook({ listeners: ['data', 'wal'], seed, clock });

const request = (key = 'k', more: Partial<S3Request> = {}): S3Request => ({
  method: 'PUT',
  op: 'PutObject',
  bucket: 'b',
  key,
  resource: `/b/${key}`,
  partNumber: undefined,
  payloadBytes: 5,
  ...more,
});

const rule = (id: string, more: Partial<RuleSpec> = {}): RuleSpec => ({
  id,
  ttlMs: 1000,
  action: { kind: 'status', status: 503 },
  ...more,
});

/** Which of `requests` the book acts on, each dealt with at once. */
const actedOn = (book: RuleBook, requests: readonly S3Request[], listener = 'data'): readonly boolean[] =>
  requests.map((each) => {
    const grant = book.decide(each, listener)?.grant;
    grant?.act();
    grant?.close();
    return grant !== undefined;
  });

const times = (count: number, of = request()): readonly S3Request[] => Array.from({ length: count }, () => of);

describe('a match', () => {
  test.each([
    [{}, true],
    [{ listener: 'data' }, true],
    [{ listener: 'wal' }, false],
    [{ method: 'PUT' }, true],
    [{ method: 'GET' }, false],
    [{ op: 'PutObject' }, true],
    [{ op: 'UploadPart' }, false],
    [{ keyPrefix: 'a/' }, true],
    [{ keyPrefix: 'b' }, false],
    [{ keyGlob: '*/wal/*' }, true],
    [{ keyGlob: 'wal/*' }, false],
    [{ minBytes: 5, maxBytes: 5 }, true],
    [{ minBytes: 6 }, false],
    [{ maxBytes: 4 }, false],
    [{ op: 'PutObject', keyPrefix: 'a/', keyGlob: '*/wal/*', minBytes: 1 }, true],
    [{ op: 'PutObject', keyPrefix: 'x/', keyGlob: '*/wal/*' }, false],
  ] as const)('%j: %j', (match, isMatch) => {
    const book = bookOf();
    book.add(rule('one', { match }));
    expect(actedOn(book, [request('a/wal/1')])).toEqual([isMatch]);
    expect(book.counters()['one']?.matched).toBe(isMatch ? 1 : 0);
  });

  test('of a size is none where the request tells none', () => {
    const book = bookOf();
    book.add(rule('one', { match: { maxBytes: 10 } }));
    expect(actedOn(book, [request('k', { payloadBytes: undefined })])).toEqual([false]);
  });
});

describe('a limit', () => {
  test('count: so many, and no more', () => {
    const book = bookOf();
    book.add(rule('one', { count: 2 }));
    expect(actedOn(book, times(4))).toEqual([true, true, false, false]);
    expect(book.counters()['one']).toMatchObject({ matched: 4, acted: 2, held: 0 });
  });

  test('perKey: each key’s first, each part’s too, and the retries get through', () => {
    const book = bookOf();
    book.add(rule('one', { perKey: 1 }));
    const part = (partNumber: string): S3Request => request('a', { op: 'UploadPart', partNumber });
    const requests = [request('a'), request('a'), request('b'), part('1'), part('2'), part('1')];
    expect(actedOn(book, requests)).toEqual([true, false, true, true, true, false]);
  });

  test('afterMatches: so many pass first', () => {
    const book = bookOf();
    book.add(rule('one', { afterMatches: 2, count: 1 }));
    expect(actedOn(book, times(5))).toEqual([false, false, true, false, false]);
  });

  test('gives its place back where nothing came of it', () => {
    const book = bookOf();
    book.add(rule('one', { count: 1, perKey: 1 }));
    book.decide(request(), 'data')?.grant.close();
    expect(actedOn(book, times(2))).toEqual([true, false]);
  });

  test('counts those in flight: two at once are not one too many', () => {
    const book = bookOf();
    book.add(rule('one', { count: 1 }));
    expect(
      [book.decide(request(), 'data'), book.decide(request(), 'data')].map((found) => found !== undefined),
    ).toEqual([true, false]);
    expect(book.counters()['one']).toMatchObject({ matched: 2, acted: 0, held: 1 });
  });

  test('percent: the same seed and matches decide the same, whatever the keys and the rule’s name; other seeds do not', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 1, max: 99 }),
        fc.array(fc.string(), { maxLength: 5 }),
        (seed, percent, keys) => {
          const [once, again] = [bookOf(undefined, 1), bookOf(undefined, 2)];
          once.add(rule('one', { percent, seed }));
          again.add(rule('another', { percent, seed }));
          const requests = times(200);
          const other = requests.map((each, index) => ({ ...each, key: keys[index % 5] ?? 'k' }));
          expect(actedOn(once, requests)).toEqual(actedOn(again, other));
        },
      ),
    );
    const decided = [1, 2].map((seed) => {
      const book = bookOf(undefined, seed);
      book.add(rule('one', { percent: 50 }));
      return actedOn(book, times(1000));
    });
    expect(decided[0]).not.toEqual(decided[1]);
    for (const each of decided) {
      const share = each.filter(Boolean).length;
      expect(share).toBeGreaterThan(400);
      expect(share).toBeLessThan(600);
    }
  });
});

test('notKeyPrefix leaves keys alone that begin so, whatever else matches', () => {
  const book = bookOf();
  book.add(rule('one', { match: { keyGlob: '*', notKeyPrefix: 'canary/' } }));
  const [ask] = times(1);
  expect(
    actedOn(book, [
      { ...ask!, key: 'canary/1' },
      { ...ask!, key: 'data/canary/1' },
    ]),
  ).toEqual([false, true]);
});

describe('several rules', () => {
  test('are asked in the order in which they came, and the first that acts decides', () => {
    const book = bookOf();
    book.add(rule('first', { count: 1 }));
    book.add(rule('second', { action: { kind: 'hang' } }));
    const kinds = times(3).map((each) => book.decide(each, 'data')?.action.kind);
    expect(kinds).toEqual(['status', 'hang', 'hang']);
    expect(book.counters()).toMatchObject({ first: { matched: 3 }, second: { matched: 2 } });
  });
});

describe('the end of a rule', () => {
  test('comes by itself, and whatever it holds is told', async () => {
    const clock = new VirtualClock();
    const book = bookOf(clock);
    book.add(rule('one'));
    const held = book.decide(request(), 'data')?.grant as Grant;
    await clock.run(clock.sleep(999));
    expect([held.ended.aborted, book.counters()['one']]).toEqual([
      false,
      expect.objectContaining({ state: 'active', expiresInMs: 1 }),
    ]);
    await clock.run(clock.sleep(2));
    expect([held.ended.aborted, book.list(), book.held]).toEqual([true, [], 1]);
    expect(book.counters()['one']).toMatchObject({ state: 'expired', expiresInMs: 0, held: 1 });
    expect(actedOn(book, times(1))).toEqual([false]);
  });

  test('by order: its counters stay, and its id is free', () => {
    const book = bookOf();
    book.add(rule('one'));
    actedOn(book, times(2));
    expect([book.remove('one'), book.remove('one')]).toEqual([true, false]);
    expect(book.counters()['one']).toMatchObject({ state: 'removed', acted: 2 });
    book.add(rule('one'));
    expect(book.counters()['one']).toMatchObject({ state: 'active', acted: 0 });
  });

  test('drain: waits for what is held, and breaks off what does not end in time', async () => {
    const clock = new VirtualClock();
    const book = bookOf(clock);
    book.add(rule('one'));
    const [obeys, stays] = times(2).map((each) => book.decide(each, 'data')?.grant as Grant);
    obeys?.ended.addEventListener('abort', () => void clock.sleep(100).then(() => obeys.close()));
    stays!.cut = () => stays?.close();
    expect(await clock.run(book.drain(500))).toEqual({ endedRules: 1, letGo: 1, cut: 1 });
    expect(clock.now()).toBeGreaterThanOrEqual(500);
    expect(book.held).toBe(0);
  });

  test('drain of nothing is over at once', async () => {
    expect(await bookOf().drain(5000)).toEqual({ endedRules: 0, letGo: 0, cut: 0 });
  });

  test('drain says so where something cannot be broken off', async () => {
    const clock = new VirtualClock();
    const book = bookOf(clock);
    book.add(rule('one'));
    book.decide(request(), 'data');
    await expect(clock.run(book.drain(0))).rejects.toMatchObject({ code: 'S3_PROXY_NOT_DRAINED' });
  });
});

describe('a rule that cannot be', () => {
  const status = { kind: 'status', status: 503 };
  test.each([
    ['without an end', { ttlMs: undefined }, 'ttlMs'],
    ['with no life', { ttlMs: 0 }, 'ttlMs'],
    ['that lives too long', { ttlMs: 90_000_000 }, 'ttlMs'],
    ['without a name', { id: undefined }, 'id'],
    ['with a name for nobody', { id: 'A b' }, 'id'],
    ['with a field that is none', { ttl: 5 }, '"ttl"'],
    ['with a condition that is none', { match: { keyprefix: 'x' } }, '"keyprefix"'],
    ['with an operation that is none', { match: { op: 'ListObjects' } }, 'match.op'],
    ['with a listener that is none', { match: { listener: 'other' } }, 'No listener is named "other"'],
    ['with sizes that exclude each other', { match: { minBytes: 2, maxBytes: 1 } }, 'minBytes is more than maxBytes'],
    ['without an action', { action: undefined }, 'action'],
    ['with an action that is none', { action: { kind: 'explode' } }, 'action'],
    ['with a field its action does not have', { action: { ...status, after: 5 } }, '"after"'],
    ['with another status', { action: { kind: 'status', status: 418 } }, 'action.status'],
    ['that delays nothing', { action: { kind: 'delay' } }, 'beforeMs, afterMs or both'],
    ['that corrupts without a word', { action: { kind: 'corrupt', offsetBytes: 0, countBytes: 1 } }, 'allow'],
    ['that truncates without a word', { action: { kind: 'truncate', bytes: 0, length: 'keep' } }, 'allow'],
    [
      'that measures uploads and cuts downloads',
      { match: { minBytes: 1 }, action: { kind: 'truncate', bytes: 0, length: 'keep', allow: 'corrupt' } },
      'minBytes and maxBytes measure what a request brings',
    ],
    ['that drops with a status', { action: { kind: 'late-forward', afterMs: 1, reply: 'drop', status: 500 } }, 'reply'],
    ['that acts on no request', { count: 0 }, 'count'],
    ['that acts on more than all', { percent: 101 }, 'percent'],
  ])('%s is refused, and why is said', (_, part, said) => {
    const document = { id: 'one', ttlMs: 1000, action: status, ...part };
    expect(() => bookOf().add(document)).toThrow(said);
  });

  test('a second one of the same name is refused', () => {
    const book = bookOf();
    book.add(rule('one'));
    expect(() => book.add(rule('one'))).toThrow('in force already');
  });
});
