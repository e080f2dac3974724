// A second reader, by kafkajs. The library reads only in groups, so each range has a fresh group and a seek at the join; and
// because it answers OFFSET_OUT_OF_RANGE with a silent reset, that answer, seen on its sockets, or a first offset other than the
// sought one ends the range.
import { deadlineSignal } from '../clock.ts';
import { describeError } from '../errors.ts';
import { freshHex } from '../random.ts';
import type { Reader, ReaderOptions, ReadRange, ReadRecord, ReadResult } from './client.ts';
import { watchFetches } from './fetch-tap.ts';
import { type Consumer, createKafkaJs, type EachBatchPayload } from './kafkajs.ts';

const SESSION_MS = 10_000;
const FETCH_WAIT_MS = 100;
const REQUEST_MS = 5000;

type KafkaJsRecord = EachBatchPayload['batch']['messages'][number];

const headersOf = (record: KafkaJsRecord): ReadonlyMap<string, Buffer> => {
  const headers = new Map<string, Buffer>();
  for (const [name, value] of Object.entries(record.headers ?? {})) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) headers.set(name, Buffer.isBuffer(first) ? first : Buffer.from(first));
  }
  return headers;
};

const recordOf = (record: KafkaJsRecord): ReadRecord => ({
  offset: Number.parseInt(record.offset, 10),
  key: record.key,
  value: record.value,
  headers: headersOf(record),
  control: false,
});

/** The first and the last offset that a fetch brought, control records included; `first` is missing where it brought none. */
interface Fetched {
  readonly first: number | undefined;
  readonly last: number;
}

const fetched = (first: string | null, last: string): Fetched => ({
  first: first === null ? undefined : Number.parseInt(first, 10),
  last: Number.parseInt(last, 10),
});

class RangeState {
  position: number;
  started = false;
  detail: string | undefined;
  outOfRange = false;
  #isOver = false;
  readonly #range: ReadRange;

  constructor(range: ReadRange) {
    this.#range = range;
    this.position = range.from;
  }

  /** The broker answered that the position is not in its log: whatever the library reads next was not asked for. */
  leaveRange(): void {
    if (this.outOfRange) return;
    this.outOfRange = true;
    this.detail = `offset ${this.position} is out of range`;
  }

  /** What the library still brings is not part of the range any more. */
  stop(): void {
    this.#isOver = true;
  }

  /** True when the range has come to its end. */
  take(records: readonly KafkaJsRecord[], { first, last }: Fetched): boolean {
    if (this.outOfRange || this.#isOver) return true;
    if (!this.started && first !== undefined) {
      this.started = true;
      if (first !== this.#range.from) {
        this.outOfRange = true;
        this.detail = `sought offset ${this.#range.from}, was given ${first}`;
        return true;
      }
    }
    this.#range.onRecords(records.map(recordOf));
    this.position = Math.max(this.position, last + 1);
    this.#isOver = this.reachedEnd;
    return this.#isOver;
  }

  get reachedEnd(): boolean {
    return this.position > this.#range.above && this.#range.done();
  }

  result(ended: 'finished' | 'deadline'): ReadResult {
    const { from, reachedEnd } = this.#range;
    const detail = this.detail === undefined ? {} : { detail: this.detail };
    if (this.outOfRange) return { from, position: this.position, end: 'out-of-range', ...detail };
    return { from, position: this.position, end: ended === 'finished' ? reachedEnd : 'timeout', ...detail };
  }
}

class KafkaJsReader implements Reader {
  readonly #options: ReaderOptions;
  #consumer: Consumer | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  async readRange(range: ReadRange): Promise<ReadResult> {
    const state = new RangeState(range);
    if (state.reachedEnd) return state.result('finished');
    const consumer = this.#newConsumer(range, state);
    this.#consumer = consumer;
    const finished = this.#consume(consumer, range, state);
    const ended = await withDeadline(finished, range.deadlineMs, range.signal).catch((thrown: unknown) => {
      state.detail ??= describeError(thrown);
      return 'deadline' as const;
    });
    state.stop();
    await this.close();
    return state.result(ended);
  }

  async close(): Promise<void> {
    const consumer = this.#consumer;
    this.#consumer = undefined;
    if (consumer === undefined) return;
    const ended = consumer.disconnect().then(() => 'finished' as const);
    await withDeadline(ended, 2000, undefined).catch(() => undefined);
  }

  #newConsumer({ topic, partition }: ReadRange, state: RangeState): Consumer {
    const kafka = createKafkaJs({
      brokers: this.#options.bootstrap.map((address) => `${address.host}:${address.port}`),
      clientId: this.#options.clientId,
      requestTimeoutMs: REQUEST_MS,
      security: this.#options.security,
      onSocket: (socket) => watchFetches(socket, { topic, partition, onOutOfRange: () => state.leaveRange() }),
    });
    return kafka.consumer({
      groupId: `${this.#options.clientId}-${freshHex(8)}`,
      sessionTimeout: SESSION_MS,
      rebalanceTimeout: SESSION_MS,
      heartbeatInterval: 1000,
      allowAutoTopicCreation: false,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      readUncommitted: false,
      retry: { retries: 5, initialRetryTime: 50, maxRetryTime: 500 },
    });
  }

  async #consume(consumer: Consumer, range: ReadRange, state: RangeState): Promise<'finished'> {
    const { topic, partition } = range;
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    return await new Promise((resolve, reject) => {
      consumer.on('consumer.crash', ({ payload }) => reject(payload.error));
      // Control records and records of aborted transactions alone never come to `eachBatch`; the library tells of them here only.
      consumer.on('consumer.start_batch_process', ({ payload }) => {
        if (payload.batchSize > 0 || payload.partition !== partition) return;
        if (state.take([], fetched(payload.firstOffset, payload.lastOffset))) resolve('finished');
      });
      const eachBatch = (payload: EachBatchPayload): Promise<void> => {
        const { batch } = payload;
        if (batch.partition !== partition) {
          payload.pause();
          return Promise.resolve();
        }
        if (state.take(batch.messages, fetched(batch.firstOffset(), batch.lastOffset()))) {
          payload.pause();
          resolve('finished');
        }
        return Promise.resolve();
      };
      consumer
        .run({ autoCommit: false, eachBatchAutoResolve: true, partitionsConsumedConcurrently: 1, eachBatch })
        .catch(reject);
      consumer.seek({ topic, partition, offset: String(range.from) });
    });
  }
}

const withDeadline = async (
  work: Promise<'finished'>,
  deadlineMs: number,
  signal: AbortSignal | undefined,
): Promise<'finished' | 'deadline'> => {
  const ended = deadlineSignal(deadlineMs, signal);
  const deadline = new Promise<'deadline'>((resolve) => {
    ended.addEventListener('abort', () => resolve('deadline'), { once: true });
  });
  return await Promise.race([work, deadline]);
};

export const openKafkaJsReader = (options: ReaderOptions): Promise<Reader> =>
  Promise.resolve(new KafkaJsReader(options));
