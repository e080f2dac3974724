// What two clients make of the same suspects: a record that one of them reads and the other does not, over the same offsets and
// to the same end, is about a client as much as about the cluster, and the run says so.
import type { Finding } from '../ledger/judgement.ts';
import type { ObservedRecord } from '../ledger/replay-writer.ts';

export interface SuspectReading {
  readonly client: string;
  /** Partitions it read to their end. */
  readonly complete: ReadonlySet<number>;
  /** Keys of the suspects it was given. */
  readonly found: ReadonlySet<string>;
}

/** Partition of each suspect, by a key that is the record's identity. */
export type Suspects = ReadonlyMap<string, number>;

const keyOf = (partition: number, producer: string, incarnation: number, seq: number): string =>
  `${producer}/${incarnation} seq ${seq} of partition ${partition}`;

/** The records that findings name as examples, at most 32 for each finding. */
export const suspectsOf = (findings: readonly Finding[]): Suspects =>
  new Map(
    findings.flatMap(({ partition, examples }) =>
      examples.flatMap(({ producer, incarnation = 0, seq }) =>
        producer === undefined || seq === undefined
          ? []
          : [[keyOf(partition, producer, incarnation, seq), partition] as const],
      ),
    ),
  );

/** The key of a record as a reader was given it; undefined where it is none of the suspects. */
export const suspectIn = (suspects: Suspects, { partition, id }: ObservedRecord): string | undefined => {
  if (id === undefined) return undefined;
  const key = keyOf(partition, id.producer, id.incarnation, id.seq);
  return suspects.has(key) ? key : undefined;
};

/** One sentence for each pair of clients that disagree about what both could have read. */
export const disagreements = (suspects: Suspects, readings: readonly SuspectReading[]): readonly string[] =>
  readings.flatMap((one) =>
    readings.flatMap((other) => {
      const onlyOne = [...suspects].filter(
        ([key, partition]) =>
          one.complete.has(partition) && other.complete.has(partition) && one.found.has(key) && !other.found.has(key),
      );
      const [first] = onlyOne;
      if (first === undefined) return [];
      const rest = onlyOne.length === 1 ? '' : ` (and ${onlyOne.length - 1} more)`;
      return [`${first[0]}${rest} is read by ${one.client} and not by ${other.client}`];
    }),
  );
