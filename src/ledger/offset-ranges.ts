// The offsets a finding covers, as ranges, in bounded memory: when there are too many, the middle ones are let go.
import type { OffsetRange } from './judgement.ts';

const MOST_RANGES = 32;
const COMPACT_AT = 65_536;

const merge = (ranges: readonly OffsetRange[]): OffsetRange[] => {
  const merged: { first: number; last: number }[] = [];
  for (const range of [...ranges].sort((one, other) => one.first - other.first || one.last - other.last)) {
    const before = merged.at(-1);
    if (before !== undefined && range.first <= before.last + 1) before.last = Math.max(before.last, range.last);
    else merged.push({ ...range });
  }
  return merged;
};

/** First and last ranges, half of each. */
const capped = (ranges: OffsetRange[], most: number): OffsetRange[] =>
  ranges.length <= most ? ranges : [...ranges.slice(0, most / 2), ...ranges.slice(-most / 2)];

export class OffsetRanges {
  #ranges: { first: number; last: number }[] = [];

  add(first: number, last: number): void {
    const newest = this.#ranges.at(-1);
    if (newest !== undefined && first === newest.last + 1) {
      newest.last = last;
      return;
    }
    this.#ranges.push({ first, last });
    if (this.#ranges.length >= COMPACT_AT) this.#ranges = capped(merge(this.#ranges), COMPACT_AT / 2);
  }

  finish(): readonly OffsetRange[] {
    return capped(merge(this.#ranges), MOST_RANGES);
  }
}
