// report.json is what its published JSON Schema says; the schema file is generated here and must not lag behind.
// `npm run docs` writes it.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { renderJson } from '../../src/report/json.ts';
import { reportSchema } from './report-schema.ts';
import { BROKEN, SAMPLES } from './sample-models.ts';

const file = resolve(import.meta.dirname, '..', '..', 'schema', 'report.schema.json');

test('schema/report.schema.json is the shape of report.json', () => {
  const schema = z.toJSONSchema(reportSchema, { target: 'draft-7', reused: 'inline' });
  const written = `${JSON.stringify(schema, null, 2)}\n`;
  if (process.env['ACKPROOF_WRITE_DOCS'] === '1') writeFileSync(file, written);
  expect(readFileSync(file, 'utf8')).toBe(written);
});

test.each(Object.entries({ ...SAMPLES, broken: BROKEN }))(
  'report.json of a run that ends as %s has that shape',
  (_name, model) => {
    const read: unknown = JSON.parse(renderJson(model));
    expect(reportSchema.safeParse(read).error).toBeUndefined();
  },
);

test('a report with a field nobody was told of does not', () => {
  expect(reportSchema.safeParse({ ...SAMPLES.pass, more: 1 }).success).toBe(false);
});
