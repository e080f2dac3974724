// Reads a replay file back as `read` and `pass` lines. Where rows were lost, the ranges around the loss cover nothing, so that
// what the file no longer holds is unseen and never lost. Where the client that read is shown to miss what another one reads,
// its ranges claim nothing: they are told in pieces around it.
import { basename } from 'node:path';
import type { DamageLog } from './damage.ts';
import type { PassLine, ReadLine } from './history-lines.ts';
import type { RangeSet } from './range-set.ts';
import { readRows } from './read-rows.ts';
import { type RangeRow, type ReadRow, type ReplayCloseRow, ReplayRowDecoder } from './replay-rows.ts';

export type ReplayLine = ReadLine | PassLine;

const idOf = (row: ReadRow, run: string): Pick<ReadLine, 'id'> => {
  const { id } = row;
  if (id === undefined || row.sentinel || row.control) return {};
  const partition = id.partition === row.partition ? {} : { partition: id.partition };
  const foreign = id.run === run ? {} : { run: id.run };
  return { id: { producer: id.producer, incarnation: id.incarnation, seq: id.seq, ...partition, ...foreign } };
};

/** −1 is how Kafka says none. */
const known = <K extends string>(name: K, value: number | undefined): Partial<Record<K, number>> =>
  value === undefined || value < 0 ? {} : ({ [name]: value } as Record<K, number>);

const readLine = (row: ReadRow, pass: number | string, run: string): ReadLine => ({
  t: 'read',
  pass,
  topic: row.topic,
  partition: row.partition,
  offset: row.offset,
  count: row.count,
  ...idOf(row, run),
  ...known('epoch', row.epoch),
  ...known('producerId', row.producerId),
  ...known('producerEpoch', row.producerEpoch),
  ...(row.bad ? { checksum: 'bad' as const } : {}),
  ...(row.sentinel ? { sentinel: true } : {}),
  ...(row.control ? { control: true } : {}),
});

export interface Place {
  readonly topic: string;
  readonly partition: number;
}

/** What is asked of a replay file. */
export interface ReplayQuery {
  readonly run: string;
  /** Lines of other places are not made; default all. */
  readonly wants?: (place: Place) => boolean;
  /** Offsets that no range of this client's covers; it was given nothing at any of them. Default none. */
  readonly unclaimed?: (client: string, place: Place) => RangeSet | undefined;
  readonly emit: (line: ReplayLine) => void;
}

interface VisitedPlace extends Place {
  readonly isWanted: boolean;
  /** Its next range may have lost reads. */
  isDoubtful: boolean;
  readonly unclaimed: RangeSet | undefined;
  /** Reads of the next range, where it may have to be told in pieces. */
  held: ReadLine[];
}

class ReplayFile {
  readonly #pass: number | string;
  readonly #client: string | undefined;
  readonly #query: ReplayQuery;
  readonly #places = new Map<string, Map<number, VisitedPlace>>();
  #anyDoubt = false;
  #records = 0;
  #ranges = 0;
  close: ReplayCloseRow | undefined;

  constructor(pass: number | string, client: string | undefined, query: ReplayQuery) {
    this.#pass = pass;
    this.#client = client;
    this.#query = query;
  }

  row(row: ReadRow | RangeRow | ReplayCloseRow): void {
    if (row.row === 'close') this.close = row;
    else if (row.row === 'read') this.#read(row);
    else this.#range(row);
  }

  /** Separates what came before a loss from what comes after it, in every partition, and covers nothing. */
  hole(): void {
    this.#anyDoubt = true;
    for (const partitions of this.#places.values()) {
      for (const place of partitions.values()) {
        place.isDoubtful = true;
        this.#release(place);
        this.#empty(place);
      }
    }
  }

  /** After the last row: reads of which no range came are told all the same. */
  end(): void {
    for (const partitions of this.#places.values()) {
      for (const place of partitions.values()) this.#release(place);
    }
  }

  hasAll(chainBeforeLast: number): boolean {
    const { close } = this;
    return close?.records === this.#records && close.ranges === this.#ranges && close.chain === chainBeforeLast;
  }

  #read(row: ReadRow): void {
    this.#records += row.count;
    const place = this.#visit(row);
    if (!place.isWanted) return;
    const line = readLine(row, this.#pass, this.#query.run);
    if (place.unclaimed === undefined) this.#query.emit(line);
    else place.held.push(line);
  }

  #range(row: RangeRow): void {
    this.#ranges++;
    const place = this.#visit(row);
    if (place.isDoubtful) {
      place.isDoubtful = false;
      this.#release(place);
      this.#empty(place);
    } else if (place.isWanted) {
      this.#pieces(place, row);
    }
  }

  /** The range without what is not claimed; each piece after the reads that came before the next one's. */
  #pieces(place: VisitedPlace, { topic, partition, from, position, end }: RangeRow): void {
    const piece = { t: 'pass', pass: this.#pass, topic, partition } as const;
    let start = from;
    let told = 0;
    for (const { first, last } of place.unclaimed?.within(from, position - 1) ?? []) {
      for (let read = place.held[told]; read !== undefined && read.offset < first; read = place.held[++told]) {
        this.#query.emit(read);
      }
      this.#query.emit({ ...piece, from: start, position: first, end: 'range' });
      start = last + 1;
    }
    this.#release(place, told);
    this.#query.emit({ ...piece, from: start, position, end });
  }

  /** Tells the reads that wait for their range, the first `told` of them apart. */
  #release(place: VisitedPlace, told = 0): void {
    for (let index = told; index < place.held.length; index++) this.#query.emit(place.held[index] as ReadLine);
    place.held = [];
  }

  /** A place first met after a loss may have lost its beginning. */
  #visit({ topic, partition }: Place): VisitedPlace {
    let partitions = this.#places.get(topic);
    if (partitions === undefined) {
      partitions = new Map();
      this.#places.set(topic, partitions);
    }
    let place = partitions.get(partition);
    if (place === undefined) {
      const named = { topic, partition };
      const isWanted = this.#query.wants?.(named) ?? true;
      const unclaimed = this.#client === undefined ? undefined : this.#query.unclaimed?.(this.#client, named);
      place = { ...named, isWanted, isDoubtful: this.#anyDoubt, unclaimed, held: [] };
      partitions.set(partition, place);
    }
    return place;
  }

  #empty({ topic, partition, isWanted }: VisitedPlace): void {
    if (!isWanted) return;
    this.#query.emit({ t: 'pass', pass: this.#pass, topic, partition, from: 0, position: 0, end: 'timeout' });
  }
}

/**
 * Emits the lines of one replay file, those of a partition in order. What is wrong with it goes to `damage`. Returns the kind of
 * the client that read, where the file names one.
 */
export const readReplay = (path: string, query: ReplayQuery, damage: DamageLog): string | undefined => {
  const name = basename(path);
  const decoder = new ReplayRowDecoder();
  let file: ReplayFile | undefined;
  let reader: string | undefined;
  const summary = readRows<ReadRow | RangeRow | ReplayCloseRow>(
    path,
    {
      header: ({ pass, client }) => {
        reader = client;
        file = new ReplayFile(pass ?? name, client, query);
      },
      decode: (cursor) => decoder.next(cursor),
      row: (row) => file?.row(row),
      hole: () => file?.hole(),
    },
    damage,
  );
  file?.end();
  if (summary.header !== undefined && summary.header.run !== query.run)
    damage.note(`${name}: it belongs to run ${summary.header.run}`);
  if (file?.close === undefined) damage.note(`${name}: the close row is missing: the pass did not end in order`);
  else if (!file.hasAll(summary.chainBeforeLast))
    damage.note(`${name}: the close row counts other rows than are there`);
  return reader;
};
