// A large run as the judge reads it: not the whole of it at once, but a group of partitions at a time, each time from the files.
// So the peak follows the largest partition. The one thing to know: only a run whose files are whole and do not contradict
// themselves can be read so; `openFacts` reads any other one as a whole.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DamageLog } from './damage.ts';
import { HistoryBuilder } from './history-builder.ts';
import type { HistoryLine } from './history-lines.ts';
import { MalformedLine } from './line-fields.ts';
import { type RunContract, readContract } from './read-contract.ts';
import { type LedgerQuery, readLedger, type Timed } from './read-ledger.ts';
import { type ReplayLine, readReplay } from './read-replay.ts';
import { readTimeline, type TimelineReading } from './read-timeline.ts';
import { type Unclaimed, unclaimedBy } from './reader-misses.ts';
import { byTime, ledgerQuery, leftOpen, openRun, rowFiles, type TimedLine, tellings } from './recorded-run.ts';
import type { PartitionLog, RunFacts } from './run-facts.ts';

/** Runs whose rows are fewer bytes than this are read as a whole: that is faster, and fits anywhere. */
const SMALL_BYTES = 8 * 1024 * 1024;
/** A group is as large as the largest partition, or as this part of the run: each group costs a reading of the files. */
const MOST_GROUPS = 8;

/** The files turned out to contradict themselves, which only a reading of the whole run can tell well. */
class NotGroupable extends Error {}

interface Place {
  readonly topic: string;
  readonly partition: number;
}

const keyOf = ({ topic, partition }: Place): string => `${partition} ${topic}`;

interface RunFiles {
  readonly contract: RunContract;
  readonly ledgers: readonly string[];
  readonly replays: readonly string[];
  readonly timeline: TimelineReading;
  readonly unclaimed: Unclaimed;
}

/** What a first reading tells: how much there is of each partition, and everything that is not about what was sent and read. */
interface Survey {
  readonly files: RunFiles;
  readonly passes: readonly (number | string)[];
  /** Rows by partition. */
  readonly rows: ReadonlyMap<string, Place & { readonly rows: number }>;
  /** Everything but the sent and the read records; strays are there. */
  readonly outline: RunFacts;
}

type Counted = Place & { rows: number };

class Surveyor {
  readonly #counts = new Map<string, Map<number, Counted>>();
  readonly passes: (number | string)[] = [];
  /** Lines of the replay that are about the run and not about one partition alone. */
  readonly kept: ReplayLine[] = [];
  lastAt = 0;

  sent(lane: Place, at: number): void {
    this.#count(lane);
    if (at > this.lastAt) this.lastAt = at;
  }

  read(line: ReplayLine): void {
    this.#count(line);
    if (!this.passes.includes(line.pass)) this.passes.push(line.pass);
    const isStray = line.t === 'read' && line.id?.partition !== undefined && line.id.run === undefined;
    if (line.t === 'pass' || isStray) this.kept.push(line);
  }

  rows(): ReadonlyMap<string, Counted> {
    const counts = [...this.#counts.values()].flatMap((partitions) => [...partitions.values()]);
    return new Map(counts.map((counted) => [keyOf(counted), counted]));
  }

  #count({ topic, partition }: Place): void {
    const partitions = this.#counts.get(topic) ?? new Map<number, Counted>();
    const counted = partitions.get(partition);
    if (counted !== undefined) counted.rows++;
    else this.#counts.set(topic, partitions.set(partition, { topic, partition, rows: 1 }));
  }
}

const outlineOf = (
  header: HistoryLine,
  { facts }: TimelineReading,
  surveyor: Surveyor,
  open: readonly string[],
): RunFacts => {
  const builder = new HistoryBuilder(header, surveyor.passes);
  const timed = [...facts].sort(byTime);
  for (const { line, order } of timed) builder.add(line, order);
  for (const line of surveyor.kept) builder.add(line, 0);
  const lastAt = Math.max(surveyor.lastAt, timed.at(-1)?.line.at ?? 0);
  for (const line of tellings(lastAt, [], open)) builder.add(line, 0);
  return { ...builder.finish(), lastAt };
};

/** Undefined where the files are not whole. */
const survey = (directory: string): Survey | undefined => {
  const contract = readContract(directory);
  const damage = new DamageLog();
  const surveyor = new Surveyor();
  const ledgers = rowFiles(join(directory, 'ledger'));
  const replays = rowFiles(join(directory, 'replay'));
  if (ledgers.length === 0) return undefined;
  const asked: LedgerQuery = {
    ...ledgerQuery(contract, () => undefined),
    wants: () => false,
    onRow: (lane, at) => surveyor.sent(lane, at),
  };
  for (const path of ledgers) readLedger(path, asked, damage);
  const timeline = readTimeline(directory, damage);
  const { run } = contract.header;
  const unclaimed = unclaimedBy(timeline.misses, replays, run);
  for (const path of replays) readReplay(path, { run, unclaimed, emit: (line) => surveyor.read(line) }, damage);
  if (damage.details.length > 0) return undefined;
  const { passes } = surveyor;
  const open = leftOpen(timeline, new Set(passes));
  const files = { contract, ledgers, replays, timeline, unclaimed };
  return { files, passes, rows: surveyor.rows(), outline: outlineOf(contract.header, timeline, surveyor, open) };
};

/** Partitions that are read together, in the order in which they are judged. */
const groupsOf = (rows: Survey['rows']): ReadonlySet<string>[] => {
  const places = [...rows.values()].sort((one, other) =>
    one.topic < other.topic ? -1 : one.topic > other.topic ? 1 : one.partition - other.partition,
  );
  const all = places.reduce((sum, place) => sum + place.rows, 0);
  const largest = places.reduce((most, place) => Math.max(most, place.rows), 0);
  const room = Math.max(largest, Math.ceil(all / MOST_GROUPS));
  const groups: Set<string>[] = [];
  let taken = Number.POSITIVE_INFINITY;
  for (const place of places) {
    if (taken + place.rows > room) {
      groups.push(new Set());
      taken = 0;
    }
    taken += place.rows;
    groups.at(-1)?.add(keyOf(place));
  }
  return groups;
};

const readGroup = ({ files, passes }: Survey, group: ReadonlySet<string>): RunFacts => {
  const { contract, ledgers, replays, timeline, unclaimed } = files;
  const { run } = contract.header;
  const isOurs = (place: Place): boolean => group.has(keyOf(place));
  const damage = new DamageLog();
  const builder = new HistoryBuilder(contract.header, passes);
  const timed: Timed<TimedLine>[] = [];
  for (const path of ledgers) {
    readLedger(path, { ...ledgerQuery(contract, (line) => timed.push(line)), wants: isOurs }, damage);
  }
  timed.push(...timeline.facts.filter(({ line }) => 'partition' in line && isOurs(line)));
  for (const { line, order } of timed.sort(byTime)) builder.add(line, order);
  for (const path of replays) {
    readReplay(path, { run, unclaimed, wants: isOurs, emit: (line) => builder.add(line, 0) }, damage);
  }
  return builder.finish();
};

class GroupedFacts implements RunFacts {
  readonly header: RunFacts['header'];
  readonly faults: RunFacts['faults'];
  readonly harness: RunFacts['harness'];
  readonly lastAt: number;
  readonly passes: RunFacts['passes'];
  readonly partitions: RunFacts['partitions'];
  readonly strays: RunFacts['strays'];
  readonly standstills: RunFacts['standstills'];
  readonly topicsWithSnapshots: RunFacts['topicsWithSnapshots'];
  readonly #survey: Survey;
  readonly #groups: readonly ReadonlySet<string>[];
  #held: { readonly group: ReadonlySet<string>; readonly facts: RunFacts } | undefined;

  constructor(known: Survey) {
    const { outline, rows } = known;
    this.header = outline.header;
    this.faults = outline.faults;
    this.harness = outline.harness;
    this.lastAt = outline.lastAt;
    this.passes = known.passes;
    this.strays = outline.strays;
    this.standstills = known.files.timeline.standstills;
    this.topicsWithSnapshots = outline.topicsWithSnapshots;
    const untouched = outline.partitions.filter((place) => !rows.has(keyOf(place)));
    this.partitions = [...untouched, ...[...rows.values()].map(({ topic, partition }) => ({ topic, partition }))];
    this.#survey = known;
    this.#groups = groupsOf(rows);
  }

  load(topic: string, partition: number): PartitionLog {
    const key = keyOf({ topic, partition });
    const group = this.#groups.find((one) => one.has(key));
    if (group === undefined) return this.outline(topic, partition);
    if (this.#held?.group !== group) {
      this.#held = undefined;
      this.#held = { group, facts: this.#read(group) };
    }
    return this.#held.facts.load(topic, partition);
  }

  outline(topic: string, partition: number): PartitionLog {
    return this.#survey.outline.load(topic, partition);
  }

  #read(group: ReadonlySet<string>): RunFacts {
    try {
      return readGroup(this.#survey, group);
    } catch (thrown) {
      if (thrown instanceof MalformedLine) throw new NotGroupable();
      throw thrown;
    }
  }
}

const rowBytes = (directory: string): number =>
  ['ledger', 'replay']
    .flatMap((name) => rowFiles(join(directory, name)))
    .reduce((sum, path) => sum + statSync(path).size, 0);

const grouped = (directory: string): RunFacts | undefined => {
  try {
    const known = survey(directory);
    return known === undefined ? undefined : new GroupedFacts(known);
  } catch (thrown) {
    if (thrown instanceof MalformedLine) return undefined;
    throw thrown;
  }
};

/**
 * The facts of a run directory, for `use`, which must not keep what it loads. A large run is read a group of partitions at a
 * time; what `use` returns is the same either way. Throws InputError if it is no run directory, or newer than this version.
 */
export const withRunFacts = <T>(directory: string, use: (facts: RunFacts) => T, smallBytes = SMALL_BYTES): T => {
  const facts = rowBytes(directory) > smallBytes ? grouped(directory) : undefined;
  if (facts !== undefined) {
    try {
      return use(facts);
    } catch (thrown) {
      if (!(thrown instanceof NotGroupable)) throw thrown;
    }
  }
  return use(openRun(directory).facts);
};
