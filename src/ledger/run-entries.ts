// A run directory that came from elsewhere may hold anything under the names of its files: a folder cannot be read, and a pipe is
// waited for without end. So they are looked at before any of them is opened.
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../errors.ts';

/** Where files are that a judge or a report reads, below the directory of a run. */
const FOLDERS = ['.', 'control', 'preflight'].flatMap((part) => [part, join(part, 'ledger'), join(part, 'replay')]);
const READ = /\.(?:json|ndjson|rows)$/u;

const entriesOf = (folder: string): readonly Dirent[] => {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
};

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/** @throws InputError where something under the name of a file of a run is none. */
export const assertRunEntries = (directory: string): void => {
  for (const folder of FOLDERS.map((each) => join(directory, each))) {
    const other = entriesOf(folder).find((entry) => READ.test(entry.name) && !isFile(join(folder, entry.name)));
    if (other === undefined) continue;
    const file = join(folder, other.name);
    throw new InputError('NOT_A_FILE', 'This is no file, or one that leads nowhere.', {
      place: { file },
      hint: 'Get the run anew from where it was recorded.',
    });
  }
};
