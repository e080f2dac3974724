import { expect, test } from 'vitest';
import { z } from 'zod';
import { durationField } from '../faults/unit-fields.ts';
import { parseDocumentWith } from './schema-problems.ts';
import { readYaml } from './yaml-document.ts';

const schema = z.strictObject({
  version: z.literal('v1').default('v1'),
  count: z.int().min(1).max(100).default(1),
  name: z.string().max(5).default('x'),
  list: z.array(z.string()).min(1).default(['x']),
  wait: durationField({ max: '1h' }).prefault('1s'),
  kind: z.enum(['red', 'green']).default('red'),
});

const told = (text: string, by: z.ZodType = schema): readonly string[] => {
  const parsed = parseDocumentWith(readYaml('x.yaml', text), by, 'X');
  return 'problems' in parsed ? parsed.problems.map((one) => one.describe()) : [];
};

test.each([
  ['count: .nan', 'X_INVALID x.yaml:1:8 — count: expected a number, found .nan, which is no number.'],
  ['count: .inf', 'X_INVALID x.yaml:1:8 — count: expected a number, found Infinity.'],
  ['count: 1.5', 'X_INVALID x.yaml:1:8 — count: expected a whole number, found 1.5.'],
  ['count: 1e3', 'X_INVALID x.yaml:1:8 — count: 1000 is too much; at most 100 may be written here.'],
  ['count: 0', 'X_INVALID x.yaml:1:8 — count: 0 is too little; at least 1 must be written here.'],
  ['count: ~', 'X_INVALID x.yaml:1:8 — count: expected a number, found nothing.'],
  ['count: 2026-11-29', 'X_INVALID x.yaml:1:8 — count: expected a number, found "2026-11-29".'],
  ['count: &a [b, c]', 'X_INVALID x.yaml:1:11 — count: expected a number, found a list.'],
  ['count: {a: 1}', 'X_INVALID x.yaml:1:8 — count: expected a number, found a mapping.'],
  ['count: !!binary aGVsbG8=', 'X_INVALID x.yaml:1:17 — count: expected a number, found a mapping.'],
  ['name: longer', 'X_INVALID x.yaml:1:7 — name: 6 characters is too much; at most 5 characters may be written here.'],
  [
    'name: 256',
    'X_INVALID x.yaml:1:7 — name: expected a string, found 256. Write it in quotes if that is meant: "256".',
  ],
  ['name: [1]', 'X_INVALID x.yaml:1:7 — name: expected a string, found a list.'],
  ['list: []', 'X_INVALID x.yaml:1:7 — list: 0 entries is too little; at least 1 entries must be written here.'],
  ['kind: gren', 'X_INVALID x.yaml:1:7 — kind: "gren" is not allowed here. Did you mean "green"? Known: green, red.'],
  ['kind: .nan', 'X_INVALID x.yaml:1:7 — kind: .nan, which is no number is not allowed here. Allowed: red, green.'],
  ['version: v2', 'X_INVALID x.yaml:1:10 — version: "v2" is not allowed here. Did you mean "v1"? Known: v1.'],
])('%s is refused in a sentence that shows what was found', (text, expected) => {
  expect(told(text)).toEqual([expected]);
});

test('a number beyond every limit is one mistake, not one for each limit', () => {
  expect(told('count: 123456789012345678901234567890')).toHaveLength(1);
});

test('a value that is missing is told with what belongs there', () => {
  expect(told('{}', z.strictObject({ version: z.literal('v1') }))).toEqual([
    'X_INVALID x.yaml:1:1 — version: missing. Write v1.',
  ]);
});

test('a long text is shown by its beginning', () => {
  expect(told(`count: ${'long '.repeat(100)}`).join('').length).toBeLessThan(150);
});

test.each(['.nan', '.inf', '{a: 1}', '[1]', '~', 'true', '5', '1e3'])(
  'a duration of %s is refused in words',
  (text) => {
    const [problem = ''] = told(`wait: ${text}`);
    expect(problem).toMatch(/^X_INVALID x.yaml:1:7 — wait: /);
    expect(problem).not.toMatch(/null|undefined|\[object/);
  },
);
