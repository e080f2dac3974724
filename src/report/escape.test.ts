import { expect, test } from 'vitest';
import { capped, markdownText, markupText, safeJson, visible } from './escape.ts';

test('what would act is shown as its number; what is read stays as it is', () => {
  expect(visible('a\u001b[31mb\r\n\u202e\u{e0041}\ud800')).toBe('a\\u001b[31mb\\u000d\\u000a\\u202e\\u{e0041}\\ud800');
  expect(visible('größe ≤ 5 µs, 日本, 🙂')).toBe('größe ≤ 5 µs, 日本, 🙂');
});

test('markup is text, in content and in attributes', () => {
  expect(markupText('<a href="x" title=\'y\'>&]]>')).toBe('&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;]]&gt;');
});

test('Markdown is text', () => {
  expect(markdownText('# *a* [b](c) `d` <e> | f')).toBe('\\# \\*a\\* \\[b\\](c) \\`d\\` &lt;e&gt; \\| f');
});

test('a long text is cut between characters and says how long it was', () => {
  expect(capped('x'.repeat(1_000_000))).toBe(`${'x'.repeat(2000)}… (1000000 characters in all)`);
  expect(capped('ab🙂cd', 3)).toBe('ab… (6 characters in all)');
  expect(capped('short')).toBe('short');
});

test('JSON keeps every text and shows no character that acts', () => {
  const value = { 'k\u009b': '</script>&\u202e\u2028\u{e0041}\ufeff', plain: 'ü\n' };
  const json = safeJson(value);
  expect(JSON.parse(json)).toEqual(value);
  expect(json).not.toMatch(/[\u007f-\u009f\u2028\u202e\ufeff<>&]|\u{e0041}/u);
});
