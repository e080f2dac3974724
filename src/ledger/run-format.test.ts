import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exportRun } from './export-run.ts';
import { assertRunNotNewer } from './run-format.ts';
import { RUN_RECORD_FORMAT } from './run-record.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-format-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const record = (text: string): string => {
  writeFileSync(join(folder, 'run.json'), text);
  return folder;
};

test('a run of a newer version is refused, also for its export', async () => {
  record(JSON.stringify({ formatVersion: RUN_RECORD_FORMAT + 1 }));
  expect(() => assertRunNotNewer(folder)).toThrow(/newer ackproof \(format 2\)/);
  await expect(exportRun(folder).next()).rejects.toMatchObject({ code: 'RUN_FROM_NEWER_VERSION', kind: 'input' });
});

test.each([JSON.stringify({ formatVersion: RUN_RECORD_FORMAT }), '{', '[]', 'null', '{}'])(
  'a run.json of %s is not newer as far as is known',
  (text) => {
    expect(() => assertRunNotNewer(record(text))).not.toThrow();
  },
);
