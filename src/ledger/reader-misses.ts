// What one client could not read and another one did. The timeline says so, and that makes the run inconclusive; the one thing to
// know is that it excuses nothing by itself. Only where the passes show the same, all of them, do those of the client that missed
// it no longer claim to have been there: a record that a pass of anybody else lacks, or that this client read once, stays what it is.
import { DamageLog } from './damage.ts';
import type { ReaderMiss } from './history-lines.ts';
import { MalformedLine } from './line-fields.ts';
import { RangeSet } from './range-set.ts';
import { type Place, type ReplayLine, readReplay } from './read-replay.ts';

/** The pass in which a client reads suspects again. */
export const rereadBy = (client: string): string => `suspects-${client}`;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isStretch = (value: unknown): boolean =>
  isObject(value) &&
  Number.isSafeInteger(value['first']) &&
  Number.isSafeInteger(value['last']) &&
  (value['first'] as number) <= (value['last'] as number);

const isMiss = (value: unknown): value is ReaderMiss => {
  if (!isObject(value)) return false;
  const { client, shownBy, topic, partition, ranges } = value as Partial<Record<keyof ReaderMiss, unknown>>;
  if (![client, shownBy, topic].every((name) => typeof name === 'string')) return false;
  return Number.isSafeInteger(partition) && Array.isArray(ranges) && ranges.every(isStretch);
};

/** What a line of a timeline says was missed by one client; none on any other line. Throws MalformedLine. */
export const missIn = (line: Readonly<Record<string, unknown>>): readonly ReaderMiss[] => {
  if (line['t'] !== 'harness' || line['anomaly'] !== 'client-anomaly' || !('missed' in line)) return [];
  const { missed } = line;
  if (!isMiss(missed)) throw new MalformedLine('it does not say what was missed by which client');
  return [missed];
};

/** The offsets of a place that the passes of a client do not cover. */
export type Unclaimed = (client: string, place: Place) => RangeSet | undefined;

const keyOf = ({ topic, partition }: Place): string => `${partition} ${topic}`;

/** What one pass showed of the offsets that are asked about, in one partition. */
interface Look {
  /** Whatever it was. */
  readonly anything: RangeSet;
  /** Records of this run, sent to this partition. */
  readonly records: RangeSet;
  /** The ranges in which it came to the end of the log; `position` is not included. */
  readonly complete: { readonly from: number; readonly position: number }[];
}

interface LookedPass {
  readonly client: string | undefined;
  /** It read suspects again, and the client by whose name it goes is the one that read. */
  readonly isReread: boolean;
  readonly looks: ReadonlyMap<string, Look>;
}

type Asked = ReadonlyMap<string, RangeSet>;

const askedOf = (misses: readonly ReaderMiss[]): Asked => {
  const asked = new Map<string, RangeSet>();
  for (const miss of misses) {
    const offsets = asked.get(keyOf(miss)) ?? new RangeSet();
    for (const { first, last } of miss.ranges) offsets.add(first, last);
    asked.set(keyOf(miss), offsets);
  }
  return asked;
};

const look = (path: string, run: string, asked: Asked): LookedPass => {
  const looks = new Map<string, Look>();
  let pass: number | string | undefined;
  const emit = (line: ReplayLine): void => {
    ({ pass } = line);
    const key = keyOf(line);
    const known = looks.get(key) ?? { anything: new RangeSet(), records: new RangeSet(), complete: [] };
    looks.set(key, known);
    if (line.t === 'pass') {
      if (line.end === 'complete') known.complete.push(line);
      return;
    }
    const { id, offset, count } = line;
    const isRecord = id !== undefined && id.run === undefined && id.partition === undefined;
    for (const { first, last } of asked.get(key)?.within(offset, offset + count - 1) ?? []) {
      known.anything.add(first, last);
      if (isRecord) known.records.add(first, last);
    }
  };
  const client = readReplay(path, { run, wants: (place) => asked.has(keyOf(place)), emit }, new DamageLog());
  return { client, isReread: client !== undefined && pass === rereadBy(client), looks };
};

const cameTo = ({ complete }: Look, offset: number): boolean =>
  complete.some(({ from, position }) => from <= offset && offset < position);

/** Which offsets of `miss` the passes show to be missed by that client, and by no other in the end. */
const confirmed = (miss: ReaderMiss, passes: readonly LookedPass[]): RangeSet => {
  const key = keyOf(miss);
  const rereadOf = (client: string): Look | undefined =>
    passes.find((pass) => pass.isReread && pass.client === client)?.looks.get(key);
  const lacking = rereadOf(miss.client);
  const showing = rereadOf(miss.shownBy);
  const found = new RangeSet();
  if (lacking === undefined || showing === undefined) return found;
  const others = passes.filter(({ isReread, client }) => !isReread || client === miss.client);
  const isSuspect = (offset: number): boolean => !others.some(({ looks }) => looks.get(key)?.anything.has(offset));
  for (const { first, last } of miss.ranges) {
    for (const stretch of showing.records.within(first, last)) {
      for (let offset = stretch.first; offset <= stretch.last; offset++) {
        if (cameTo(lacking, offset) && cameTo(showing, offset) && isSuspect(offset)) found.add(offset, offset);
      }
    }
  }
  return found;
};

/** What of `misses` the replay files in `paths` confirm, each offset by itself. `run`: the run's id. */
export const unclaimedBy = (misses: readonly ReaderMiss[], paths: readonly string[], run: string): Unclaimed => {
  if (misses.length === 0) return () => undefined;
  const asked = askedOf(misses);
  const passes = paths.map((path) => look(path, run, asked));
  const found = new Map<string, RangeSet>();
  for (const miss of misses) {
    const key = `${keyOf(miss)} ${miss.client}`;
    const offsets = found.get(key) ?? new RangeSet();
    for (const { first, last } of confirmed(miss, passes).within(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)) {
      offsets.add(first, last);
    }
    found.set(key, offsets);
  }
  return (client, place) => found.get(`${keyOf(place)} ${client}`);
};
