// What the defect `torn-tail-accepted` makes of a slot that is there in part: the batches whose headers can be read, up to the last of
// them. What it lacks is missing then, or damaged, by the name of its records; a log that cannot be stepped through would be neither.
import type { BatchFormat } from './interfaces.ts';
import { LogDamaged } from './log-damaged.ts';
import { decodeSlot, type Slot } from './slot.ts';

/** The header at `at`; undefined where none can be read that goes on at `baseOffset`. */
const headerAt = (format: BatchFormat, bytes: Uint8Array, at: number, baseOffset: number) => {
  try {
    const header = format.read(bytes, at);
    const isNext = header.baseOffset === baseOffset && header.recordCount > 0;
    return isNext && at + header.lengthBytes <= bytes.length ? header : undefined;
  } catch {
    return undefined; // whatever it threw: these are no bytes of a header
  }
};

/** `slot` up to its last batch that can be stepped over; undefined where there is none. */
const steppable = (format: BatchFormat, slot: Slot): Slot | undefined => {
  let [at, endOffset] = [0, slot.baseOffset];
  for (;;) {
    const header = headerAt(format, slot.batches, at, endOffset);
    if (header === undefined) break;
    at += header.lengthBytes;
    endOffset += header.recordCount;
  }
  return at === 0 ? undefined : { ...slot, endOffset, batches: slot.batches.subarray(0, at) };
};

/** A slot, or what can be stepped over of it. */
export interface AcceptedSlot extends Slot {
  /** It lacks batches, so that no slot goes on where it ends. */
  readonly isShort: boolean;
}

/** Undefined where not even a part of the slot can be accepted; a whole one is what it is. `key` names it. */
export const acceptTorn = (format: BatchFormat, bytes: Uint8Array, key: string): AcceptedSlot | undefined => {
  try {
    const slot = decodeSlot(bytes, key);
    const accepted = steppable(format, slot);
    return accepted && { ...accepted, isShort: accepted.endOffset !== slot.endOffset };
  } catch (thrown) {
    if (thrown instanceof LogDamaged) return undefined;
    throw thrown;
  }
};
