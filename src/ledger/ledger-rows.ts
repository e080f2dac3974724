// The rows of a ledger file: lanes and texts are named once and referred to by number; an intent and an outcome are a few
// dozen bytes each. Rows refer to each other by (lane, first sequence), so that a lost frame costs only its own rows.
import type { Outcome } from '../vocabulary.ts';
import { type ByteCursor, type ByteSink, MalformedRow } from './bytes.ts';

export interface LaneName {
  readonly producer: string;
  readonly incarnation: number;
  readonly topic: string;
  readonly partition: number;
}

export interface LaneRow extends LaneName {
  readonly row: 'lane';
  readonly lane: number;
}

export interface TextRow {
  readonly row: 'text';
  readonly text: number;
  readonly value: string;
}

export interface IntentRecord {
  readonly row: 'intent';
  readonly lane: number;
  readonly firstSeq: number;
  readonly count: number;
  readonly at: number;
  readonly order: number;
  /** Highest trusted offset acknowledged in that partition when this was sent; absent = none yet. */
  readonly floor?: number;
}

export interface OutcomeRecord {
  readonly row: 'outcome';
  readonly lane: number;
  readonly firstSeq: number;
  readonly at: number;
  readonly order: number;
  readonly outcome: Outcome;
  readonly attempts: number;
  readonly tainted: boolean;
  readonly notSent: boolean;
  readonly baseOffset?: number;
  readonly code?: number;
  readonly leaderEpoch?: number;
  /** Number of a text row. */
  readonly reason?: number;
}

export interface CloseRow {
  readonly row: 'close';
  readonly intents: number;
  readonly outcomes: number;
  readonly sent: number;
  readonly ok: number;
  readonly fail: number;
  readonly unknown: number;
  /** The frame file's chain before the frame that holds this row. */
  readonly chain: number;
}

export type LedgerRow = LaneRow | TextRow | IntentRecord | OutcomeRecord | CloseRow;

const KIND = { lane: 1, text: 2, intent: 3, outcome: 4, close: 5 } as const;
const OUTCOME_CODES: readonly Outcome[] = ['ok', 'fail', 'unknown'];
const FLAG = { tainted: 4, notSent: 8, baseOffset: 16, code: 32, leaderEpoch: 64, reason: 128 } as const;

export const writeLane = (sink: ByteSink, row: Omit<LaneRow, 'row'>): void => {
  sink.byte(KIND.lane);
  sink.count(row.lane);
  sink.text(row.producer);
  sink.count(row.incarnation);
  sink.text(row.topic);
  sink.count(row.partition);
};

export const writeText = (sink: ByteSink, row: Omit<TextRow, 'row'>): void => {
  sink.byte(KIND.text);
  sink.count(row.text);
  sink.text(row.value);
};

export const writeIntent = (sink: ByteSink, row: Omit<IntentRecord, 'row'>): void => {
  sink.byte(KIND.intent);
  sink.count(row.lane);
  sink.count(row.firstSeq);
  sink.count(row.count);
  sink.float(row.at);
  sink.count(row.order);
  sink.byte(row.floor === undefined ? 0 : 1);
  if (row.floor !== undefined) sink.integer(row.floor);
};

export const writeOutcome = (sink: ByteSink, row: Omit<OutcomeRecord, 'row'>): void => {
  sink.byte(KIND.outcome);
  sink.count(row.lane);
  sink.count(row.firstSeq);
  sink.float(row.at);
  sink.count(row.order);
  sink.byte(
    OUTCOME_CODES.indexOf(row.outcome) |
      (row.tainted ? FLAG.tainted : 0) |
      (row.notSent ? FLAG.notSent : 0) |
      (row.baseOffset === undefined ? 0 : FLAG.baseOffset) |
      (row.code === undefined ? 0 : FLAG.code) |
      (row.leaderEpoch === undefined ? 0 : FLAG.leaderEpoch) |
      (row.reason === undefined ? 0 : FLAG.reason),
  );
  sink.count(row.attempts);
  if (row.baseOffset !== undefined) sink.integer(row.baseOffset);
  if (row.code !== undefined) sink.integer(row.code);
  if (row.leaderEpoch !== undefined) sink.integer(row.leaderEpoch);
  if (row.reason !== undefined) sink.count(row.reason);
};

export const writeClose = (sink: ByteSink, row: Omit<CloseRow, 'row'>): void => {
  sink.byte(KIND.close);
  for (const value of [row.intents, row.outcomes, row.sent, row.ok, row.fail, row.unknown, row.chain])
    sink.count(value);
};

const readIntent = (cursor: ByteCursor): IntentRecord => {
  const row = 'intent';
  const lane = cursor.count();
  const firstSeq = cursor.count();
  const count = cursor.count();
  const at = cursor.float();
  const order = cursor.count();
  if (cursor.byte() === 0) return { row, lane, firstSeq, count, at, order };
  return { row, lane, firstSeq, count, at, order, floor: cursor.integer() };
};

const readOutcome = (cursor: ByteCursor): OutcomeRecord => {
  const lane = cursor.count();
  const firstSeq = cursor.count();
  const at = cursor.float();
  const order = cursor.count();
  const flags = cursor.byte();
  const outcome = OUTCOME_CODES[flags & 3];
  if (outcome === undefined) throw new MalformedRow('an outcome is none of ok, fail, unknown');
  return {
    row: 'outcome',
    lane,
    firstSeq,
    at,
    order,
    outcome,
    attempts: cursor.count(),
    tainted: (flags & FLAG.tainted) !== 0,
    notSent: (flags & FLAG.notSent) !== 0,
    ...((flags & FLAG.baseOffset) === 0 ? {} : { baseOffset: cursor.integer() }),
    ...((flags & FLAG.code) === 0 ? {} : { code: cursor.integer() }),
    ...((flags & FLAG.leaderEpoch) === 0 ? {} : { leaderEpoch: cursor.integer() }),
    ...((flags & FLAG.reason) === 0 ? {} : { reason: cursor.count() }),
  };
};

/** The next row of a frame; throws MalformedRow. */
export const readLedgerRow = (cursor: ByteCursor): LedgerRow => {
  const kind = cursor.byte();
  switch (kind) {
    case KIND.lane:
      return {
        row: 'lane',
        lane: cursor.count(),
        producer: cursor.text(),
        incarnation: cursor.count(),
        topic: cursor.text(),
        partition: cursor.count(),
      };
    case KIND.text:
      return { row: 'text', text: cursor.count(), value: cursor.text() };
    case KIND.intent:
      return readIntent(cursor);
    case KIND.outcome:
      return readOutcome(cursor);
    case KIND.close:
      return {
        row: 'close',
        intents: cursor.count(),
        outcomes: cursor.count(),
        sent: cursor.count(),
        ok: cursor.count(),
        fail: cursor.count(),
        unknown: cursor.count(),
        chain: cursor.count(),
      };
    default:
      throw new MalformedRow(`there is no row kind ${kind}`);
  }
};
