// Recovery's reading of the write-ahead log: which slots belong to the log beyond what is uploaded. It reads after the fence
// was moved, so that every acknowledged slot is there to be found, and it changes nothing: only the claim of the index makes
// its answer true. If a former owner uploads and trims meanwhile, slots vanish under it; then that claim fails too.
import type { ConditionalStore, DefectSet } from './interfaces.ts';
import { type PartitionKeys, parseSlotKey } from './keys.ts';
import { LogDamaged } from './log-damaged.ts';
import { mapConcurrently } from './map-concurrently.ts';
import { type Extent, type PartitionIndex, uploadedEnd } from './partition-index.ts';
import { decodeSlot, type Slot } from './slot.ts';

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

interface ListedSlot {
  readonly key: string;
  readonly epoch: number;
  readonly slot: number;
}

const READS_AT_ONCE = 16;

const listSlots = async (store: ConditionalStore, keys: PartitionKeys): Promise<readonly ListedSlot[]> => {
  const listed: ListedSlot[] = [];
  for await (const page of store.list(keys.wal)) {
    for (const key of page) {
      const place = parseSlotKey(keys.wal, key);
      if (place !== undefined) listed.push({ key, ...place });
    }
  }
  return listed;
};

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
  store: ConditionalStore,
  run: readonly ListedSlot[],
  baseOffset: number,
): Promise<readonly FoundSlot[]> => {
  const objects = await mapConcurrently(run, READS_AT_ONCE, async ({ key }) => await store.get(key));
  const found: FoundSlot[] = [];
  let expected = baseOffset;
  for (const [index, { key, epoch, slot }] of run.entries()) {
    const object = objects[index];
    if (object === undefined) break;
    const read = decodeSlot(object.bytes, key);
    if (read.epoch !== epoch || read.slot !== slot || read.baseOffset !== expected) {
      throw new LogDamaged(`slot ${key} does not continue the log at offset ${expected}`);
    }
    found.push({ ...read, key });
    expected = read.endOffset;
  }
  return found;
};

/**
 * Reads what `index` leaves in the write-ahead log, for an owner with `epoch`. Throws LogDamaged when a slot that a closed
 * extent promises is not there: see whether the index has changed, and only if not believe it.
 */
export const readWalTail = async (
  store: ConditionalStore,
  keys: PartitionKeys,
  index: PartitionIndex | undefined,
  epoch: number,
  defects: DefectSet,
): Promise<WalTail> => {
  const listed = await listSlots(store, keys);
  const extents: Extent[] = [];
  const slots: FoundSlot[] = [];
  let endOffset = index === undefined ? 0 : uploadedEnd(index);
  for (const extent of index?.extents ?? []) {
    const open = extent.endSlot === null;
    const run = open && defects.has('lose-wal-tail') ? [] : runOfExtent(listed, extent);
    const found = await readRun(store, run, extent.baseOffset);
    const endSlot = extent.firstSlot + found.length;
    if (!open && endSlot !== extent.endSlot) {
      throw new LogDamaged(`slot ${keys.slot(extent.epoch, endSlot)} is missing from the write-ahead log`);
    }
    if (found.length > 0) extents.push({ ...extent, endSlot });
    slots.push(...found);
    endOffset = found.at(-1)?.endOffset ?? endOffset;
  }
  const kept = new Set(slots.map((slot) => slot.key));
  const garbage = listed.filter((entry) => entry.epoch < epoch && !kept.has(entry.key)).map((entry) => entry.key);
  return { extents, slots, garbage, endOffset };
};
