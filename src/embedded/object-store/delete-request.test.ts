import { describe, expect, test } from 'vitest';
import { parseDeleteRequest } from './delete-request.ts';

const parse = (document: string) => parseDeleteRequest(Buffer.from(document));

const refusal = (document: string): string => {
  try {
    parse(document);
  } catch (thrown) {
    return (thrown as { s3Code: string }).s3Code;
  }
  return 'accepted';
};

describe('a list of keys to delete', () => {
  test('is read in its order, references turned back into characters, unknown ones left alone', () => {
    const keys = ['<Object><Key>a&amp;b</Key></Object>', '<Object> <Key>&#60;&#x1f600;&nope;</Key>\n</Object>'];
    expect(parse(`<?xml version="1.0"?>\n<Delete xmlns="x">${keys.join('')}<Quiet>true</Quiet></Delete>`)).toEqual({
      entries: [{ key: 'a&b' }, { key: '<\u{1f600}&nope;' }],
      quiet: true,
    });
    expect(parse(`<Delete>${keys[0]}</Delete>`).quiet).toBe(false);
  });

  test('that is empty, too long or something else is refused', () => {
    expect(refusal('')).toBe('MalformedXML');
    expect(refusal('<Delete></Delete>')).toBe('MalformedXML');
    expect(refusal('<Other><Object><Key>a</Key></Object></Other>')).toBe('MalformedXML');
    expect(refusal('<Delete><Object><Name>a</Name></Object></Delete>')).toBe('MalformedXML');
    expect(refusal(`<Delete>${'<Object><Key>a</Key></Object>'.repeat(1001)}</Delete>`)).toBe('MalformedXML');
  });

  test('may name the versions that are meant by their ETags', () => {
    const entry = '<Object><ETag>&quot;e&quot;</ETag><Key>a</Key></Object>';
    expect(parse(`<Delete>${entry}</Delete>`).entries).toEqual([{ key: 'a', etag: '"e"' }]);
  });

  test('with another condition or a version is refused, not deleted without it', () => {
    expect(refusal('<Delete><Object><Key>a</Key><Size>1</Size></Object></Delete>')).toBe('NotImplemented');
    expect(refusal('<Delete><Object><Key>a</Key><VersionId>v</VersionId></Object></Delete>')).toBe('NotImplemented');
  });
});
