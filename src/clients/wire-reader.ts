// Our own reader behind the client contract: explicit offsets, checksums verified, out-of-range told and never repaired.
import { deadlineSignal, systemClock } from '../clock.ts';
import { describeError } from '../errors.ts';
import type { Offset } from '../vocabulary.ts';
import { ClusterClient } from '../wire/cluster-client.ts';
import { type ReadBatch, Reader as WireReader } from '../wire/reader.ts';
import type { Reader, ReaderOptions, ReadRange, ReadRecord, ReadResult } from './client.ts';

const FETCH_BYTES = 1024 * 1024;
const FETCH_WAIT_MS = 100;
const FETCH_PATIENCE_MS = 10_000;
/** Before a fetch that brought nothing new or ended in an error is tried again: some never do better, and the deadline decides. */
const RETRY_MS = 100;

const recordsOf = (batch: ReadBatch): ReadRecord[] => {
  const facts = {
    control: batch.isControl,
    leaderEpoch: batch.partitionLeaderEpoch,
    producerId: batch.producerId,
    producerEpoch: batch.producerEpoch,
    ...(batch.crcOk ? {} : { damaged: true }),
  };
  const legible = batch.records.map((record) => ({
    ...facts,
    offset: record.offset,
    key: record.key,
    value: record.value,
    headers: new Map(record.headers.map(({ key, value }) => [key, value ?? Buffer.alloc(0)])),
  }));
  return batch.crcOk ? legible : [...legible, ...illegible(batch, legible.length, facts)];
};

/** The offsets of a damaged batch whose records cannot be read: they were there, and what they held is not known. */
const illegible = (
  batch: ReadBatch,
  from: number,
  facts: Omit<ReadRecord, 'offset' | 'key' | 'value' | 'headers'>,
): ReadRecord[] =>
  Array.from({ length: Math.max(0, batch.recordCount - from) }, (_, index) => ({
    ...facts,
    offset: batch.baseOffset + from + index,
    key: null,
    value: null,
    headers: new Map<string, Buffer>(),
  }));

const steppedOver = (batches: readonly ReadBatch[]): string | undefined => {
  const [first] = batches.flatMap(({ baseOffset, lastOffsetDelta, unreadable }) =>
    unreadable === undefined
      ? []
      : [`offsets ${baseOffset} to ${baseOffset + lastOffsetDelta} cannot be read: ${unreadable.describe()}`],
  );
  return first;
};

const handOver = (batches: readonly ReadBatch[], range: ReadRange): void => {
  for (const batch of batches) if (!batch.isAborted) range.onRecords(recordsOf(batch));
};

class WireClientReader implements Reader {
  readonly #client: ClusterClient;

  constructor(options: ReaderOptions) {
    this.#client = new ClusterClient({
      bootstrap: options.bootstrap,
      clientId: options.clientId,
      security: options.security,
    });
  }

  async readRange(range: ReadRange): Promise<ReadResult> {
    const { topic, partition, from, above, deadlineMs, signal, isShared } = range;
    const reader = new WireReader({
      client: this.#client,
      topic,
      isolation: 'read_committed',
      maxWaitMs: FETCH_WAIT_MS,
      onUnreadable: isShared === true ? 'report' : 'throw',
    });
    const ended = deadlineSignal(deadlineMs, signal);
    const pause = async (): Promise<void> => await systemClock.sleep(RETRY_MS, ended).catch(() => undefined);
    let position = from;
    let detail: string | undefined;
    while (!(position > above && range.done())) {
      if (ended.aborted) return { from, position, end: 'timeout', ...(detail === undefined ? {} : { detail }) };
      let answer: Awaited<ReturnType<WireReader['read']>>;
      try {
        answer = await reader.read(partition, position as Offset, FETCH_BYTES, FETCH_PATIENCE_MS, ended);
      } catch (thrown) {
        detail = describeError(thrown);
        await pause();
        continue;
      }
      if (answer.kind === 'out-of-range') {
        detail = `offset ${position} is out of range (log start ${answer.logStartOffset}, end ${answer.highWatermark})`;
        return { from, position, end: 'out-of-range', detail };
      }
      detail = steppedOver(answer.batches) ?? detail;
      handOver(answer.batches, range);
      if (answer.nextOffset === position) await pause();
      position = answer.nextOffset;
    }
    return { from, position, end: range.reachedEnd, ...(detail === undefined ? {} : { detail }) };
  }

  close(): Promise<void> {
    this.#client.close();
    return Promise.resolve();
  }
}

export const openWireReader = (options: ReaderOptions): Promise<Reader> =>
  Promise.resolve(new WireClientReader(options));
