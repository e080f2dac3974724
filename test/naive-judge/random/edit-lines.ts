// Small edits of a history that the mutators are made of. Each keeps the history well-formed: times never go back.
import type { Random } from '../../../src/random.ts';
import type { Line, RecordId } from './line.ts';

/** The positions of all lines of a kind. */
export const indexesOf = (
  lines: readonly Line[],
  kind: string,
  isWanted: (line: Line) => boolean = () => true,
): number[] => lines.flatMap((line, index) => (line.t === kind && isWanted(line) ? [index] : []));

/** A random line of a kind, if there is one. */
export const pickLine = (
  lines: readonly Line[],
  random: Random,
  kind: string,
  isWanted?: (line: Line) => boolean,
): Line | undefined => {
  const indexes = indexesOf(lines, kind, isWanted);
  return indexes.length === 0 ? undefined : lines[random.pick(indexes)];
};

/** Takes all lines of a kind out, or those that are wanted. */
export const removeLines = (lines: Line[], kind: string, isWanted?: (line: Line) => boolean): void => {
  for (const index of indexesOf(lines, kind, isWanted).reverse()) lines.splice(index, 1);
};

/** Takes a line out. */
export const removeLine = (lines: Line[], line: Line): void => {
  const index = lines.indexOf(line);
  if (index >= 0) lines.splice(index, 1);
};

/** Moves a line to another position after the header, and gives it the time of its new neighbour. */
export const moveLine = (lines: Line[], line: Line, to: number): void => {
  removeLine(lines, line);
  const index = Math.max(1, Math.min(to, lines.length));
  const before = lines.slice(0, index).findLast((other) => other.at !== undefined);
  if (line.at !== undefined) line.at = before?.at ?? 0;
  lines.splice(index, 0, line);
};

/** The record id of a `read` line that shows a record of some run. */
export const recordIdOf = (line: Line): RecordId | undefined => (typeof line.id === 'object' ? line.id : undefined);

/** One of the records that a `read` line shows, as a line of its own. */
const singleRead = (line: Line, index: number): Line => {
  const id = recordIdOf(line);
  return {
    ...line,
    offset: (line.offset ?? 0) + index,
    count: undefined,
    id: id === undefined ? undefined : { ...id, seq: id.seq + index },
  };
};

/** A `read` line for each of the records that this one shows. */
const splitRead = (line: Line): Line[] =>
  Array.from({ length: line.count ?? 1 }, (_, index) => singleRead(line, index));

/** Splits a `read` line so that one random record of it stands on a line of its own; that line. */
export const isolateRead = (lines: Line[], random: Random, isWanted?: (line: Line) => boolean): Line | undefined => {
  const line = pickLine(lines, random, 'read', isWanted);
  if (line === undefined) return undefined;
  const singles = splitRead(line);
  lines.splice(lines.indexOf(line), 1, ...singles);
  return random.pick(singles);
};

/** The topic that a line may leave out because there is no other. */
const ONLY_TOPIC = 'orders';

/** True if both lines name the same topic. */
export const isSameTopic = (one: Line, two: Line): boolean => (one.topic ?? ONLY_TOPIC) === (two.topic ?? ONLY_TOPIC);

/** True if both lines name the same partition of the same topic. */
export const isSamePartition = (one: Line, two: Line): boolean =>
  one.partition === two.partition && isSameTopic(one, two);

/** Where in a `read` line a record stands; −1 if the line does not show it. */
const indexInRead = (line: Line, shown: Line): number => {
  const id = recordIdOf(shown);
  const first = recordIdOf(line);
  if (line.t !== 'read' || id === undefined || first === undefined || !isSamePartition(line, shown)) return -1;
  if (first.producer !== id.producer || (first.incarnation ?? 0) !== (id.incarnation ?? 0)) return -1;
  const index = id.seq - first.seq;
  return index < (line.count ?? 1) ? index : -1;
};

/** Every `read` line of this partition that shows the same record as this one, each isolated. */
export const isolateAllReadsOf = (lines: Line[], shown: Line): Line[] =>
  [...lines].flatMap((line) => {
    const index = indexInRead(line, shown);
    if (index < 0) return [];
    const singles = splitRead(line);
    lines.splice(lines.indexOf(line), 1, ...singles);
    return singles.slice(index, index + 1);
  });

/** The `pass` line that ends the range in which a read stands. */
export const rangeEndOf = (lines: readonly Line[], read: Line): Line | undefined =>
  lines
    .slice(lines.indexOf(read))
    .find((line) => line.t === 'pass' && line.pass === read.pass && isSamePartition(line, read));
