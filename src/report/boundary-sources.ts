// What a part's own files hold of the boundaries that neither its judgement nor its passes tell of: how brokers answered produce
// requests, what they recovered from the write-ahead log, and what the object store held in the end.
import type { NoteLine, TimelineLine } from '../ledger/history-lines.ts';
import type { Attempts } from './attempts.ts';
import { numberIn } from './evidence-notes.ts';
import { type WatchCells, watchCells } from './watch-cells.ts';
import { faultWindows } from './watch-silence.ts';

/** Produce requests by how brokers answered them. */
export interface Answers {
  /** Acknowledged with an offset. */
  readonly withOffset: number;
  /** Error code → requests; at most what was answered. */
  readonly codes: ReadonlyMap<number, number>;
}

/** What brokers said they recovered from the write-ahead log, all in all. */
export interface Recovered {
  readonly times: number;
  readonly records: number;
}

/** What the store held when it was listed with the harness's own credentials. */
export interface Inventory {
  readonly dataObjects: number;
  readonly dataBytes: number;
  readonly walObjects: number;
  readonly walBytes: number;
}

export interface BoundarySources {
  readonly answers?: Answers;
  /** Absent where no broker told anything of its log. */
  readonly recovered?: Recovered;
  readonly inventory?: Inventory;
  /** What was watched while the part went on. */
  readonly watches?: WatchCells;
}

const answersIn = ({ load, probes }: Attempts): Answers => {
  const codes = new Map<number, number>();
  let withOffset = 0;
  for (const { outcome, offset, code } of [...load, ...probes]) {
    if (outcome === 'ok' && offset !== undefined) withOffset++;
    if (code !== undefined) codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  return { withOffset, codes };
};

const RECOVERY = /recovered (?<log>\S+): offsets (?<from>\d+) to (?<to>\d+) from \d+ slots of the write-ahead log/u;

const recoveredIn = (notes: readonly NoteLine[], topic: string): Recovered | undefined => {
  const told = notes.filter(({ source }) => source.startsWith('broker/'));
  if (told.length === 0) return undefined;
  const tails = told.flatMap(({ text }) => {
    const { log, from, to } = RECOVERY.exec(text)?.groups ?? {};
    return log?.startsWith(`${topic}/`) === true ? [Number(to) - Number(from)] : [];
  });
  return { times: tails.length, records: tails.reduce((sum, records) => sum + records, 0) };
};

const inventoryIn = (notes: readonly NoteLine[]): Inventory | undefined => {
  const data = notes.findLast(({ source }) => source === 'object-store')?.data;
  const dataObjects = numberIn(data, 'dataObjects');
  const dataBytes = numberIn(data, 'dataBytes');
  const walObjects = numberIn(data, 'walObjects');
  const walBytes = numberIn(data, 'walBytes');
  if (dataObjects === undefined || dataBytes === undefined) return undefined;
  return { dataObjects, dataBytes, walObjects: walObjects ?? 0, walBytes: walBytes ?? 0 };
};

/** `topic`: the real name of the part's topic. `kind` of the target: only of our own broker is it known how it tells of a recovery. */
export const boundarySources = (
  lines: readonly TimelineLine[],
  attempts: Attempts | undefined,
  topic: string,
  kind = 'embedded',
): BoundarySources => {
  const notes = lines.filter((line) => line.t === 'note');
  const recovered = kind === 'embedded' ? recoveredIn(notes, topic) : undefined;
  const inventory = inventoryIn(notes);
  return {
    ...(attempts === undefined ? {} : { answers: answersIn(attempts) }),
    ...(recovered === undefined ? {} : { recovered }),
    ...(inventory === undefined ? {} : { inventory }),
    watches: watchCells(notes, faultWindows(lines)),
  };
};
