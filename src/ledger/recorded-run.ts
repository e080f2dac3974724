// Opens a run directory and gives its lines, in the order a text history has them. Both the judge and the export take their
// lines from here, so that a run and its export are the same facts by construction.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../errors.ts';
import { DamageLog } from './damage.ts';
import { parseHeaderLine } from './header-line.ts';
import { HistoryBuilder } from './history-builder.ts';
import type {
  AckLine,
  ErrorLine,
  FaultLine,
  HarnessLine,
  HistoryLine,
  PassLine,
  ReadLine,
  SendLine,
  TimelineFact,
} from './history-lines.ts';
import { MalformedLine } from './line-fields.ts';
import { readLedger, type Timed } from './read-ledger.ts';
import { readReplay } from './read-replay.ts';
import { readTimeline } from './read-timeline.ts';
import { IntentRestorer } from './restore-intents.ts';
import type { RunFacts } from './run-facts.ts';

export const CONTRACT_FILE = 'contract.json';

type TimedLine = SendLine | AckLine | ErrorLine | TimelineFact;

export interface RecordedRun {
  readonly header: HistoryLine;
  /** Sorted by time, then order; what the reader has to say about the files comes last. */
  readonly timed: readonly Timed<TimedLine>[];
  readonly replay: readonly (ReadLine | PassLine)[];
  /** The same lines as the judge reads them. */
  readonly facts: RunFacts;
}

/** Faults that nothing undoes; all others must be seen healed. */
const ONE_SHOT_FAULTS: ReadonlySet<string> = new Set(['object-loss']);

const notARun = (directory: string, why: string, cause?: unknown): InputError =>
  new InputError('NOT_A_RUN', `${directory} is not a run directory: ${why}.`, {
    hint: `Give a directory that holds ${CONTRACT_FILE}, ledger/ and replay/, or a text history.`,
    ...(cause === undefined ? {} : { cause }),
  });

/** contract.json holds the history line; its contract may name the delivery timeout with its unit. */
const readContract = (directory: string): HistoryLine => {
  const path = join(directory, CONTRACT_FILE);
  if (!existsSync(path)) throw notARun(directory, `it has no ${CONTRACT_FILE}`);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw notARun(directory, `its ${CONTRACT_FILE} is not JSON`, cause);
  }
  try {
    return parseHeaderLine(withTextTimeout(value));
  } catch (thrown) {
    if (!(thrown instanceof MalformedLine)) throw thrown;
    throw new InputError('BAD_CONTRACT', thrown.message, {
      place: { file: path },
      ...(thrown.hint === undefined ? {} : { hint: thrown.hint }),
    });
  }
};

const withTextTimeout = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || !('contract' in value)) return value;
  const { contract } = value;
  if (typeof contract !== 'object' || contract === null || !('deliveryTimeoutMs' in contract)) return value;
  const { deliveryTimeoutMs, ...rest } = contract;
  return { ...value, contract: { ...rest, deliveryTimeout: deliveryTimeoutMs } };
};

const rowFiles = (directory: string): string[] => {
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

const byTime = (one: Timed<TimedLine>, other: Timed<TimedLine>): number =>
  one.line.at - other.line.at || one.order - other.order;

const restore = (
  header: HistoryLine,
  written: readonly Timed<SendLine | AckLine | ErrorLine>[],
  replay: readonly (ReadLine | PassLine)[],
  damage: DamageLog,
): Timed<SendLine>[] => {
  if (!damage.lostRows) return [];
  const sends = written.flatMap(({ line }) => (line.t === 'send' ? [line] : []));
  const restorer = new IntentRestorer(header, sends);
  for (const line of replay) if (line.t === 'read') restorer.read(line);
  return restorer.restored.map((line) => ({ line, order: 0 }));
};

/** Takes lines into the facts; one that contradicts what is there already is told and left out, never judged. */
class Intake {
  readonly builder: HistoryBuilder;
  readonly #damage: DamageLog;

  constructor(header: HistoryLine, damage: DamageLog) {
    this.builder = new HistoryBuilder(header);
    this.#damage = damage;
  }

  accepts(line: TimedLine | ReadLine | PassLine, order: number): boolean {
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

/** What the reader has to say about the files, as the last lines of the run. */
const tell = (
  timed: readonly Timed<TimedLine>[],
  damaged: readonly string[],
  open: readonly string[],
): Timed<HarnessLine>[] => {
  const at = timed.at(-1)?.line.at ?? 0;
  const order = timed.reduce((highest, line) => Math.max(highest, line.order), 0);
  const harness =
    (anomaly: string) =>
    (detail: string): HarnessLine => ({ t: 'harness', at, anomaly, detail });
  const lines = [...damaged.map(harness('ledger-damaged')), ...open.map(harness('insufficient-samples'))];
  return lines.map((line, index) => ({ line, order: order + 1 + index }));
};

/** Reads the files of one run directory (not those below it). Throws InputError if it is none, or newer than this version. */
export const openRun = (directory: string): RecordedRun => {
  const header = readContract(directory);
  const damage = new DamageLog();
  const ledgers = rowFiles(join(directory, 'ledger'));
  if (ledgers.length === 0) damage.noteLostRows('there is no ledger file');
  const written = ledgers.flatMap((path) => [...readLedger(path, header.run, header.contract, damage)]);
  const events = readTimeline(directory, damage);
  const read: (ReadLine | PassLine)[] = [];
  for (const path of rowFiles(join(directory, 'replay'))) {
    readReplay(path, header.run, damage, (line) => read.push(line));
  }
  const intake = new Intake(header, damage);
  const timed = [...written, ...events, ...restore(header, written, read, damage)]
    .sort(byTime)
    .filter(({ line, order }) => intake.accepts(line, order));
  const replay = read.filter((line) => intake.accepts(line, 0));
  const told = tell(timed, damage.details, unhealedFaults(events));
  for (const { line, order } of told) intake.builder.add(line, order);
  return { header, timed: [...timed, ...told], replay, facts: intake.builder.finish() };
};
