// Reads a replay file back as `read` and `pass` lines. Where rows were lost, the ranges around the loss cover nothing, so that
// what the file no longer holds is unseen and never lost.
import { basename } from 'node:path';
import type { DamageLog } from './damage.ts';
import type { PassLine, ReadLine } from './history-lines.ts';
import { readRows } from './read-rows.ts';
import { type RangeRow, type ReadRow, type ReplayCloseRow, ReplayRowDecoder } from './replay-rows.ts';

type ReplayLine = ReadLine | PassLine;

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

class ReplayFile {
  readonly #pass: number | string;
  readonly #run: string;
  readonly #emit: (line: ReplayLine) => void;
  readonly #places = new Map<string, { readonly topic: string; readonly partition: number }>();
  /** Places whose next range may have lost reads. */
  readonly #doubtful = new Set<string>();
  #anyDoubt = false;
  #records = 0;
  #ranges = 0;
  close: ReplayCloseRow | undefined;

  constructor(pass: number | string, run: string, emit: (line: ReplayLine) => void) {
    this.#pass = pass;
    this.#run = run;
    this.#emit = emit;
  }

  row(row: ReadRow | RangeRow | ReplayCloseRow): void {
    if (row.row === 'close') this.close = row;
    else if (row.row === 'read') this.#read(row);
    else this.#range(row);
  }

  /** Separates what came before a loss from what comes after it, in every partition, and covers nothing. */
  hole(): void {
    this.#anyDoubt = true;
    for (const [key, place] of this.#places) {
      this.#doubtful.add(key);
      this.#empty(place);
    }
  }

  hasAll(chainBeforeLast: number): boolean {
    const { close } = this;
    return close?.records === this.#records && close.ranges === this.#ranges && close.chain === chainBeforeLast;
  }

  #read(row: ReadRow): void {
    this.#records += row.count;
    this.#visit(row);
    this.#emit(readLine(row, this.#pass, this.#run));
  }

  #range(row: RangeRow): void {
    this.#ranges++;
    const key = this.#visit(row);
    const { topic, partition, from, position, end } = row;
    if (this.#doubtful.delete(key)) this.#empty(row);
    else this.#emit({ t: 'pass', pass: this.#pass, topic, partition, from, position, end });
  }

  /** A place first met after a loss may have lost its beginning. */
  #visit({ topic, partition }: ReadRow | RangeRow): string {
    const key = `${partition} ${topic}`;
    if (!this.#places.has(key)) {
      this.#places.set(key, { topic, partition });
      if (this.#anyDoubt) this.#doubtful.add(key);
    }
    return key;
  }

  #empty({ topic, partition }: { readonly topic: string; readonly partition: number }): void {
    this.#emit({ t: 'pass', pass: this.#pass, topic, partition, from: 0, position: 0, end: 'timeout' });
  }
}

/** Emits the lines of one replay file in order. What is wrong with it goes to `damage`. */
export const readReplay = (path: string, run: string, damage: DamageLog, emit: (line: ReplayLine) => void): void => {
  const name = basename(path);
  const decoder = new ReplayRowDecoder();
  let file: ReplayFile | undefined;
  const summary = readRows<ReadRow | RangeRow | ReplayCloseRow>(
    path,
    {
      header: ({ pass }) => {
        file = new ReplayFile(pass ?? name, run, emit);
      },
      decode: (cursor) => decoder.next(cursor),
      row: (row) => file?.row(row),
      hole: () => file?.hole(),
    },
    damage,
  );
  if (summary.header !== undefined && summary.header.run !== run)
    damage.note(`${name}: it belongs to run ${summary.header.run}`);
  if (file?.close === undefined) damage.note(`${name}: the close row is missing: the pass did not end in order`);
  else if (!file.hasAll(summary.chainBeforeLast))
    damage.note(`${name}: the close row counts other rows than are there`);
};
