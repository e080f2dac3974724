import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareKeys, SortedKeys } from './key-order.ts';
import { type ListRequest, listPage, type PagePosition, positionOf, tokenOf } from './listing.ts';

const key = fc.string({ unit: fc.constantFrom('a', 'b', '/', 'é'), minLength: 1, maxLength: 6 });

/** All pages, as a client reads them: by the token of the page before. */
const readAll = (keys: SortedKeys, request: ListRequest): { keys: string[]; commonPrefixes: string[] } => {
  const all = { keys: [] as string[], commonPrefixes: [] as string[] };
  let after: PagePosition | undefined;
  for (;;) {
    const page = listPage(keys, { ...request, ...(after === undefined ? {} : { after }) });
    expect(page.keys.length + page.commonPrefixes.length).toBeLessThanOrEqual(request.maxKeys);
    all.keys.push(...page.keys);
    all.commonPrefixes.push(...page.commonPrefixes);
    if (page.next === undefined) return all;
    after = positionOf(tokenOf(page.next));
  }
};

describe('a listing', () => {
  test('read in pages of any size shows every key and common prefix once, in order', () => {
    const delimiters = fc.constantFrom('', '/', 'ab');
    fc.assert(
      fc.property(
        fc.uniqueArray(key),
        key,
        delimiters,
        fc.integer({ min: 1, max: 4 }),
        (names, prefix, delimiter, maxKeys) => {
          const matching = names.filter((name) => name.startsWith(prefix)).sort(compareKeys);
          const cut = (name: string): number => (delimiter === '' ? -1 : name.indexOf(delimiter, prefix.length));
          const rolled = matching.filter((name) => cut(name) >= 0);
          const expected = {
            keys: matching.filter((name) => cut(name) < 0),
            commonPrefixes: [...new Set(rolled.map((name) => name.slice(0, cut(name) + delimiter.length)))],
          };
          expect(readAll(new SortedKeys(names), { prefix, delimiter, maxKeys })).toEqual(expected);
        },
      ),
      { seed: 4 },
    );
  });

  test('of zero keys is one empty, last page', () => {
    const page = listPage(new SortedKeys(['a']), { prefix: '', delimiter: '', maxKeys: 0 });
    expect(page).toEqual({ keys: [], commonPrefixes: [] });
  });

  test('refuses a token that is not its own', () => {
    expect(positionOf('nonsense')).toBeUndefined();
    expect(positionOf(Buffer.from('["key"]').toString('base64url'))).toBeUndefined();
  });
});
