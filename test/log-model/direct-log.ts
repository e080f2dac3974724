// One partition over a store that answers at once, with a clock that moves only when it is told to.
import type {
  AppendResult,
  FetchResult,
  LogLimits,
  PartitionLog,
  TakeoverResult,
} from '../../src/embedded/log/interfaces.ts';
import { takeOver } from '../../src/embedded/log/takeover.ts';
import { S3Wal } from '../../src/embedded/wal/s3-wal.ts';
import type { BrokerId, DefectName, Offset } from '../../src/vocabulary.ts';
import { DirectStore } from './direct-store.ts';
import { encodeTinyBatch, readTinyBatch, type TinyInput, tinyBatchesIn, tinyBatchFormat } from './tiny-batch.ts';
import { clockOf, Process } from './world.ts';

export interface OwnerOptions {
  readonly defects?: readonly DefectName[];
  readonly limits?: Partial<LogLimits>;
  readonly signal?: AbortSignal;
}

export class DirectPartition {
  readonly store = new DirectStore();
  readonly #process = new Process('direct');
  #attempts = 0;
  #lastBatch = 0;

  async takeOver(epoch: number, { defects, limits, signal }: OwnerOptions = {}): Promise<TakeoverResult> {
    return await takeOver({
      stores: { meta: this.store, wal: new S3Wal(this.store, this.store), data: this.store },
      format: tinyBatchFormat,
      clock: clockOf(this.#process),
      topicId: 't',
      partition: 0,
      brokerId: 1 as BrokerId,
      epoch,
      nonce: `n${++this.#attempts}`,
      defects: new Set(defects),
      limits: limits ?? {},
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** A new owner; fails when the takeover is refused. */
  async own(epoch: number, options: OwnerOptions = {}): Promise<PartitionLog> {
    const result = await this.takeOver(epoch, options);
    if (result.status === 'fenced') throw new Error(`epoch ${result.epoch} is held`);
    return result.log;
  }

  /** Appends a batch with a number of its own, counted from 1. */
  async append(log: PartitionLog, batch: Partial<TinyInput> = {}): Promise<AppendResult> {
    const id = ++this.#lastBatch;
    const bytes = encodeTinyBatch({ id, recordCount: 1, producerId: -1, baseSequence: 0, ...batch });
    return await log.append({ bytes, header: readTinyBatch(bytes, 0) });
  }

  /** Ends every sleep there is. */
  async tick(): Promise<void> {
    for (const alarm of this.#process.alarms.splice(0)) alarm.happen();
    await this.settle();
  }

  /** Resolves when everything that can go on has gone on. */
  async settle(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** Uploads everything `log` holds. */
export const flushed = async (log: PartitionLog): Promise<boolean> => await log.flush(new AbortController().signal);

/** A fetch from `offset`. */
export const fetchFrom = async (log: PartitionLog, offset: number, maxBytes = 1_000_000): Promise<FetchResult> =>
  await log.fetch(offset as Offset, maxBytes);

/** Numbers of the batches that a fetch returned; fails when it could not be served. */
export const numbersIn = (result: FetchResult): readonly number[] => {
  if (result.status !== 'read') throw new Error(`the fetch answered ${result.status}`);
  return result.records.flatMap(tinyBatchesIn).map(({ id }) => id);
};
