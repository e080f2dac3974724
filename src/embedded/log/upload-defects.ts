// What the two defects of the upload do to an object's bytes before it is stored; see src/embedded/defects/.
import { batchesIn } from './data-object.ts';
import type { BatchFormat, BatchHeader, DefectSet } from './interfaces.ts';

/** This far before the end of the last batch stands a record's value, unless records are tiny. */
const FLIPPED_BEFORE_END = 40;

const flipOneByte = (bytes: Uint8Array): void => {
  const at = Math.max(0, bytes.length - FLIPPED_BEFORE_END);
  bytes[at] = (bytes[at] ?? 0) ^ 0x01;
};

const areAlike = (one: BatchHeader, other: BatchHeader): boolean =>
  one.producerId === other.producerId && one.recordCount === other.recordCount && one.lengthBytes === other.lengthBytes;

/** Swaps the first batch that has one with its last match of the same producer and size; offsets stay where they are. */
const swapTwoBatches = (format: BatchFormat, bytes: Uint8Array): void => {
  const batches = batchesIn(format, bytes);
  for (const first of batches) {
    const last = batches.findLast(({ header }) => areAlike(header, first.header));
    if (last === undefined || last.at === first.at) continue;
    const held = new Uint8Array(bytes.subarray(first.at, first.at + first.header.lengthBytes)); // slice() of a Buffer is no copy
    bytes.copyWithin(first.at, last.at, last.at + last.header.lengthBytes);
    bytes.set(held, last.at);
    for (const { header, at } of [first, last]) format.stamp(bytes, at, header.baseOffset, header.leaderEpoch);
    return;
  }
};

/** Damages `bytes` in place as the defects that are switched on say. */
export const spoilUpload = (defects: DefectSet, format: BatchFormat, bytes: Uint8Array): void => {
  if (defects.has('reorder-batches')) swapTwoBatches(format, bytes);
  if (defects.has('corrupt-upload')) flipOneByte(bytes);
};
