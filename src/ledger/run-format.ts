// Whether a run directory can be read by this version at all. What a newer one wrote may mean something else, so it is refused.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../errors.ts';
import { RUN_RECORD_FORMAT } from './run-record.ts';

/** Throws InputError where `formatVersion`, as `file` says it, is newer than this version knows. */
export const assertNotNewer = (formatVersion: unknown, file: string): void => {
  if (typeof formatVersion !== 'number' || formatVersion <= RUN_RECORD_FORMAT) return;
  const message = `This run was written by a newer ackproof (format ${formatVersion}).`;
  const hint = 'Use that version or a later one.';
  throw new InputError('RUN_FROM_NEWER_VERSION', message, { place: { file }, hint });
};

/** The same for a directory; one whose run.json is not there or damaged is not newer as far as is known. */
export const assertRunNotNewer = (directory: string): void => {
  const file = join(directory, 'run.json');
  let record: unknown;
  try {
    record = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  } catch {
    return;
  }
  if (typeof record === 'object' && record !== null && 'formatVersion' in record) {
    assertNotNewer(record.formatVersion, file);
  }
};
