import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readPriceFile } from './price-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'ackproof-prices-'));
afterAll(() => rmSync(folder, { recursive: true }));

const written = (text: string): string => {
  const file = join(folder, 'prices.yaml');
  writeFileSync(file, `apiVersion: ackproof/v1\nkind: prices\n${text}`);
  return file;
};

test('a price file says what it says, and no price is made up', () => {
  const prices = readPriceFile(written('currency: EUR\nper1000Requests: {PutObject: 0.005}\n'));
  expect(prices).toMatchObject({ currency: 'EUR', per1000Requests: { PutObject: 0.005 } });
  expect(prices.perGiB).toEqual({ toStore: 0, fromStore: 0 });
  expect(prices.perGiBMonth).toBeUndefined();
});

test('the price file that the documents show can be read', () => {
  const page = readFileSync(resolve(import.meta.dirname, '..', '..', 'docs', 'object-evidence.md'), 'utf8');
  const shown = /```yaml\n(.*?)```/su.exec(page)?.[1] ?? '';
  const file = join(folder, 'shown.yaml');
  writeFileSync(file, shown);
  expect(readPriceFile(file)).toMatchObject({ currency: 'EUR', perGiBMonth: 0.023 });
});

test('a mistake in it is told with its place', () => {
  expect(() => readPriceFile(written('currency: EUR\nper1000Request: {}\n'))).toThrow(
    /unknown key "per1000Request".*per1000Requests/s,
  );
  expect(() => readPriceFile(written('currency: EUR\nperGiBMonth: -1\n'))).toThrow(/perGiBMonth/);
  expect(() => readPriceFile(join(folder, 'none.yaml'))).toThrow(/price file/);
});
