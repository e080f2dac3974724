// The rows of a replay file: names once, then what a pass was given, in runs, in the order it was given it.
import { PASS_ENDS, type PassEnd } from '../vocabulary.ts';
import { type ByteCursor, type ByteSink, MalformedRow } from './bytes.ts';

/** A record's place in the run, as its value names it. */
export interface FullRecordId {
  readonly run: string;
  readonly producer: string;
  readonly incarnation: number;
  readonly partition: number;
  readonly seq: number;
}

export interface ReadRow {
  readonly row: 'read';
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Consecutive offsets, with consecutive sequence numbers where there is an id. */
  readonly count: number;
  /** Absent = a foreign or unparsable record, or a sentinel or control record. */
  readonly id?: FullRecordId;
  readonly epoch?: number;
  readonly producerId?: number;
  readonly producerEpoch?: number;
  readonly bad: boolean;
  readonly sentinel: boolean;
  readonly control: boolean;
}

export interface RangeRow {
  readonly row: 'range';
  readonly topic: string;
  readonly partition: number;
  readonly from: number;
  readonly position: number;
  readonly end: PassEnd;
}

export interface ReplayCloseRow {
  readonly row: 'close';
  readonly records: number;
  readonly ranges: number;
  readonly chain: number;
}

interface NameRow {
  readonly row: 'name';
  readonly name: number;
  readonly value: string;
}

const KIND = { name: 1, read: 2, range: 3, close: 4 } as const;
const FLAG = { id: 1, epoch: 2, producerId: 4, producerEpoch: 8, bad: 16, sentinel: 32, control: 64 } as const;

const flagsOf = (row: Omit<ReadRow, 'row'>): number =>
  (row.id === undefined ? 0 : FLAG.id) |
  (row.epoch === undefined ? 0 : FLAG.epoch) |
  (row.producerId === undefined ? 0 : FLAG.producerId) |
  (row.producerEpoch === undefined ? 0 : FLAG.producerEpoch) |
  (row.bad ? FLAG.bad : 0) |
  (row.sentinel ? FLAG.sentinel : 0) |
  (row.control ? FLAG.control : 0);

/** Writes rows, naming each text the first time it is used. */
export class ReplayRowEncoder {
  readonly #sink: ByteSink;
  readonly #names = new Map<string, number>();

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  read(row: Omit<ReadRow, 'row'>): void {
    const topic = this.#name(row.topic);
    const run = row.id === undefined ? 0 : this.#name(row.id.run);
    const producer = row.id === undefined ? 0 : this.#name(row.id.producer);
    const sink = this.#sink;
    sink.byte(KIND.read);
    sink.byte(flagsOf(row));
    sink.count(topic);
    sink.count(row.partition);
    sink.integer(row.offset);
    sink.count(row.count);
    if (row.id !== undefined) {
      for (const value of [run, producer, row.id.incarnation, row.id.partition, row.id.seq]) sink.count(value);
    }
    if (row.epoch !== undefined) sink.integer(row.epoch);
    if (row.producerId !== undefined) sink.integer(row.producerId);
    if (row.producerEpoch !== undefined) sink.integer(row.producerEpoch);
  }

  range(row: Omit<RangeRow, 'row'>): void {
    const topic = this.#name(row.topic);
    this.#sink.byte(KIND.range);
    this.#sink.count(topic);
    this.#sink.count(row.partition);
    this.#sink.integer(row.from);
    this.#sink.integer(row.position);
    this.#sink.byte(PASS_ENDS.indexOf(row.end));
  }

  close(row: Omit<ReplayCloseRow, 'row'>): void {
    this.#sink.byte(KIND.close);
    this.#sink.count(row.records);
    this.#sink.count(row.ranges);
    this.#sink.count(row.chain);
  }

  #name(value: string): number {
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const name = this.#names.size;
    this.#names.set(value, name);
    this.#sink.byte(KIND.name);
    this.#sink.count(name);
    this.#sink.text(value);
    return name;
  }
}

/** Reads rows back; one decoder for each file. Throws MalformedRow, also where a name was lost with an earlier frame. */
export class ReplayRowDecoder {
  readonly #names = new Map<number, string>();

  /** The next row of a frame; undefined where the row only named something. */
  next(cursor: ByteCursor): ReadRow | RangeRow | ReplayCloseRow | undefined {
    const kind = cursor.byte();
    switch (kind) {
      case KIND.name: {
        const named: NameRow = { row: 'name', name: cursor.count(), value: cursor.text() };
        this.#names.set(named.name, named.value);
        return undefined;
      }
      case KIND.read:
        return this.#read(cursor);
      case KIND.range:
        return this.#range(cursor);
      case KIND.close:
        return { row: 'close', records: cursor.count(), ranges: cursor.count(), chain: cursor.count() };
      default:
        throw new MalformedRow(`there is no row kind ${kind}`);
    }
  }

  #read(cursor: ByteCursor): ReadRow {
    const flags = cursor.byte();
    const has = (flag: number): boolean => (flags & flag) !== 0;
    const topic = this.#nameOf(cursor.count());
    const partition = cursor.count();
    const offset = cursor.integer();
    const count = cursor.count();
    return {
      row: 'read',
      topic,
      partition,
      offset,
      count,
      ...(has(FLAG.id) ? { id: this.#id(cursor) } : {}),
      ...(has(FLAG.epoch) ? { epoch: cursor.integer() } : {}),
      ...(has(FLAG.producerId) ? { producerId: cursor.integer() } : {}),
      ...(has(FLAG.producerEpoch) ? { producerEpoch: cursor.integer() } : {}),
      bad: has(FLAG.bad),
      sentinel: has(FLAG.sentinel),
      control: has(FLAG.control),
    };
  }

  #id(cursor: ByteCursor): FullRecordId {
    const run = this.#nameOf(cursor.count());
    const producer = this.#nameOf(cursor.count());
    return { run, producer, incarnation: cursor.count(), partition: cursor.count(), seq: cursor.count() };
  }

  #range(cursor: ByteCursor): RangeRow {
    const topic = this.#nameOf(cursor.count());
    const partition = cursor.count();
    const from = cursor.integer();
    const position = cursor.integer();
    const end = PASS_ENDS[cursor.byte()];
    if (end === undefined) throw new MalformedRow('a range ends in no known way');
    return { row: 'range', topic, partition, from, position, end };
  }

  #nameOf(name: number): string {
    const value = this.#names.get(name);
    if (value === undefined) throw new MalformedRow('it uses a name that is not there');
    return value;
  }
}
