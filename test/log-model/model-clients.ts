// Producers and a reader of the model. A producer sends to any broker that thinks it is the owner, gives up waiting whenever
// it likes and sends again; an acknowledgement counts whenever it comes and whoever gives it.
import type { AppendResult, PartitionLog } from '../../src/embedded/log/interfaces.ts';
import type { Random } from '../../src/random.ts';
import type { Offset } from '../../src/vocabulary.ts';
import type { Oracle } from './oracle.ts';
import { encodeTinyBatch, readTinyBatch, type TinyInput, tinyBatchesIn } from './tiny-batch.ts';

const MAX_RECORDS = 3;

/** Numbers the batches of one schedule. */
export class BatchNumbers {
  #last = 0;

  next(): number {
    return ++this.#last;
  }
}

export class ModelProducer {
  readonly #oracle: Oracle;
  readonly #random: Random;
  readonly #numbers: BatchNumbers;
  /** −1: not idempotent. Then each batch is sent once, whatever comes of it. */
  readonly #producerId: number;
  #nextSequence = 0;
  #current: TinyInput | undefined;

  constructor(oracle: Oracle, random: Random, numbers: BatchNumbers, producerId: number) {
    this.#oracle = oracle;
    this.#random = random;
    this.#numbers = numbers;
    this.#producerId = producerId;
  }

  get isIdle(): boolean {
    return this.#current === undefined;
  }

  /** Sends a batch to `log`: the one that is not acknowledged yet, if there is one. */
  send(log: PartitionLog): void {
    const batch = this.#current ?? this.#newBatch();
    if (this.#producerId >= 0) this.#current = batch;
    const bytes = encodeTinyBatch(batch);
    void log.append({ bytes, header: readTinyBatch(bytes, 0) }).then((result) => {
      this.#answered(batch, result);
    });
  }

  #newBatch(): TinyInput {
    const recordCount = 1 + this.#random.integer(MAX_RECORDS);
    const id = this.#numbers.next();
    this.#oracle.send(id, recordCount);
    return { id, recordCount, producerId: this.#producerId, baseSequence: this.#nextSequence };
  }

  #answered(batch: TinyInput, result: AppendResult): void {
    if (result.outcome === 'stored') this.#oracle.acknowledge(batch.id, result.baseOffset);
    if (this.#current?.id !== batch.id) return;
    if (result.outcome === 'stored') {
      this.#nextSequence += batch.recordCount;
      this.#current = undefined;
    }
    if (result.outcome === 'out-of-order-sequence' || result.outcome === 'stale-producer-epoch') {
      this.#oracle.violate(`batch ${batch.id} was refused: ${result.outcome}`);
    }
  }
}

/** One fetch from anywhere in what `log` shows. */
export const readSomewhere = async (oracle: Oracle, random: Random, log: PartitionLog): Promise<void> => {
  const endOffset = log.highWatermark;
  await readFrom(oracle, log, random.integer(endOffset + 1), 1 + random.integer(600));
};

/** One fetch; the first offsets of the batches it returned and where it ended, or undefined when it could not be served. */
const readFrom = async (
  oracle: Oracle,
  log: PartitionLog,
  offset: number,
  maxBytes: number,
): Promise<{ bases: readonly number[]; nextOffset: number } | undefined> => {
  const endOffset = log.highWatermark;
  const result = await log.fetch(offset as Offset, maxBytes);
  if (result.status === 'missing-object') oracle.violate(`${result.key} is missing`);
  if (result.status === 'out-of-range') oracle.violate(`offset ${offset} below ${endOffset} is out of range`);
  if (result.status !== 'read') return undefined;
  const batches = result.records.flatMap((records) => tinyBatchesIn(records));
  oracle.read(offset, endOffset, batches);
  const last = batches.at(-1);
  return {
    bases: batches.map(({ baseOffset }) => baseOffset),
    nextOffset: last === undefined ? offset : last.baseOffset + last.recordCount,
  };
};

/** Reads the whole log, and compares it with everything that was seen before. */
export const readAll = async (oracle: Oracle, random: Random, log: PartitionLog): Promise<void> => {
  const endOffset = log.highWatermark;
  const bases: number[] = [];
  for (let offset = 0; offset < endOffset; ) {
    const read = await readFrom(oracle, log, offset, 1 + random.integer(600));
    if (read === undefined || read.nextOffset <= offset) {
      oracle.violate(`the log cannot be read at ${offset}`);
      return;
    }
    bases.push(...read.bases);
    offset = read.nextOffset;
  }
  oracle.finish(bases, endOffset);
};

/** Asks an owner whether it still is one and, if so, where the log ends. */
export const askForEnd = async (oracle: Oracle, log: PartitionLog): Promise<void> => {
  const floor = Math.max(oracle.ackedEnd, oracle.confirmedEnd);
  if ((await log.confirmOwnership()) === 'owner') oracle.confirmEnd(log.highWatermark, floor);
};
