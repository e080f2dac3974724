// Sets of offsets as sorted, disjoint, half-open ranges. Also used for byte positions, which have the same arithmetic.

/** From `from` up to and without `to`. */
export interface OffsetRange {
  readonly from: number;
  readonly to: number;
}

/** The union, sorted and disjoint; empty ranges fall out. */
export const joinRanges = (ranges: readonly OffsetRange[]): readonly OffsetRange[] => {
  const sorted = ranges.filter(({ from, to }) => to > from).sort((one, other) => one.from - other.from);
  const joined: OffsetRange[] = [];
  for (const range of sorted) {
    const last = joined.at(-1);
    if (last === undefined || range.from > last.to) joined.push(range);
    else if (range.to > last.to) joined[joined.length - 1] = { from: last.from, to: range.to };
  }
  return joined;
};

/** The parts of `whole` that no range of `joined` (a result of `joinRanges`) holds. */
export const rangesOutside = (whole: OffsetRange, joined: readonly OffsetRange[]): readonly OffsetRange[] => {
  const outside: OffsetRange[] = [];
  let next = whole.from;
  for (const { from, to } of joined) {
    if (to <= next) continue;
    if (from >= whole.to) break;
    if (from > next) outside.push({ from: next, to: from });
    next = to;
  }
  if (next < whole.to) outside.push({ from: next, to: whole.to });
  return outside;
};

/** The part of `joined` that lies in `whole`. */
export const rangesInside = (whole: OffsetRange, joined: readonly OffsetRange[]): readonly OffsetRange[] =>
  joined
    .map(({ from, to }) => ({ from: Math.max(from, whole.from), to: Math.min(to, whole.to) }))
    .filter(({ from, to }) => to > from);

/** Whether one range of `joined` holds all of `range`. */
export const holdsRange = (joined: readonly OffsetRange[], range: OffsetRange): boolean =>
  joined.some(({ from, to }) => from <= range.from && range.to <= to);
