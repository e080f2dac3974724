// What two clients make of the same suspects: a record that one of them reads and the other does not, over the same offsets and
// to the same end, is about a client as much as about the cluster, and the run says so.
import type { ReaderMiss } from '../ledger/history-lines.ts';
import type { Finding } from '../ledger/judgement.ts';
import { RangeSet } from '../ledger/range-set.ts';
import type { ObservedRecord } from '../ledger/replay-writer.ts';

export interface SuspectReading {
  readonly client: string;
  /** Partitions it read to their end. */
  readonly complete: ReadonlySet<number>;
  /** By partition, the offsets at which it was given suspects. */
  readonly found: ReadonlyMap<number, RangeSet>;
}

/** Suspects of one partition: those that are named, and whatever was acknowledged at one of the offsets. */
interface Suspected {
  readonly keys: Set<string>;
  readonly offsets: RangeSet;
}

/** By partition. */
export type Suspects = ReadonlyMap<number, Suspected>;

const keyOf = (producer: string, incarnation: number, seq: number): string => `${incarnation} ${seq} ${producer}`;

/** Adds what a finding covers; of one that names only its first and last offsets, everything between them. */
const addOffsets = ({ ranges, count }: Finding, offsets: RangeSet): void => {
  const named = ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const [lowest, highest] = [ranges[0], ranges.at(-1)];
  if (lowest !== undefined && highest !== undefined && named < count) offsets.add(lowest.first, highest.last);
  else for (const { first, last } of ranges) offsets.add(first, last);
};

/** The records that findings name, or that lie in the ranges of offsets that they name. */
export const suspectsOf = (findings: readonly Finding[]): Suspects => {
  const suspects = new Map<number, Suspected>();
  for (const finding of findings) {
    const { keys, offsets } = suspects.get(finding.partition) ?? { keys: new Set(), offsets: new RangeSet() };
    suspects.set(finding.partition, { keys, offsets });
    for (const { producer, incarnation = 0, seq } of finding.examples) {
      if (producer !== undefined && seq !== undefined) keys.add(keyOf(producer, incarnation, seq));
    }
    addOffsets(finding, offsets);
  }
  return suspects;
};

/** Whether a record as a reader was given it is one of the suspects. */
export const isAmong = (suspects: Suspects, { partition, offset, id }: ObservedRecord): boolean => {
  const suspected = suspects.get(partition);
  if (suspected === undefined || id === undefined) return false;
  return suspected.offsets.has(offset) || suspected.keys.has(keyOf(id.producer, id.incarnation, id.seq));
};

/** What one client does not read and another does, in one partition. */
type Disagreement = Omit<ReaderMiss, 'topic'>;

const everything = (offsets: RangeSet | undefined): ReturnType<RangeSet['within']> =>
  (offsets ?? new RangeSet()).within(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);

const onlyIn = (one: RangeSet, other: RangeSet | undefined): ReaderMiss['ranges'] => {
  const sofar = new RangeSet();
  for (const { first, last } of everything(other)) sofar.add(first, last);
  const ranges: { first: number; last: number }[] = [];
  for (const stretch of everything(one)) {
    sofar.add(stretch.first, stretch.last, (first, last) => ranges.push({ first, last }));
  }
  return ranges;
};

/** One for each pair of clients and partition that both read to its end, where one read what the other did not. */
export const disagreements = (readings: readonly SuspectReading[]): readonly Disagreement[] =>
  readings.flatMap((one) =>
    readings.flatMap((other) =>
      [...one.found].flatMap(([partition, offsets]) => {
        if (!one.complete.has(partition) || !other.complete.has(partition)) return [];
        const ranges = onlyIn(offsets, other.found.get(partition));
        return ranges.length === 0 ? [] : [{ client: other.client, shownBy: one.client, partition, ranges }];
      }),
    ),
  );

/** A disagreement in a sentence without its full stop. */
export const missText = ({ client, shownBy, partition, ranges }: Disagreement): string => {
  const more = ranges.reduce((sum, { first, last }) => sum + last - first + 1, -1);
  const rest = more > 0 ? ` (and ${more} more)` : '';
  return `offset ${ranges[0]?.first} of partition ${partition}${rest} is read by ${shownBy} and not by ${client}`;
};
