// Recovery's reading of the write-ahead log: which slots belong to the log beyond what is uploaded. It reads after the fence
// was moved, so that every acknowledged slot is there to be found, and it changes nothing: only the claim of the index makes
// its answer true. If a former owner uploads and trims meanwhile, slots vanish under it; then that claim fails too.
import { LogDamaged } from './log-damaged.ts';
import { mapConcurrently } from './map-concurrently.ts';
import { type Extent, type PartitionIndex, uploadedEnd } from './partition-index.ts';
import { decodeSlot, type Slot } from './slot.ts';
import type { ListedSlot, SlotWriter, WriteAheadLog } from './write-ahead-log.ts';

export interface FoundSlot extends Slot {
  readonly key: string;
}

export interface WalTail {
  /** Extents that still hold slots, all closed now. */
  readonly extents: readonly Extent[];
  /** In offset order, without a gap. */
  readonly slots: readonly FoundSlot[];
  /** Keys of slots of earlier epochs that no extent names: nobody will ever need them. */
  readonly garbage: readonly string[];
  readonly endOffset: number;
}

const READS_AT_ONCE = 16;

/** The listed slots of `extent` from its trim point up to its end or, while it is open, up to the first hole. */
const runOfExtent = (listed: readonly ListedSlot[], extent: Extent): readonly ListedSlot[] => {
  const bySlot = new Map(listed.filter(({ epoch }) => epoch === extent.epoch).map((entry) => [entry.slot, entry]));
  const run: ListedSlot[] = [];
  for (let slot = extent.firstSlot; slot !== extent.endSlot; slot++) {
    const entry = bySlot.get(slot);
    if (entry === undefined) break;
    run.push(entry);
  }
  return run;
};

/** The slots up to the first that has gone; they must continue the log at `baseOffset`. */
const readRun = async (
  wal: WriteAheadLog,
  successor: SlotWriter,
  run: readonly ListedSlot[],
  baseOffset: number,
): Promise<readonly FoundSlot[]> => {
  const read = await mapConcurrently(run, READS_AT_ONCE, async ({ key }) => await wal.recover(key, successor));
  const found: FoundSlot[] = [];
  let expected = baseOffset;
  for (const [index, { key, epoch, slot }] of run.entries()) {
    const bytes = read[index];
    if (bytes === undefined) break;
    const decoded = decodeSlot(bytes, key);
    if (decoded.epoch !== epoch || decoded.slot !== slot || decoded.baseOffset !== expected) {
      throw new LogDamaged(`slot ${key} does not continue the log at offset ${expected}`);
    }
    found.push({ ...decoded, key });
    expected = decoded.endOffset;
  }
  return found;
};

/**
 * Reads what `index` leaves in the write-ahead log, for `successor`, which shuts whoever may still write there out. Throws
 * LogDamaged when a slot that a closed extent promises is not there: see whether the index has changed, and only if not believe it.
 */
export const readWalTail = async (
  wal: WriteAheadLog,
  index: PartitionIndex | undefined,
  successor: SlotWriter,
): Promise<WalTail> => {
  const { epoch, defects } = successor;
  const { extents: known = [] } = index ?? {};
  const listed = await wal.list(successor, known);
  const extents: Extent[] = [];
  const slots: FoundSlot[] = [];
  let endOffset = index === undefined ? 0 : uploadedEnd(index);
  for (const extent of known) {
    const open = extent.endSlot === null;
    const run = open && defects.has('lose-wal-tail') ? [] : runOfExtent(listed, extent);
    const found = await readRun(wal, successor, run, extent.baseOffset);
    const endSlot = extent.firstSlot + found.length;
    if (!open && endSlot !== extent.endSlot) {
      throw new LogDamaged(`slot ${endSlot} of ${extent.place} is missing from the write-ahead log`);
    }
    if (found.length > 0) extents.push({ ...extent, endSlot });
    slots.push(...found);
    endOffset = found.at(-1)?.endOffset ?? endOffset;
  }
  const kept = new Set(slots.map((slot) => slot.key));
  const garbage = listed.filter((entry) => entry.epoch < epoch && !kept.has(entry.key)).map((entry) => entry.key);
  return { extents, slots, garbage, endOffset };
};
