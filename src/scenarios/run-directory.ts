// The run directory: its name, its creation, and run.json, which is written at the start, after the history is complete and
// after the judgement, so that a run that died can still be read.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Clock, isoTime } from '../clock.ts';
import { makeDirectory } from '../directories.ts';
import { EnvironmentError } from '../errors.ts';
import type { RunRecord } from '../ledger/run-record.ts';
import { freshHex } from '../random.ts';

export interface RunPlace {
  /** `2026-11-29T16-04-11Z-leader-kill-7f3a`; also the name of the directory. */
  readonly runId: string;
  /** Absolute. */
  readonly directory: string;
}

/** Makes the directory of a new run below `out`. Throws EnvironmentError when it cannot. */
export const createRunDirectory = (out: string, scenario: string, clock: Clock): RunPlace => {
  const stamp = isoTime(clock.wall())
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-');
  const runId = `${stamp}-${scenario}-${freshHex(4)}`;
  const directory = resolve(out, runId);
  try {
    makeDirectory(out);
    mkdirSync(directory);
    mkdirSync(join(directory, 'logs'));
  } catch (cause) {
    throw new EnvironmentError('RUN_DIRECTORY_NOT_CREATED', `Cannot create the run directory ${directory}.`, {
      cause,
      hint: 'Choose a directory you may write to with --out, or free some space.',
    });
  }
  return { runId, directory };
};

/** Writes `run.json` whole or not at all. */
export const writeRunRecord = (directory: string, record: RunRecord): void => {
  const path = join(directory, 'run.json');
  writeFileSync(`${path}.new`, `${JSON.stringify(record, null, 2)}\n`);
  renameSync(`${path}.new`, path);
};
