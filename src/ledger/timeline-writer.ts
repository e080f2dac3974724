// The event stream of a run, `timeline.ndjson`: one JSON line for each thing that happened besides the records. Each line
// carries `order`, so that it can be placed among the intents and outcomes of the ledger.
import { closeSync, fdatasyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { EnvironmentError } from '../errors.ts';
import type { TimelineLine } from './history-lines.ts';
import type { RunOrder } from './run-order.ts';

export const TIMELINE_FILE = 'timeline.ndjson';

export interface TimelineWriter {
  /**
   * Appends one line. `order` is a number reserved when the thing happened (a snapshot: when it was asked); without it the
   * line is ordered now. Throws EnvironmentError if it cannot be written.
   */
  write(line: TimelineLine, order?: number): void;
  close(): Promise<void>;
}

class FileTimelineWriter implements TimelineWriter {
  readonly #path: string;
  readonly #order: RunOrder;
  readonly #descriptor: number;
  #closed = false;

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

  write(line: TimelineLine, order?: number): void {
    const text = `${JSON.stringify({ order: order ?? this.#order.next(), ...line })}\n`;
    try {
      const bytes = Buffer.from(text, 'utf8');
      let written = 0;
      while (written < bytes.length) written += writeSync(this.#descriptor, bytes, written);
    } catch (cause) {
      throw new EnvironmentError('TIMELINE_NOT_WRITTEN', `Cannot write to ${this.#path}.`, {
        cause,
        hint: 'Free some space or choose another directory with --out.',
      });
    }
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    try {
      fdatasyncSync(this.#descriptor);
    } finally {
      closeSync(this.#descriptor);
    }
    return Promise.resolve();
  }
}

/** Begins `<directory>/timeline.ndjson`; the file must not exist. */
export const createTimeline = (directory: string, order: RunOrder): TimelineWriter =>
  new FileTimelineWriter(directory, order);
