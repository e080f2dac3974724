// Reads timeline.ndjson back: the lines the judge knows, the load's end for the availability figures, and nothing else. A last
// line that was cut off is told; a line that makes no sense is told and left out.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DamageLog } from './damage.ts';
import type { FaultLine, HarnessLine, LeaderLine, OffsetsLine, SentinelLine, TimelineFact } from './history-lines.ts';
import { checkFields, type Fields, LINE_RULES, MalformedLine } from './line-fields.ts';
import type { Timed } from './read-ledger.ts';
import { TIMELINE_FILE } from './timeline-writer.ts';

const FACTS: ReadonlySet<unknown> = new Set(['leader', 'fault', 'harness', 'offsets', 'sentinel']);

/** The fields that the judge knows of; what else a line carries is for the report. */
const knownFields = (value: object, kind: string): Fields => {
  const rules = LINE_RULES[kind] ?? {};
  const isKnown = ([name, given]: [string, unknown]): boolean =>
    (Object.hasOwn(rules, name) || name === 't') && !(name === 'epoch' && given === -1 && kind !== 'leader');
  return Object.fromEntries(Object.entries(value).filter(isKnown));
};

/** A fact of the timeline; undefined where only the report reads the line. Throws MalformedLine. */
const parseLine = (text: string): Timed<TimelineFact> | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new MalformedLine('it is not JSON');
  }
  if (typeof value !== 'object' || value === null || !('t' in value)) throw new MalformedLine('it has no kind');
  const kind = value.t;
  if (typeof kind !== 'string' || !FACTS.has(kind)) return undefined;
  const line = checkFields(knownFields(value, kind), LINE_RULES[kind] ?? {}, `the ${kind} line`, ['t']);
  const order = 'order' in value ? value.order : undefined;
  if (!Number.isSafeInteger(order)) throw new MalformedLine('it has no order');
  if (kind === 'fault' && line['id'] === undefined) return { line: asFault(line), order: order as number };
  return {
    line: line as unknown as LeaderLine | FaultLine | HarnessLine | OffsetsLine | SentinelLine,
    order: order as number,
  };
};

const asFault = (line: Fields): FaultLine => ({ ...line, id: line['fault'] }) as unknown as FaultLine;

/** The facts of a run directory's timeline, in file order. */
export const readTimeline = (directory: string, damage: DamageLog): readonly Timed<TimelineFact>[] => {
  const path = join(directory, TIMELINE_FILE);
  if (!existsSync(path)) {
    damage.note(`there is no ${TIMELINE_FILE}`);
    return [];
  }
  const lines = readFileSync(path, 'utf8').split('\n');
  const torn = lines.pop();
  if (torn !== undefined && torn !== '') damage.note(`${TIMELINE_FILE}: the last line is cut off`);
  const facts: Timed<TimelineFact>[] = [];
  lines.forEach((text, index) => {
    try {
      const fact = parseLine(text);
      if (fact !== undefined) facts.push(fact);
    } catch (thrown) {
      if (!(thrown instanceof MalformedLine)) throw thrown;
      damage.note(`${TIMELINE_FILE} line ${index + 1}: ${thrown.message.replace(/\.$/u, '')}`);
    }
  });
  return facts;
};
