// The published JSON Schemas are generated; this fails when they lag behind. `npm run docs` writes them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { jsonSchemas } from '../src/scenarios/json-schema.ts';

const folder = resolve(import.meta.dirname, '..', 'schema');

test.each(Object.entries(jsonSchemas()))('schema/%s is what the loader accepts', (name, schema) => {
  const text = `${JSON.stringify(schema, null, 2)}\n`;
  if (process.env['ACKPROOF_WRITE_DOCS'] === '1') {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
});
