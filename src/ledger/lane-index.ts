// Finds the batches that records were sent in, by producer, incarnation and sequence. Reads come nearly in the order of the
// sends, so each lane is searched from where the last read left off.

import type { ReadRun } from './run-facts.ts';
import type { LaneView, SentView } from './sent-view.ts';

const laneKey = (producer: string, incarnation: number): string => `${incarnation} ${producer}`;

/** Finds the batches that a read's records belong to; remembers where it left off in each lane. */
export class LaneIndex {
  readonly #lanes = new Map<string, { readonly lane: LaneView; cursor: number }>();

  constructor(lanes: readonly LaneView[]) {
    for (const lane of lanes) this.#lanes.set(laneKey(lane.producer, lane.incarnation), { lane, cursor: 0 });
  }

  /** Calls `matched` or `unmatched` for each stretch of the read's records, in order. */
  match(
    read: ReadRun & { readonly id: NonNullable<ReadRun['id']> },
    matched: (sent: SentView, seq: number, count: number, offset: number) => void,
    unmatched: (seq: number, count: number, offset: number) => void,
  ): void {
    const { id, count } = read;
    const found = this.#lanes.get(laneKey(id.producer, id.incarnation));
    const end = id.seq + count;
    let seq = id.seq;
    let cursor = found === undefined ? 0 : seek(found.lane, found.cursor, seq);
    while (seq < end) {
      const sent = found?.lane.sent[cursor];
      const from = Math.min(sent?.run.seq ?? end, end);
      if (seq < from) unmatched(seq, from - seq, read.offset + seq - id.seq);
      if (sent === undefined || from === end) break;
      const start = Math.max(seq, from);
      const to = Math.min(end, sent.run.seq + sent.run.count);
      matched(sent, start, to - start, read.offset + start - id.seq);
      seq = to;
      cursor++;
    }
    if (found !== undefined) found.cursor = Math.max(0, cursor - 1);
  }
}

/** Index of the first batch that ends after `seq`, looking near `hint` first. */
const seek = (lane: LaneView, hint: number, seq: number): number => {
  const { sent } = lane;
  const ends = (index: number): number => {
    const run = sent[index]?.run;
    return run === undefined ? Number.POSITIVE_INFINITY : run.seq + run.count;
  };
  for (let index = hint; index < hint + 3; index++) {
    if (ends(index) > seq) {
      if (index === 0 || ends(index - 1) <= seq) return index;
      break;
    }
  }
  let low = 0;
  let high = sent.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ends(middle) > seq) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** The read shows records of this run that say they were sent to `partition`. */
export const hasOwnId = (read: ReadRun, partition: number): read is ReadRun & { id: NonNullable<ReadRun['id']> } =>
  read.id?.partition === partition;
