// Reads timeline.ndjson back: the lines the judge knows, what the part was going to do, and nothing else. A line that makes no
// sense is told and left out; a timeline whose seal is missing or does not fit is told, so that what stood in it cannot be lost
// unseen.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32c } from '../checksum.ts';
import type { DamageLog } from './damage.ts';
import type {
  EpochsLine,
  FaultLine,
  HarnessLine,
  LeaderLine,
  OffsetsLine,
  ReaderMiss,
  SentinelLine,
  TimelineFact,
} from './history-lines.ts';
import { checkFields, type Fields, LINE_RULES, MalformedLine } from './line-fields.ts';
import type { Timed } from './read-ledger.ts';
import { missIn } from './reader-misses.ts';
import type { Standstill } from './run-facts.ts';
import { TIMELINE_FILE } from './timeline-writer.ts';

const FACTS: ReadonlySet<unknown> = new Set(['leader', 'fault', 'harness', 'offsets', 'epochs', 'sentinel']);
/** Facts that can make a record illegal; from a timeline that was changed since they are not taken. */
const ACCUSING: ReadonlySet<string> = new Set(['offsets', 'epochs', 'sentinel']);
const LINE_FEED = 0x0a;

/** What a part was going to do, as far as its timeline still says so. */
export interface PlannedPart {
  readonly faults: readonly string[];
  readonly passes: readonly string[];
}

export interface TimelineReading {
  /** In file order. */
  readonly facts: readonly Timed<TimelineFact>[];
  readonly planned: PlannedPart;
  /** What it says that one client read and another did not; nothing follows from it that the passes do not show. */
  readonly misses: readonly ReaderMiss[];
  readonly standstills: readonly Standstill[];
}

/** The fields that the judge knows of; what else a line carries is for the report. */
const knownFields = (value: object, kind: string): Fields => {
  const rules = LINE_RULES[kind] ?? {};
  const isKnown = ([name, given]: [string, unknown]): boolean =>
    (Object.hasOwn(rules, name) || name === 't') && !(name === 'epoch' && given === -1 && kind !== 'leader');
  return Object.fromEntries(Object.entries(value).filter(isKnown));
};

type Parsed = Readonly<Record<string, unknown>> & { readonly t: string };

const parseLine = (text: string): Parsed => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new MalformedLine('it is not JSON');
  }
  if (typeof value === 'object' && value !== null && 't' in value && typeof value.t === 'string')
    return value as Parsed;
  throw new MalformedLine('it has no kind');
};

/** A fact of the timeline; undefined where only the report reads the line. Throws MalformedLine. */
const factOf = (value: Parsed): Timed<TimelineFact> | undefined => {
  const kind = value.t;
  if (!FACTS.has(kind)) return undefined;
  const line = checkFields(knownFields(value, kind), LINE_RULES[kind] ?? {}, `the ${kind} line`, ['t']);
  const { order } = value;
  if (!Number.isSafeInteger(order)) throw new MalformedLine('it has no order');
  if (kind === 'fault' && line['id'] === undefined) return { line: asFault(line), order: order as number };
  return {
    line: line as unknown as LeaderLine | FaultLine | HarnessLine | OffsetsLine | EpochsLine | SentinelLine,
    order: order as number,
  };
};

const asFault = (line: Fields): FaultLine => ({ ...line, id: line['fault'] }) as unknown as FaultLine;

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];

const idsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? textsIn(value.map((each: unknown) => (each as { readonly id?: unknown } | null)?.id)) : [];

const standstillOf = ({ at, ms }: Parsed): Standstill => {
  if (typeof at !== 'number' || typeof ms !== 'number' || !(ms >= 0 && ms <= at))
    throw new MalformedLine('its standstill lasts for no time');
  return { from: at - ms, to: at };
};

/** Whether the last whole line is a seal that fits the bytes before it; tells where there is none, or one that does not. */
const isChanged = (bytes: Buffer, whole: readonly string[], damage: DamageLog): boolean => {
  const last = whole.at(-1) ?? '';
  let seal: Parsed | undefined;
  try {
    seal = parseLine(last);
  } catch {
    seal = undefined;
  }
  if (seal?.t !== 'seal') {
    damage.note(`${TIMELINE_FILE}: it has no seal: the run did not end in order`);
    return false;
  }
  const end = bytes.lastIndexOf(LINE_FEED, bytes.lastIndexOf(LINE_FEED) - 1) + 1;
  if (seal['lines'] === whole.length - 1 && seal['checksum'] === crc32c(bytes.subarray(0, end))) return false;
  damage.note(`${TIMELINE_FILE}: its seal does not fit: it was changed after the run`);
  return true;
};

/** What a run directory's timeline says. */
export const readTimeline = (directory: string, damage: DamageLog): TimelineReading => {
  const path = join(directory, TIMELINE_FILE);
  if (!existsSync(path)) {
    damage.note(`there is no ${TIMELINE_FILE}`);
    return { facts: [], planned: { faults: [], passes: [] }, misses: [], standstills: [] };
  }
  const bytes = readFileSync(path);
  const lines = bytes.toString('utf8').split('\n');
  const torn = lines.pop();
  if (torn !== undefined && torn !== '') damage.note(`${TIMELINE_FILE}: the last line is cut off`);
  const changed = isChanged(bytes, lines, damage);
  const facts: Timed<TimelineFact>[] = [];
  const planned: { faults: string[]; passes: string[] } = { faults: [], passes: [] };
  const standstills: Standstill[] = [];
  const misses: ReaderMiss[] = [];
  lines.forEach((text, index) => {
    try {
      const line = parseLine(text);
      const fact = changed && ACCUSING.has(line.t) ? undefined : factOf(line);
      if (fact !== undefined) facts.push(fact);
      misses.push(...missIn(line));
      // From a timeline that was changed since, nothing is taken that excuses the cluster.
      if (line.t === 'standstill' && !changed) standstills.push(standstillOf(line));
      if (line.t !== 'plan') return;
      planned.faults.push(...idsIn(line['faults']));
      planned.passes.push(...textsIn(line['passes']));
    } catch (thrown) {
      if (!(thrown instanceof MalformedLine)) throw thrown;
      damage.note(`${TIMELINE_FILE} line ${index + 1}: ${thrown.message.replace(/\.$/u, '')}`);
    }
  });
  return { facts, planned, misses, standstills };
};
