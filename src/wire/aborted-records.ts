// Which transactional batches of a fetch answer were aborted, by the list that a broker sends along at read_committed.
import type { RecordBatch } from './record-batch.ts';

export interface AbortedTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
}

/**
 * The batches of `batches` that belong to aborted transactions. A transaction is open from its first offset until the
 * control batch of its producer; control batches themselves are not listed.
 */
export const abortedBatches = (
  batches: readonly RecordBatch[],
  aborted: readonly AbortedTransaction[],
): ReadonlySet<RecordBatch> => {
  const upcoming = [...aborted].sort((one, other) => one.firstOffset - other.firstOffset);
  const open = new Set<number>();
  const found = new Set<RecordBatch>();
  for (const batch of batches) {
    const lastOffset = batch.baseOffset + batch.lastOffsetDelta;
    while (upcoming[0] !== undefined && upcoming[0].firstOffset <= lastOffset)
      open.add((upcoming.shift() as AbortedTransaction).producerId);
    if (batch.isControl) open.delete(batch.producerId);
    else if (batch.isTransactional && open.has(batch.producerId)) found.add(batch);
  }
  return found;
};
