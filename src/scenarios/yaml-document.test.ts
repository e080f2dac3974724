import { expect, test } from 'vitest';
import { readYaml } from './yaml-document.ts';

const told = (text: string): readonly string[] => readYaml('x.yaml', text).problems.map((one) => one.describe());

test.each([
  ['a second document', 'a: 1\n---\nb: 2\n', /^YAML_SYNTAX x.yaml:2:1 — A file holds one scenario or one target/],
  ['an unknown alias', 'a: 1\nb: *gone\n', /^YAML_ODD x.yaml:2:4 — There is no anchor "&gone"/],
  ['an alias of itself', 'a: &a [1, *a]\n', /^YAML_ODD x.yaml:1:11 — "\*a" stands within what it is an alias of/],
  ['a key that is a list', '? [a]\n: 1\n', /^YAML_ODD x.yaml:1:3 — A key must be a word/],
  ['a key that is a number', 'a: 1\n7: 2\n', /^YAML_ODD x.yaml:2:1 — A key must be a word/],
  ['a number with a leading zero', 'a: 017\n', /^YAML_ODD x.yaml:1:4 — 017 is octal to some/],
  ['a key twice', 'a: 1\na: 2\n', /^YAML_SYNTAX x.yaml:2:1 — Map keys must be unique/],
  ['a tag that means nothing here', 'a: !foo 1\n', /^YAML_SYNTAX x.yaml:1:4 — Unresolved tag: !foo/],
  ['an empty file', '', /^YAML_EMPTY x.yaml:1:1 — The file is empty\. Begin with/],
  ['a file of comments', '# nothing\n', /^YAML_EMPTY x.yaml:1:1/],
])('%s is told once, in a sentence, at its place', (_, text, expected) => {
  expect(told(text)).toEqual([expect.stringMatching(expected)]);
});

test('aliases that unfold without end are refused', () => {
  const row = (name: string, of: string): string => `${name}: &${name} [${`*${of},`.repeat(50)}]\n`;
  const bomb = `a: &a [x, x]\n${row('b', 'a')}${row('c', 'b')}${row('d', 'c')}`;
  expect(told(bomb)).toEqual([expect.stringMatching(/^YAML_ALIASES x.yaml:1:1 — .*unfold/)]);
});

test('tabs are told, not everything that stands in the wrong column behind it', () => {
  expect(told('a:\n\tb: 1\n  c: 2\nd: 3\n')).toEqual([
    expect.stringMatching(/^YAML_SYNTAX x.yaml:2:1 — Tabs are not allowed as indentation\. Use spaces/),
  ]);
});

test.each([
  ['a byte order mark', '\ufeffa: 1\nb: {c: d}\n'],
  ['line ends of another system', 'a: 1\r\nb: {c: d}\r\n'],
  ['an anchor that is used after it', 'a: &one 1\nb: {c: d}\n'],
])('%s changes nothing', (_, text) => {
  const document = readYaml('x.yaml', text);
  expect(document.problems).toEqual([]);
  expect(document.data).toEqual({ a: 1, b: { c: 'd' } });
  expect(document.placeOf(['b', 'c'])).toEqual({ file: 'x.yaml', line: 2, column: 8 });
});
