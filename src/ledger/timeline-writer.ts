// The event stream of a run, `timeline.ndjson`: one JSON line for each thing that happened besides the records. Each line
// carries `order`, so that it can be placed among the intents and outcomes of the ledger. The one thing to know: the last line
// is a seal over all the others; a timeline that lost its end, or any byte, is seen to have.
import { closeSync, fdatasyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32c } from '../checksum.ts';
import { EnvironmentError } from '../errors.ts';
import type { SealLine, TimelineLine } from './history-lines.ts';
import type { RunOrder } from './run-order.ts';

export const TIMELINE_FILE = 'timeline.ndjson';

export interface TimelineWriter {
  /**
   * Appends one line. `order` is a number reserved when the thing happened (a snapshot: when it was asked); without it the
   * line is ordered now. It never throws, because much of what is told comes from watchers that nobody waits for: `assertWritten` does.
   */
  write(line: Exclude<TimelineLine, SealLine>, order?: number): void;
  /** Throws EnvironmentError if a line could not be written. */
  assertWritten(): void;
  /**
   * Ends what was written so far with a seal, as it must be before it is judged; more may be written, and sealed again.
   * Throws like `assertWritten`.
   */
  seal(): void;
  /** Seals, and syncs to the disk. */
  close(): Promise<void>;
}

class FileTimelineWriter implements TimelineWriter {
  readonly #path: string;
  readonly #order: RunOrder;
  readonly #descriptor: number;
  #closed = false;
  #sealed = false;
  #lines = 0;
  #checksum = 0;
  #lastAt = 0;
  #failure: EnvironmentError | undefined;

  constructor(directory: string, order: RunOrder) {
    this.#path = join(directory, TIMELINE_FILE);
    this.#order = order;
    try {
      mkdirSync(directory, { recursive: true });
      this.#descriptor = openSync(this.#path, 'ax');
    } catch (cause) {
      throw new EnvironmentError('TIMELINE_NOT_CREATED', `Cannot create ${this.#path}.`, {
        cause,
        hint: 'Each run needs a new directory that it may write to.',
      });
    }
  }

  write(line: Exclude<TimelineLine, SealLine>, order?: number): void {
    if (this.#failure !== undefined || this.#closed) return;
    this.#append(line, order ?? this.#order.next());
    this.#lastAt = line.at;
    this.#sealed = false;
  }

  assertWritten(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  seal(): void {
    this.assertWritten();
    if (this.#sealed || this.#closed) return;
    const seal: SealLine = { t: 'seal', at: this.#lastAt, lines: this.#lines, checksum: this.#checksum };
    this.#append(seal, this.#order.next());
    this.#sealed = true;
    this.assertWritten();
  }

  #append(line: TimelineLine, order: number): void {
    const bytes = Buffer.from(`${JSON.stringify({ order, ...line })}\n`, 'utf8');
    try {
      let written = 0;
      while (written < bytes.length) written += writeSync(this.#descriptor, bytes, written);
    } catch (cause) {
      this.#failure = new EnvironmentError('TIMELINE_NOT_WRITTEN', `Cannot write to ${this.#path}.`, {
        cause,
        hint: 'Free some space or choose another directory with --out.',
      });
    }
    this.#lines += 1;
    this.#checksum = crc32c(bytes, this.#checksum);
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    try {
      this.seal();
      fdatasyncSync(this.#descriptor);
    } finally {
      this.#closed = true;
      closeSync(this.#descriptor);
    }
    return Promise.resolve();
  }
}

/** Begins `<directory>/timeline.ndjson`; the file must not exist. */
export const createTimeline = (directory: string, order: RunOrder): TimelineWriter =>
  new FileTimelineWriter(directory, order);
