// Joins what was read with what was sent. The one thing to know: a batch that every pass shows whole where it was
// acknowledged, above its floor, is done with at once; only the records of all other batches (suspects) are looked at one by
// one. So the cost of a healthy run follows its batches, and memory follows what may be wrong.
import { hasOwnId, LaneIndex } from './lane-index.ts';
import type { PartitionView, PassView } from './partition-view.ts';
import type { ReadRun } from './run-facts.ts';
import type { Piece, SentView, SharedOffsets } from './sent-view.ts';

/** One record of a suspect batch, with every place it was seen at. */
export interface SuspectRecord {
  readonly sent: SentView;
  readonly seq: number;
  /** Its acknowledged offset, where it is `ok` and trusted. */
  readonly offset: number | undefined;
  readonly sightings: readonly Sighting[];
}

export interface Sighting {
  readonly pass: number;
  readonly partition: number;
  readonly offset: number;
  readonly read: ReadRun;
}

/** `shownBy` has a bit for each of the first passes; with more passes than this every batch is a suspect. */
const MOST_PASSES = 30;

/** Marks what one pass shows whole and in place; everything else that it touches becomes suspect. */
const scanPass = (view: PartitionView, pass: PassView, position: number, index: LaneIndex): void => {
  const shown = new Map<SentView, number>();
  let highest = Number.NEGATIVE_INFINITY;
  for (const read of pass.reads) {
    const wentBack = read.offset <= highest;
    highest = Math.max(highest, read.offset + read.count - 1);
    if (!hasOwnId(read, view.partition)) continue;
    index.match(
      read,
      (sent, seq, count, offset) => {
        const { run } = sent;
        if (wentBack || run.offset !== offset - (seq - run.seq)) {
          sent.isSuspect = true;
          return;
        }
        const sofar = (shown.get(sent) ?? 0) + count;
        if (sofar < run.count) shown.set(sent, sofar);
        else {
          shown.delete(sent);
          if (position < MOST_PASSES) sent.shownBy |= 1 << position;
        }
      },
      (seq, count, offset) => {
        const { producer, incarnation } = read.id;
        const partition = view.partition;
        view.unsent.push({ pass: pass.index, partition, offset, seq, count, read, producer, incarnation });
      },
    );
  }
  for (const sent of shown.keys()) sent.isSuspect = true;
};

const isSettledClean = (view: PartitionView, sent: SentView): boolean => {
  const { run, floor, shownBy } = sent;
  const { offset } = run;
  if (sent.isSuspect || shownBy === 0 || run.outcome !== 'ok' || offset === undefined) return false;
  if (floor !== undefined && floor.offset >= offset) return false;
  if (view.passes.length > MOST_PASSES) return false;
  if (shownBy === 2 ** view.passes.length - 1) return true;
  const last = offset + run.count - 1;
  return view.passes.every(
    (pass, position) =>
      (shownBy & (1 << position)) !== 0 ||
      !pass.ranges.some((range) => range.from <= last && (offset < range.position || range.credible)),
  );
};

const collectPieces = (view: PartitionView, index: LaneIndex): void => {
  const keep = (pass: number, partition: number, read: ReadRun) => {
    return (sent: SentView, seq: number, count: number, offset: number): void => {
      if (sent.isSuspect) sent.pieces.push({ pass, partition, offset, seq, count, read });
    };
  };
  const pass = (): void => undefined;
  for (const { index: passIndex, reads } of view.passes) {
    for (const read of reads) {
      if (hasOwnId(read, view.partition)) index.match(read, keep(passIndex, view.partition, read), pass);
    }
  }
  for (const stray of view.strays) index.match(stray.read, keep(stray.pass, stray.partition, stray.read), pass);
};

/** Where acknowledged batches overlap, merged and in order; the batches become suspects. */
const markShared = (view: PartitionView): SharedOffsets[] => {
  const acked = view.lanes.flatMap(({ sent }) => sent.filter(({ run }) => run.offset !== undefined));
  const start = (sent: SentView): number => sent.run.offset as number;
  acked.sort((one, other) => start(one) - start(other));
  const shared: { first: number; last: number }[] = [];
  let holder: SentView | undefined;
  for (const sent of acked) {
    const last = start(sent) + sent.run.count - 1;
    const held = holder === undefined ? Number.NEGATIVE_INFINITY : start(holder) + holder.run.count - 1;
    if (holder !== undefined && start(sent) <= held) {
      holder.isSuspect = true;
      sent.isSuspect = true;
      const overlap = { first: start(sent), last: Math.min(last, held) };
      const before = shared.at(-1);
      if (before !== undefined && overlap.first <= before.last + 1) before.last = Math.max(before.last, overlap.last);
      else shared.push(overlap);
    }
    if (last > held) holder = sent;
  }
  return shared;
};

export interface GatherOptions {
  /** Look at every record by itself: slower, and by construction the same result; for tests. */
  readonly everyRecord?: boolean;
}

/** Finds the suspects of a partition and where their records were seen. */
export const gatherSightings = (view: PartitionView, options: GatherOptions = {}): void => {
  const index = new LaneIndex(view.lanes);
  view.passes.forEach((pass, position) => scanPass(view, pass, position, index));
  for (const { pass, partition, read } of view.strays) {
    index.match(
      read,
      (sent) => {
        sent.isSuspect = true;
      },
      (seq, count, offset) => {
        const { producer, incarnation } = read.id;
        view.unsent.push({ pass, partition, offset, seq, count, read, producer, incarnation });
      },
    );
  }
  for (const shared of markShared(view)) view.shared.push(shared);
  let suspects = false;
  for (const { sent } of view.lanes) {
    for (const one of sent) {
      one.isSuspect = options.everyRecord === true || !isSettledClean(view, one);
      suspects ||= one.isSuspect;
    }
  }
  if (suspects) collectPieces(view, index);
};

/** So many are looked through for each record; of more, only those near it. Also the records of a block. */
const FEW_PIECES = 32;

const bySeq = new WeakMap<SentView, ReadonlyMap<number, readonly Piece[]>>();

/** The pieces of a batch by the blocks of records that they reach into. */
const blocksOf = (sent: SentView): ReadonlyMap<number, readonly Piece[]> => {
  const known = bySeq.get(sent);
  if (known !== undefined) return known;
  const blocks = new Map<number, Piece[]>();
  for (const piece of sent.pieces) {
    const last = Math.floor((piece.seq + piece.count - 1) / FEW_PIECES);
    for (let block = Math.floor(piece.seq / FEW_PIECES); block <= last; block++) {
      const there = blocks.get(block);
      if (there === undefined) blocks.set(block, [piece]);
      else there.push(piece);
    }
  }
  bySeq.set(sent, blocks);
  return blocks;
};

/** The pieces that may show a record, in the order of the passes. */
const piecesNear = (sent: SentView, seq: number): readonly Piece[] =>
  sent.pieces.length <= FEW_PIECES ? sent.pieces : (blocksOf(sent).get(Math.floor(seq / FEW_PIECES)) ?? []);

/** One record of a suspect batch. */
export const suspectRecord = (sent: SentView, seq: number): SuspectRecord => {
  const { run } = sent;
  const sightings: Sighting[] = [];
  for (const piece of piecesNear(sent, seq)) {
    if (seq < piece.seq || seq >= piece.seq + piece.count) continue;
    sightings.push({
      pass: piece.pass,
      partition: piece.partition,
      offset: piece.offset + seq - piece.seq,
      read: piece.read,
    });
  }
  return { sent, seq, offset: run.offset === undefined ? undefined : run.offset + seq - run.seq, sightings };
};

/** Calls `each` for every record of every suspect batch, lane by lane in order of sequence. */
export const forEachSuspect = (view: PartitionView, each: (record: SuspectRecord) => void): void => {
  for (const lane of view.lanes) {
    for (const sent of lane.sent) {
      if (!sent.isSuspect) continue;
      for (let seq = sent.run.seq; seq < sent.run.seq + sent.run.count; seq++) each(suspectRecord(sent, seq));
    }
  }
};

/** The pass shows the record, in whatever partition. */
export const isShownIn = (record: SuspectRecord, pass: number): boolean =>
  record.sightings.some((sighting) => sighting.pass === pass);
