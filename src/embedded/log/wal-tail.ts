// Recovery's reading of the write-ahead log: which slots belong to the log beyond what is uploaded. It reads after the fence
// was moved, so that every acknowledged slot is there to be found, and it changes nothing: only the claim of the index makes
// its answer true. If a former owner uploads and trims meanwhile, slots vanish under it; then that claim fails too.
import type { BatchFormat } from './interfaces.ts';
import { LogDamaged } from './log-damaged.ts';
import { mapConcurrently } from './map-concurrently.ts';
import { type Extent, type PartitionIndex, uploadedEnd } from './partition-index.ts';
import { decodeSlot, type Slot } from './slot.ts';
import { type AcceptedSlot, acceptTorn } from './torn-slot.ts';
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

/** What recovery reads with. */
export interface TailReader {
  readonly wal: WriteAheadLog;
  readonly format: BatchFormat;
  /** Shuts whoever may still write there out. */
  readonly successor: SlotWriter;
}

/** The slots up to the first that has gone; they must continue the log at `baseOffset`. */
const readRun = async (
  { wal, format, successor }: TailReader,
  run: readonly ListedSlot[],
  baseOffset: number,
): Promise<readonly FoundSlot[]> => {
  const read = await mapConcurrently(run, READS_AT_ONCE, async ({ key }) => await wal.recover(key, successor));
  const decode = (bytes: Uint8Array, key: string): AcceptedSlot | undefined =>
    successor.defects.has('torn-tail-accepted')
      ? acceptTorn(format, bytes, key)
      : { ...decodeSlot(bytes, key), isShort: false };
  const found: FoundSlot[] = [];
  let expected = baseOffset;
  for (const [index, { key, epoch, slot }] of run.entries()) {
    const bytes = read[index];
    if (bytes === undefined) break;
    const decoded = decode(bytes, key);
    if (decoded === undefined) break;
    if (decoded.epoch !== epoch || decoded.slot !== slot || decoded.baseOffset !== expected) {
      throw new LogDamaged(`slot ${key} does not continue the log at offset ${expected}`);
    }
    const { isShort, ...whole } = decoded;
    found.push({ ...whole, key });
    if (isShort) break;
    expected = decoded.endOffset;
  }
  return found;
};

/**
 * Reads what `index` leaves in the write-ahead log. Throws LogDamaged when a slot that a closed extent promises is not there: see
 * whether the index has changed, and only if not believe it.
 */
export const readWalTail = async (reader: TailReader, index: PartitionIndex | undefined): Promise<WalTail> => {
  const { wal, successor } = reader;
  const { epoch, defects } = successor;
  const { extents: known = [] } = index ?? {};
  const listed = await wal.list(successor, known);
  const extents: Extent[] = [];
  const slots: FoundSlot[] = [];
  let endOffset = index === undefined ? 0 : uploadedEnd(index);
  for (const extent of known) {
    const open = extent.endSlot === null;
    const run = open && defects.has('lose-wal-tail') ? [] : runOfExtent(listed, extent);
    const found = await readRun(reader, run, extent.baseOffset);
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
