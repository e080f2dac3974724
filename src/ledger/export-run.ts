// A run directory as a text history: the same facts, readable and writable by hand. Judging the text gives the same judgement.
import { headerToText } from './header-line.ts';
import type { BodyLine } from './history-lines.ts';
import { openRun } from './recorded-run.ts';
import { assertRunNotNewer } from './run-format.ts';

const DEFAULTS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['incarnation', 0],
  ['attempts', 1],
  ['tainted', false],
]);

/** `t` first, defaults left out. */
const lineText = (line: BodyLine): string => {
  const { t, ...fields } = line;
  const told = Object.entries(fields).filter(
    ([name, value]) => value !== undefined && DEFAULTS.get(name) !== value && !(name === 'count' && value === 1),
  );
  return JSON.stringify({ t, ...Object.fromEntries(told) });
};

/** The lines of a run directory's history, without line feeds. Throws InputError if it is no run directory or a newer one. */
export const exportRun = async function* (directory: string): AsyncGenerator<string> {
  assertRunNotNewer(directory);
  const { header, timed, replay } = await Promise.resolve(openRun(directory));
  yield JSON.stringify(headerToText(header));
  for (const { line } of timed) yield lineText(line);
  for (const line of replay) yield lineText(line);
};
