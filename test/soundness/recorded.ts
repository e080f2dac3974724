// The recorded results, one JSON line each, appended as they come: a run that is stopped loses nothing.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { type DrillResult, sameKey, type TreeKey } from './result.ts';

/** The results of one key, in the order in which they were made. */
export const readResults = (file: string, key: TreeKey): readonly DrillResult[] => {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  const results = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as DrillResult);
  return results.filter((result) => sameKey(result.key, key));
};

export const appendResult = (file: string, result: DrillResult): void => {
  appendFileSync(file, `${JSON.stringify(result)}\n`);
};
