// Reads what a run directory says about itself. Everything here is foreign text until it has been checked: long texts are cut
// once, at this door, and a newer format is refused.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../errors.ts';
import type { TimelineLine } from '../ledger/history-lines.ts';
import { assertRunEntries } from '../ledger/run-entries.ts';
import { RUN_RECORD_FORMAT, type RunRecord } from '../ledger/run-record.ts';
import { capped } from './escape.ts';
import { runRecordSchema } from './run-record-schema.ts';

const RUN_FILE = 'run.json';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A copy in which no text is longer than a report can show. */
export const withShortTexts = <T>(value: T): T => {
  if (typeof value === 'string') return capped(value) as T;
  if (Array.isArray(value)) return value.map(withShortTexts) as T;
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [capped(key), withShortTexts(item)])) as T;
};

const notARun = (directory: string, why: string, cause?: unknown): InputError =>
  new InputError('NOT_A_RUN', `${directory} is not a run directory: ${why}.`, {
    hint: 'Give a directory that `ackproof run` wrote; it holds run.json.',
    ...(cause === undefined ? {} : { cause }),
  });

const parsed = (directory: string): Record<string, unknown> => {
  assertRunEntries(directory);
  const path = join(directory, RUN_FILE);
  if (!existsSync(path)) throw notARun(directory, `it has no ${RUN_FILE}`);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw notARun(directory, `its ${RUN_FILE} is not JSON`, cause);
  }
  if (!isRecord(value)) throw notARun(directory, `its ${RUN_FILE} is not an object`);
  return value;
};

/** Where a record is not of the shape it should have, and what is wrong there. */
const misshapen = (value: Record<string, unknown>): string | undefined => {
  const issue = runRecordSchema.safeParse(value).error?.issues[0];
  return issue && `${issue.path.join('.')}: ${issue.message}`;
};

/** `run.json`. Throws InputError when there is none, when it is not of the shape of one, or when a newer version of ackproof wrote it. */
export const readRunRecord = (directory: string): RunRecord => {
  const value = parsed(directory);
  const format = value['formatVersion'];
  if (typeof format !== 'number') throw notARun(directory, `its ${RUN_FILE} names no formatVersion`);
  if (format > RUN_RECORD_FORMAT) {
    throw new InputError(
      'RUN_TOO_NEW',
      `${directory} was written in format ${format}; this version of ackproof reads up to ${RUN_RECORD_FORMAT}.`,
      { hint: 'Use the version of ackproof that wrote it, or a newer one.' },
    );
  }
  const wrong = misshapen(value);
  if (wrong !== undefined) throw notARun(directory, `its ${RUN_FILE} is not of the shape of one (${capped(wrong)})`);
  return withShortTexts(value) as unknown as RunRecord;
};

/** The lines of a part's timeline that can be read; what is wrong with the others is the judge's to tell, not the report's. */
export const readTimelineLines = (directory: string): readonly TimelineLine[] => {
  const path = join(directory, 'timeline.ndjson');
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((text) => {
      try {
        const line: unknown = JSON.parse(text);
        return isRecord(line) && typeof line['t'] === 'string' && typeof line['at'] === 'number' ? [line] : [];
      } catch {
        return [];
      }
    })
    .map((line) => withShortTexts(line) as unknown as TimelineLine);
};
