// The ledger while a run goes on: what was about to be sent, and what became of it. The one thing to know: `intent` returns
// only after its write(2) has, so that no byte of a request can leave before its intent is in the file; outcomes follow in
// groups, on the disk at most 50 ms later.
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Outcome } from '../vocabulary.ts';
import { ByteSink } from './bytes.ts';
import { FrameWriter } from './frame-file.ts';
import { type LaneName, writeClose, writeIntent, writeLane, writeOutcome, writeText } from './ledger-rows.ts';
import type { RunOrder } from './run-order.ts';

const GROUP_COMMIT_MS = 50;
/** Reasons are told once and referred to by number; a run with more different ones than this keeps only the first. */
const MOST_REASONS = 4096;
const LONGEST_REASON = 400;

/** One produce request about to be handed over: records `firstSeq … firstSeq + count − 1` of one lane. */
export interface SendIntent {
  readonly producer: string;
  readonly incarnation: number;
  readonly topic: string;
  readonly partition: number;
  readonly firstSeq: number;
  readonly count: number;
  /** Milliseconds since the start of the run, taken before the request is built. */
  readonly at: number;
}

/** What became of it. `ok` without `baseOffset` is stored at an offset that is not trusted. */
export interface SendOutcome {
  /** Milliseconds since the start of the run, taken when the answer was there. */
  readonly at: number;
  readonly outcome: Outcome;
  readonly baseOffset?: number;
  readonly attempts: number;
  readonly tainted: boolean;
  readonly code?: number;
  readonly notSent?: boolean;
  readonly leaderEpoch?: number;
  readonly reason?: string;
}

declare const handle: unique symbol;
/** Ties an outcome to its intent; good for one outcome. */
export interface IntentHandle {
  readonly [handle]: true;
}

interface OpenIntent {
  readonly lane: number;
  readonly place: string;
  readonly firstSeq: number;
  readonly count: number;
}

export interface LedgerCounts {
  readonly sent: number;
  readonly ok: number;
  readonly fail: number;
  readonly unknown: number;
}

export interface LedgerWriter {
  /** Returns after the row was written; only then may the request leave. Throws EnvironmentError if it cannot be written. */
  intent(row: SendIntent): IntentHandle;
  /** Written with the next intent or within 50 ms, then synced. A failed write is thrown by the next call. */
  outcome(intent: IntentHandle, row: SendOutcome): void;
  /** Resolves when all rows written so far are on the disk. */
  sync(): Promise<void>;
  /** Writes the close row and syncs; intents without an outcome stay unknown. */
  close(): Promise<void>;
  /** Records, not requests; an open intent counts as sent only. */
  readonly counts: LedgerCounts;
  readonly bytesWritten: number;
}

export interface LedgerOptions {
  readonly run: string;
  readonly clock: Clock;
  readonly order: RunOrder;
  /** Names the file where several processes write ledgers; default `harness`. */
  readonly name?: string;
  /** CRC32C of contract.json, so that a run is never judged by another contract than its own. */
  readonly contract?: number;
}

class FileLedgerWriter implements LedgerWriter {
  readonly #file: FrameWriter;
  readonly #order: RunOrder;
  readonly #pending = new ByteSink();
  readonly #lanes = new Map<string, number>();
  readonly #reasons = new Map<string, number>();
  readonly #floors = new Map<string, number>();
  readonly #counts = { sent: 0, ok: 0, fail: 0, unknown: 0 };
  #intents = 0;
  #outcomes = 0;
  #timer: NodeJS.Timeout | undefined;
  #syncing: Promise<void> | undefined;
  #failure: unknown;
  #closed = false;

  constructor(directory: string, options: LedgerOptions) {
    const path = join(directory, 'ledger', `${options.name ?? 'harness'}.rows`);
    const { run, clock, contract } = options;
    const promised = contract === undefined ? {} : { contract };
    this.#file = new FrameWriter(path, { kind: 'ledger', run, wallMs: clock.wall(), ...promised });
    this.#order = options.order;
  }

  get counts(): LedgerCounts {
    return { ...this.#counts };
  }

  get bytesWritten(): number {
    return this.#file.bytesWritten;
  }

  intent(row: SendIntent): IntentHandle {
    this.#throwFailure();
    const place = `${row.topic}/${row.partition}`;
    const lane = this.#laneOf(row, place);
    const floor = this.#floors.get(place);
    writeIntent(this.#pending, {
      lane,
      firstSeq: row.firstSeq,
      count: row.count,
      at: row.at,
      order: this.#order.next(),
      ...(floor === undefined ? {} : { floor }),
    });
    this.#flush();
    this.#intents++;
    this.#counts.sent += row.count;
    const open: OpenIntent = { lane, place, firstSeq: row.firstSeq, count: row.count };
    return open as unknown as IntentHandle;
  }

  outcome(intent: IntentHandle, row: SendOutcome): void {
    this.#throwFailure();
    const { lane, place, firstSeq, count } = intent as unknown as OpenIntent;
    const reason = this.#reasonOf(row.reason);
    writeOutcome(this.#pending, {
      lane,
      firstSeq,
      at: row.at,
      order: this.#order.next(),
      outcome: row.outcome,
      attempts: row.attempts,
      tainted: row.tainted,
      notSent: row.notSent ?? false,
      ...(row.baseOffset === undefined ? {} : { baseOffset: row.baseOffset }),
      ...(row.code === undefined ? {} : { code: row.code }),
      ...(row.leaderEpoch === undefined ? {} : { leaderEpoch: row.leaderEpoch }),
      ...(reason === undefined ? {} : { reason }),
    });
    this.#outcomes++;
    this.#counts[row.outcome] += count;
    if (row.outcome === 'ok' && row.baseOffset !== undefined) {
      const last = row.baseOffset + count - 1;
      this.#floors.set(place, Math.max(this.#floors.get(place) ?? last, last));
    }
    this.#timer ??= setTimeout(() => this.#commitGroup(), GROUP_COMMIT_MS).unref();
  }

  async sync(): Promise<void> {
    this.#throwFailure();
    this.#flush();
    await this.#file.sync();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#syncing;
    this.#throwFailure();
    this.#flush();
    writeClose(this.#pending, {
      intents: this.#intents,
      outcomes: this.#outcomes,
      ...this.#counts,
      chain: this.#file.chain,
    });
    this.#flush();
    this.#file.close();
  }

  #laneOf(name: LaneName, place: string): number {
    const key = `${place}\n${name.incarnation}\n${name.producer}`;
    const known = this.#lanes.get(key);
    if (known !== undefined) return known;
    const lane = this.#lanes.size;
    this.#lanes.set(key, lane);
    writeLane(this.#pending, { lane, ...name });
    return lane;
  }

  #reasonOf(reason: string | undefined): number | undefined {
    if (reason === undefined) return undefined;
    const value = reason.slice(0, LONGEST_REASON);
    const known = this.#reasons.get(value);
    if (known !== undefined) return known;
    if (this.#reasons.size >= MOST_REASONS) return undefined;
    const text = this.#reasons.size;
    this.#reasons.set(value, text);
    writeText(this.#pending, { text, value });
    return text;
  }

  #flush(): void {
    if (this.#pending.length === 0) return;
    try {
      this.#file.frame(this.#pending.take());
    } catch (thrown) {
      this.#failure = thrown;
      throw thrown;
    }
  }

  #commitGroup(): void {
    this.#timer = undefined;
    if (this.#syncing !== undefined) {
      this.#timer = setTimeout(() => this.#commitGroup(), GROUP_COMMIT_MS).unref();
      return;
    }
    try {
      this.#flush();
    } catch {
      return; // kept: the next call throws it
    }
    this.#syncing = this.#file
      .sync()
      .catch((thrown: unknown) => {
        this.#failure = thrown;
      })
      .finally(() => {
        this.#syncing = undefined;
      });
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure as Error;
  }
}

/** Begins `<directory>/ledger/<name>.rows`; the file must not exist. */
export const createLedger = (directory: string, options: LedgerOptions): LedgerWriter =>
  new FileLedgerWriter(directory, options);
