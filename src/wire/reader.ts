// A fresh reader: explicit partition and offset, nothing remembered between reads. An offset out of range is a result, never a
// reset; a wrong checksum is reported with its batch; what a broker sends comes back in the order in which it was sent.
import type { Offset } from '../vocabulary.ts';
import { abortedBatches } from './aborted-records.ts';
import type { ClusterClient } from './cluster-client.ts';
import { type Deadline, deadlineAfter, requestOptions, tryUntil } from './deadline.ts';
import { OFFSET_OUT_OF_RANGE } from './error-codes.ts';
import { type Isolation, isolationLevel, refuseCode } from './evidence-calls.ts';
import type { ResponseBody } from './protocol.ts';
import { type BatchPolicy, decodeRecordBatches, type RecordBatch } from './record-batch.ts';
import { WireError } from './wire-error.ts';

export interface ReaderOptions {
  readonly client: ClusterClient;
  readonly topic: string;
  readonly isolation: Isolation;
  /** What to do with a batch that has a right checksum and cannot be read; default `throw`. */
  readonly onUnreadable?: BatchPolicy;
  /** How long a broker may wait for records when there are none; default 250 ms. */
  readonly maxWaitMs?: number;
  /** For one fetch, its waiting included; default 5 s. */
  readonly fetchTimeoutMs?: number;
}

export interface ReadBatch extends RecordBatch {
  /** Part of an aborted transaction; told at read_committed only, where such records must not be taken as read. */
  readonly isAborted: boolean;
}

interface LogState {
  readonly highWatermark: number;
  /** −1 where the broker tells none. */
  readonly lastStableOffset: number;
  readonly logStartOffset: number;
}

export type ReadAnswer =
  | (LogState & {
      readonly kind: 'batches';
      /** As sent; records below the asked offset are left out of a batch that spans it. Empty when there was nothing. */
      readonly batches: readonly ReadBatch[];
      /** Behind the last offset that came, or the asked offset. */
      readonly nextOffset: Offset;
    })
  | (LogState & { readonly kind: 'out-of-range' });

const DEFAULT_MAX_WAIT_MS = 250;
const DEFAULT_FETCH_TIMEOUT_MS = 5_000;

type Row = ResponseBody<'Fetch'>['responses'][number]['partitions'][number];

export class Reader {
  readonly #options: ReaderOptions;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /**
   * One fetch of at most about `maxBytes` from `from` on, following the leader until it answers. Throws `WireError` when the
   * deadline passes, for records that cannot be read, and for codes that do not pass.
   */
  async read(
    partition: number,
    from: Offset,
    maxBytes: number,
    deadlineMs: number,
    signal?: AbortSignal,
  ): Promise<ReadAnswer> {
    const deadline = deadlineAfter(deadlineMs, signal);
    const awaited = `records of ${this.#options.topic}/${partition} from offset ${from}`;
    const row = await tryUntil(deadline, awaited, async () => await this.#fetch(partition, from, maxBytes, deadline));
    const state = {
      highWatermark: row.highWatermark,
      lastStableOffset: row.lastStableOffset,
      logStartOffset: row.logStartOffset,
    };
    if (row.errorCode === OFFSET_OUT_OF_RANGE) return { kind: 'out-of-range', ...state };
    const batches = this.#batchesOf(row, from);
    return { kind: 'batches', batches, nextOffset: nextOffsetOf(batches, from), ...state };
  }

  async #fetch(partition: number, from: Offset, maxBytes: number, deadline: Deadline): Promise<Row> {
    const { client, topic, isolation } = this.#options;
    const { connection, leaderEpoch } = await client.leaderConnection(topic, partition, deadline);
    const maxWaitMs = Math.min(this.#options.maxWaitMs ?? DEFAULT_MAX_WAIT_MS, Math.floor(deadline.remainingMs()));
    const position = { partition, currentLeaderEpoch: leaderEpoch, fetchOffset: from, partitionMaxBytes: maxBytes };
    const body = {
      maxWaitMs,
      minBytes: 1,
      maxBytes,
      isolationLevel: isolationLevel(isolation),
      topics: [{ topic, partitions: [position] }],
    };
    const limit = requestOptions(deadline, this.#options.fetchTimeoutMs ?? DEFAULT_FETCH_TIMEOUT_MS);
    try {
      const answer = await connection.request('Fetch', body, limit);
      refuseCode(`Fetch of ${topic}/${partition}`, answer.errorCode);
      const row = rowFor(answer, topic, partition);
      if (row.errorCode !== OFFSET_OUT_OF_RANGE) refuseCode(`Fetch of ${topic}/${partition}`, row.errorCode);
      return row;
    } catch (error) {
      client.forgetMetadata();
      throw error;
    }
  }

  #batchesOf(row: Row, from: Offset): readonly ReadBatch[] {
    const { onUnreadable } = this.#options;
    const bytes = row.records ?? Buffer.alloc(0);
    const { batches, incompleteBytes } = decodeRecordBatches(bytes, 'report', onUnreadable);
    if (batches.length === 0 && incompleteBytes > 0) {
      throw new WireError(
        'WIRE_BATCH_INCOMPLETE',
        `The broker sent ${incompleteBytes} bytes of a batch at offset ${from}, but not the whole of it.`,
        { hint: 'Read with a larger limit.' },
      );
    }
    const aborted = abortedBatches(batches, row.abortedTransactions ?? []);
    return batches.map((batch) => ({ ...trimmed(batch, from), isAborted: aborted.has(batch) }));
  }
}

const lastOffsetOf = (batch: RecordBatch): number => batch.baseOffset + batch.lastOffsetDelta;

/** Behind the last batch; behind `from` at least when a damaged batch does not say credibly where it ends. */
const nextOffsetOf = (batches: readonly RecordBatch[], from: Offset): Offset => {
  const behind = batches.map((batch) => lastOffsetOf(batch) + 1);
  const least = batches.every(({ crcOk }) => crcOk) ? from : from + 1;
  return Math.max(least, ...behind) as Offset;
};

/** A batch that spans the asked offset, without the records before it; any other batch as it is. */
const trimmed = (batch: RecordBatch, from: Offset): RecordBatch =>
  batch.baseOffset < from && lastOffsetOf(batch) >= from
    ? { ...batch, records: batch.records.filter(({ offset }) => offset >= from) }
    : batch;

const rowFor = (answer: ResponseBody<'Fetch'>, topic: string, partition: number): Row => {
  const rows = answer.responses.filter((response) => response.topic === topic).flatMap(({ partitions }) => partitions);
  const row = rows.find(({ partitionIndex }) => partitionIndex === partition);
  if (row !== undefined) return row;
  throw new WireError('WIRE_REFUSED', `Fetch of ${topic}/${partition} was answered without that partition.`);
};
