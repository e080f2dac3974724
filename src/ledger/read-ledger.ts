// Reads a ledger file back as `send`, `ack` and `error` lines. A row that cannot be placed is told and left out; an outcome is
// never made firmer than it was recorded.
import { basename } from 'node:path';
import type { DamageLog } from './damage.ts';
import type { FileHeader } from './frame-file.ts';
import type { AckLine, Contract, ErrorLine, SendLine } from './history-lines.ts';
import {
  type CloseRow,
  type IntentRecord,
  type LaneName,
  type LaneRow,
  type LedgerRow,
  type OutcomeRecord,
  readLedgerRow,
} from './ledger-rows.ts';
import { readRows } from './read-rows.ts';
import { settlementOf } from './settle-outcome.ts';

/** A line and its place among all lines of the process. */
export interface Timed<T> {
  readonly line: T;
  readonly order: number;
}

export type LedgerLine = SendLine | AckLine | ErrorLine;

const recordRun = (lane: LaneName, { firstSeq, count }: { firstSeq: number; count: number }, at: number) => ({
  at,
  producer: lane.producer,
  incarnation: lane.incarnation,
  topic: lane.topic,
  partition: lane.partition,
  seq: firstSeq,
  count,
});

/** The line that says what the row says; a code that would decide more than the client did is left out. */
const outcomeLine = (
  lane: LaneName,
  intent: IntentRecord,
  row: OutcomeRecord,
  contract: Contract,
): AckLine | ErrorLine => {
  const base = { ...recordRun(lane, intent, row.at), attempts: Math.max(1, row.attempts), tainted: row.tainted };
  if (row.outcome === 'ok') {
    return {
      t: 'ack',
      ...base,
      ...(row.baseOffset === undefined ? {} : { offset: row.baseOffset }),
      ...(row.leaderEpoch === undefined || row.leaderEpoch < 0 ? {} : { epoch: row.leaderEpoch }),
    };
  }
  const told: ErrorLine = {
    t: 'error',
    ...base,
    ...(row.code === undefined || row.code === 0 ? {} : { code: row.code }),
    ...(row.notSent ? { notSent: true } : {}),
  };
  const settled = settlementOf(told, contract).outcome;
  return settled === row.outcome || settled === 'unknown' ? told : { t: 'error', ...base };
};

/** What is asked of a ledger file. */
export interface LedgerQuery {
  readonly run: string;
  readonly contract: Contract;
  /** What this throws ends the reading. */
  readonly onHeader?: (header: FileHeader) => void;
  /** Lines of other lanes are not made; default all. */
  readonly wants?: (lane: LaneName) => boolean;
  /** Told every intent and outcome, also of lanes whose lines are not wanted. */
  readonly onRow?: (lane: LaneName, at: number) => void;
  readonly emit: (line: Timed<LedgerLine>) => void;
}

/** A lane of the file, and its intents that have no outcome yet, by first sequence. */
interface OpenLane {
  readonly name: LaneName;
  readonly isWanted: boolean;
  readonly open: Map<number, IntentRecord>;
}

class LedgerFile {
  readonly #query: LedgerQuery;
  readonly #damage: DamageLog;
  readonly #name: string;
  readonly #lanes = new Map<number, OpenLane>();
  #intents = 0;
  #outcomes = 0;
  close: CloseRow | undefined;

  constructor(name: string, query: LedgerQuery, damage: DamageLog) {
    this.#name = name;
    this.#query = query;
    this.#damage = damage;
  }

  row(row: LedgerRow): void {
    switch (row.row) {
      case 'lane':
        this.#lane(row);
        break;
      case 'intent':
        this.#intent(row);
        break;
      case 'outcome':
        this.#outcome(row);
        break;
      case 'close':
        this.close = row;
        break;
      case 'text':
        break;
    }
  }

  /** A writer names each lane once; one that is named again keeps its open intents. */
  #lane(row: LaneRow): void {
    const open = this.#lanes.get(row.lane)?.open ?? new Map<number, IntentRecord>();
    this.#lanes.set(row.lane, { name: row, isWanted: this.#query.wants?.(row) ?? true, open });
  }

  #intent(row: IntentRecord): void {
    this.#intents++;
    const lane = this.#lanes.get(row.lane);
    if (lane === undefined || row.count === 0) {
      this.#damage.noteLostRows(`${this.#name}: an intent names no known lane`);
      return;
    }
    lane.open.set(row.firstSeq, row);
    this.#query.onRow?.(lane.name, row.at);
    if (!lane.isWanted) return;
    this.#query.emit({ line: { t: 'send', ...recordRun(lane.name, row, row.at) }, order: row.order });
  }

  #outcome(row: OutcomeRecord): void {
    this.#outcomes++;
    const lane = this.#lanes.get(row.lane);
    const intent = lane?.open.get(row.firstSeq);
    if (intent === undefined || lane === undefined) {
      this.#damage.noteLostRows(`${this.#name}: an outcome has no intent`);
      return;
    }
    lane.open.delete(row.firstSeq);
    this.#query.onRow?.(lane.name, row.at);
    if (!lane.isWanted) return;
    this.#query.emit({ line: outcomeLine(lane.name, intent, row, this.#query.contract), order: row.order });
  }

  checkClose(chainBeforeLast: number): void {
    const { close } = this;
    if (close === undefined) {
      this.#damage.noteLostRows(`${this.#name}: the close row is missing: the run did not end in order`);
    } else if (
      close.intents !== this.#intents ||
      close.outcomes !== this.#outcomes ||
      close.chain !== chainBeforeLast
    ) {
      this.#damage.noteLostRows(`${this.#name}: rows are missing: the close row counts others than are there`);
    }
  }
}

/** Emits the lines of one ledger file in the order they were written. What is wrong with it goes to `damage`. */
export const readLedger = (path: string, query: LedgerQuery, damage: DamageLog): void => {
  const name = basename(path);
  const file = new LedgerFile(name, query, damage);
  const { header, chainBeforeLast } = readRows<LedgerRow>(
    path,
    {
      header: (read) => query.onHeader?.(read),
      decode: readLedgerRow,
      row: (row) => file.row(row),
      hole: () => undefined,
    },
    damage,
  );
  if (header !== undefined && header.run !== query.run) {
    damage.noteLostRows(`${name}: it belongs to run ${header.run}`);
  }
  file.checkClose(chainBeforeLast);
};
