// The store's own record of what it was asked and what it answered: one line of JSON for each finished request, appended to a
// file and kept in memory for the admin listener. Sequence numbers go on where the file ended, so a reader that remembers one
// can tell after a restart what is new. What kill -9 takes is at most the last flush interval.
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { describeError } from '../../errors.ts';
import type { Operation } from './request-target.ts';

export interface LoggedRequest {
  readonly seq: number;
  /** Wall-clock milliseconds when the request had arrived. */
  readonly at: number;
  /** Monotonic milliseconds of the store's process at that moment. */
  readonly monotonicMs: number;
  readonly listener: string;
  readonly remotePort: number;
  readonly method: string;
  readonly op: Operation | 'unknown';
  readonly bucket: string;
  readonly key: string;
  /** First and last byte served of a ranged read, null otherwise. */
  readonly range: readonly [start: number, end: number] | null;
  readonly status: number;
  /** Bytes of the request's body that arrived, framing included. */
  readonly requestBytes: number;
  /** Bytes of the answer's body. */
  readonly responseBytes: number;
  readonly durationMs: number;
  /** The `x-ackproof-client` header, null without one. */
  readonly client: string | null;
  /** True when the connection ended before the answer was handed over. */
  readonly aborted: boolean;
}

export interface LogPage {
  readonly requests: readonly LoggedRequest[];
  /** Ask again with this to go on. */
  readonly next: number;
  /** The oldest sequence number still in memory; older ones are in the file. */
  readonly oldest: number;
}

export interface LogOptions {
  /** Undefined keeps the log in memory only. */
  readonly path?: string;
  readonly flushEveryMs: number;
  /** Requests kept in memory; older ones are only in the file. */
  readonly keep: number;
  /** Told when the file cannot be written; requests are served all the same. */
  readonly onTrouble: (text: string) => void;
}

const TAIL_BYTES = 1024 * 1024;

/** The sequence number after the file's last whole line, and whether the file ends inside a line. */
const endOfFile = (descriptor: number): { readonly nextSeq: number; readonly torn: boolean } => {
  const { size } = fstatSync(descriptor);
  const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
  readSync(descriptor, tail, 0, tail.length, size - tail.length);
  const lines = tail.toString('utf8').split('\n');
  const torn = lines.pop() !== '';
  for (const line of lines.reverse()) {
    const seq = /^\{"seq":(\d+),/.exec(line)?.[1];
    if (seq !== undefined && line.endsWith('}')) return { nextSeq: Number(seq) + 1, torn };
  }
  return { nextSeq: 0, torn };
};

export class RequestLog {
  readonly #options: LogOptions;
  readonly #descriptor: number | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #recent: LoggedRequest[] = [];
  #nextSeq = 0;
  #unwritten: string[] = [];
  /** What a full disk has not taken yet; it is written first when there is room again. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(options: LogOptions) {
    this.#options = options;
    if (options.path !== undefined) {
      this.#descriptor = openSync(options.path, 'a+');
      const { nextSeq, torn } = endOfFile(this.#descriptor);
      this.#nextSeq = nextSeq;
      if (torn) this.#unwritten.push('');
    }
    this.#timer = setInterval(() => this.flush(), options.flushEveryMs).unref();
  }

  add(request: Omit<LoggedRequest, 'seq'>): void {
    const logged: LoggedRequest = { seq: this.#nextSeq, ...request };
    this.#nextSeq += 1;
    this.#recent.push(logged);
    if (this.#recent.length > 2 * this.#options.keep) this.#recent.splice(0, this.#options.keep);
    if (this.#descriptor !== undefined) this.#unwritten.push(JSON.stringify(logged));
  }

  /** Requests with sequence numbers of at least `since`, oldest first, at most `limit`. */
  page(since: number, limit: number): LogPage {
    const oldest = this.#recent[0]?.seq ?? this.#nextSeq;
    const from = Math.max(0, since - oldest);
    const requests = this.#recent.slice(from, from + limit);
    return { requests, next: (requests.at(-1)?.seq ?? this.#nextSeq - 1) + 1, oldest };
  }

  flush(): void {
    if (this.#descriptor === undefined || this.#unwritten.length + this.#rest.length === 0) return;
    const lines = this.#unwritten.map((line) => `${line}\n`).join('');
    const bytes = Buffer.concat([this.#rest, Buffer.from(lines)]);
    this.#unwritten = [];
    let done = 0;
    try {
      while (done < bytes.length) done += writeSync(this.#descriptor, bytes, done);
    } catch (thrown) {
      this.#options.onTrouble(`The request log cannot be written: ${describeError(thrown)}`);
    }
    this.#rest = bytes.subarray(done);
  }

  close(): void {
    clearInterval(this.#timer);
    this.flush();
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }
}
