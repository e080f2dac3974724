// docs/reference.md is generated; this fails when it lags behind the registries. `npm run docs` writes it.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { referencePage } from './support/reference-page.ts';

const file = resolve(import.meta.dirname, '..', 'docs', 'reference.md');

test('docs/reference.md names what the registries have', async () => {
  const page = await referencePage();
  if (process.env['ACKPROOF_WRITE_DOCS'] === '1') writeFileSync(file, page);
  expect(readFileSync(file, 'utf8')).toBe(page);
});
