// What run.json names of a part and its directory does not hold: the contract, and the journal that the faults of a timeline are
// backed by. Files that went away after a run must not leave a verdict behind that they no longer support.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DamageLog } from './damage.ts';
import { CONTRACT_FILE } from './read-contract.ts';
import { readTimeline } from './read-timeline.ts';
import type { PartRecord } from './run-record.ts';
import { TIMELINE_FILE } from './timeline-writer.ts';

const JOURNAL_FILE = 'journal.ndjson';

/** Where a part lies below its run directory; what run.json says of it is foreign text. */
const PLACES = { preflight: 'preflight', control: 'control', main: '' } as const;

/** Edges by fault: `process-kill-1` to `intent applied confirmed`. */
type Edges = ReadonlyMap<string, string>;

const edgesOf = (lines: readonly { readonly id: unknown; readonly edge: unknown }[]): Edges => {
  const edges = new Map<string, string>();
  for (const { id, edge } of lines) edges.set(String(id), `${edges.get(String(id)) ?? ''} ${String(edge)}`.trim());
  return edges;
};

const parsed = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
};

/** Lines about what was made for a fault before it began. */
const BEFOREHAND: ReadonlySet<unknown> = new Set(['preparing', 'discarded']);

/** What the run itself did to its faults; a watchdog, or `heal`, adds lines of its own after it. */
const journalEdges = (path: string): Edges =>
  edgesOf(
    readFileSync(path, 'utf8')
      .split('\n')
      .map(parsed)
      .flatMap(({ id, edge, by }) => (by === 'run' && !BEFOREHAND.has(edge) ? [{ id, edge }] : [])),
  );

const timelineEdges = (directory: string): Edges =>
  edgesOf(readTimeline(directory, new DamageLog()).facts.flatMap(({ line }) => (line.t === 'fault' ? [line] : [])));

const journalTrouble = (directory: string): string | undefined => {
  const told = timelineEdges(directory);
  const path = join(directory, JOURNAL_FILE);
  if (!existsSync(path)) return `${JOURNAL_FILE} is missing, though faults were performed`;
  const kept = journalEdges(path);
  const differs = [...new Set([...told.keys(), ...kept.keys()])].find((id) => told.get(id) !== kept.get(id));
  return differs === undefined ? undefined : `${JOURNAL_FILE} and ${TIMELINE_FILE} tell different edges of ${differs}`;
};

/** What is missing of one part that run.json names, with the name of the file; undefined where nothing is. */
export const missingOf = (
  runDirectory: string,
  { part, faults }: Pick<PartRecord, 'part'> & { readonly faults: readonly unknown[] },
): string | undefined => {
  const place = PLACES[part];
  const directory = join(runDirectory, place);
  if (!existsSync(join(directory, CONTRACT_FILE))) {
    return `ledger-damaged: ${join(place, CONTRACT_FILE)} is missing, though run.json names the ${part} part`;
  }
  const trouble = faults.length === 0 ? undefined : journalTrouble(directory);
  return trouble === undefined ? undefined : `ledger-damaged: ${join(place, trouble)}`;
};

const isPart = (name: unknown): name is PartRecord['part'] => typeof name === 'string' && Object.hasOwn(PLACES, name);

/** The same for all parts that a run.json names, whatever else it holds. */
export const missingIn = (runDirectory: string, parts: unknown): readonly string[] => {
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((value: unknown) => {
    const { part, faults } = (value ?? {}) as { readonly part?: unknown; readonly faults?: unknown };
    if (!isPart(part)) return [];
    return missingOf(runDirectory, { part, faults: Array.isArray(faults) ? (faults as unknown[]) : [] }) ?? [];
  });
};
