// Opens a run directory and gives its lines, in the order a text history has them. Both the judge and the export take their
// lines from here, so that a run and its export are the same facts by construction.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DamageLog } from './damage.ts';
import { HistoryBuilder } from './history-builder.ts';
import type {
  AckLine,
  ErrorLine,
  FaultLine,
  HarnessLine,
  HistoryLine,
  SendLine,
  TimelineFact,
} from './history-lines.ts';
import { MalformedLine } from './line-fields.ts';
import { assertSameContract, type RunContract, readContract } from './read-contract.ts';
import { type LedgerLine, type LedgerQuery, readLedger, type Timed } from './read-ledger.ts';
import { type ReplayLine, readReplay } from './read-replay.ts';
import { type PlannedPart, readTimeline, type TimelineReading } from './read-timeline.ts';
import { unclaimedBy } from './reader-misses.ts';
import { IntentRestorer } from './restore-intents.ts';
import type { RunFacts } from './run-facts.ts';

export type TimedLine = SendLine | AckLine | ErrorLine | TimelineFact;

export interface RecordedRun {
  readonly header: HistoryLine;
  /** Sorted by time, then order; what the reader has to say about the files comes last. */
  readonly timed: readonly Timed<TimedLine>[];
  readonly replay: readonly ReplayLine[];
  /** The same lines as the judge reads them. */
  readonly facts: RunFacts;
}

/** Faults that nothing undoes; all others must be seen healed. */
const ONE_SHOT_FAULTS: ReadonlySet<string> = new Set(['object-loss']);

/** The files of a run directory that hold rows, in the order they are read. */
export const rowFiles = (directory: string): string[] => {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => name.endsWith('.rows'))
    .sort()
    .map((name) => join(directory, name));
};

/** A fault that acted and was not seen healed leaves open what the rest of the run stood under. */
const unhealedFaults = (facts: readonly Timed<TimelineFact>[]): string[] => {
  const last = new Map<string, FaultLine>();
  const acted = new Set<string>();
  for (const { line } of facts) {
    if (line.t !== 'fault') continue;
    last.set(line.id, line);
    if (line.edge === 'applied' || line.edge === 'confirmed') acted.add(line.id);
  }
  return [...last.values()]
    .filter(({ id, fault, edge }) => acted.has(id) && !ONE_SHOT_FAULTS.has(fault) && edge !== 'healed')
    .map(({ id }) => `fault ${id} was not seen healed`);
};

/** What was planned and is nowhere to be seen: a run that was stopped before it proved nothing about it. */
const undone = (
  { faults, passes }: PlannedPart,
  facts: readonly Timed<TimelineFact>[],
  read: ReadonlySet<number | string>,
): string[] => {
  const begun = new Set(facts.flatMap(({ line }) => (line.t === 'fault' ? [line.id] : [])));
  return [
    ...faults.filter((id) => !begun.has(id)).map((id) => `fault ${id} was planned and never began`),
    ...[...new Set(passes)]
      .filter((pass) => !read.has(pass))
      .map((pass) => `the pass "${pass}" was planned and nothing of it is there`),
  ];
};

/** What a run that ended in order leaves open: what was planned and never came, what acted and was not seen healed. */
export const leftOpen = (
  { facts, planned }: TimelineReading,
  passes: ReadonlySet<number | string>,
): readonly string[] => [...undone(planned, facts, passes), ...unhealedFaults(facts)];

export const byTime = (one: Timed<TimedLine>, other: Timed<TimedLine>): number =>
  one.line.at - other.line.at || one.order - other.order;

const restore = (
  header: HistoryLine,
  written: readonly Timed<SendLine | AckLine | ErrorLine>[],
  replay: readonly ReplayLine[],
  damage: DamageLog,
): Timed<SendLine>[] => {
  if (!damage.lostRows) return [];
  const sends = written.flatMap(({ line }) => (line.t === 'send' ? [line] : []));
  const restorer = new IntentRestorer(header, sends);
  for (const line of replay) if (line.t === 'read') restorer.read(line);
  return restorer.restored.map((line) => ({ line, order: 0 }));
};

/** What a run's own ledger files are asked. */
export const ledgerQuery = (contract: RunContract, emit: LedgerQuery['emit']): LedgerQuery => ({
  run: contract.header.run,
  contract: contract.header.contract,
  onHeader: (file) => assertSameContract(contract, file.contract),
  emit,
});

/**
 * Tells each line of a run's ledger, file by file in the order written, and holds none of them. `begin` is told the header first.
 * What is damaged is passed over: the judge tells of it. Throws InputError if it is no run directory, or newer than this version.
 */
export const eachLedgerLine = (
  directory: string,
  begin: (header: HistoryLine) => void,
  each: (line: LedgerLine) => void,
): void => {
  const contract = readContract(directory);
  begin(contract.header);
  const query = ledgerQuery(contract, ({ line }) => each(line));
  for (const path of rowFiles(join(directory, 'ledger'))) readLedger(path, query, new DamageLog());
};

/** Takes lines into the facts; one that contradicts what is there already is told and left out, never judged. */
class Intake {
  readonly builder: HistoryBuilder;
  readonly #damage: DamageLog;

  constructor(header: HistoryLine, damage: DamageLog) {
    this.builder = new HistoryBuilder(header);
    this.#damage = damage;
  }

  accepts(line: TimedLine | ReplayLine, order: number): boolean {
    try {
      this.builder.add(line, order);
      return true;
    } catch (thrown) {
      if (!(thrown instanceof MalformedLine)) throw thrown;
      this.#damage.note(thrown.message.replace(/\.$/u, ''));
      return false;
    }
  }
}

/** What the reader has to say about the files, as lines at the end of the run. */
export const tellings = (at: number, damaged: readonly string[], open: readonly string[]): HarnessLine[] => {
  const harness =
    (anomaly: string) =>
    (detail: string): HarnessLine => ({ t: 'harness', at, anomaly, detail });
  return [...damaged.map(harness('ledger-damaged')), ...open.map(harness('insufficient-samples'))];
};

/** `lines` with their places after everything else. */
const last = (lines: readonly HarnessLine[], timed: readonly Timed<TimedLine>[]): Timed<HarnessLine>[] => {
  const order = timed.reduce((highest, line) => Math.max(highest, line.order), 0);
  return lines.map((line, index) => ({ line, order: order + 1 + index }));
};

/** Reads the files of one run directory (not those below it). Throws InputError if it is none, or newer than this version. */
export const openRun = (directory: string): RecordedRun => {
  const contract = readContract(directory);
  const { header } = contract;
  const damage = new DamageLog();
  const ledgers = rowFiles(join(directory, 'ledger'));
  if (ledgers.length === 0) damage.noteLostRows('there is no ledger file');
  const written: Timed<LedgerLine>[] = [];
  for (const path of ledgers)
    readLedger(
      path,
      ledgerQuery(contract, (line) => written.push(line)),
      damage,
    );
  const timeline = readTimeline(directory, damage);
  const read: ReplayLine[] = [];
  const replays = rowFiles(join(directory, 'replay'));
  const unclaimed = unclaimedBy(timeline.misses, replays, header.run);
  for (const path of replays) {
    readReplay(path, { run: header.run, unclaimed, emit: (line) => read.push(line) }, damage);
  }
  const intake = new Intake(header, damage);
  const timed = [...written, ...timeline.facts, ...restore(header, written, read, damage)]
    .sort(byTime)
    .filter(({ line, order }) => intake.accepts(line, order));
  const replay = read.filter((line) => intake.accepts(line, 0));
  const open = leftOpen(timeline, new Set(read.map(({ pass }) => pass)));
  const told = last(tellings(timed.at(-1)?.line.at ?? 0, damage.details, open), timed);
  for (const { line, order } of told) intake.builder.add(line, order);
  const facts: RunFacts = { ...intake.builder.finish(), standstills: timeline.standstills };
  return { header, timed: [...timed, ...told], replay, facts };
};
