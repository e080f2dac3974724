// What one replay pass was given, while it is given it: runs of consecutive records, then a range row for each stretch that
// was read. A range counts as covered only once its row is there, after all its reads.
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { PassEnd } from '../vocabulary.ts';
import { ByteSink } from './bytes.ts';
import { FrameWriter } from './frame-file.ts';
import { type FullRecordId, type ReadRow, ReplayRowEncoder } from './replay-rows.ts';

const FRAME_BYTES = 64 * 1024;
/** A run is cut here, so that no count grows without bound. */
const LONGEST_RUN = 1_000_000;

/** One record as a reader returned it. */
export interface ObservedRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** What the value (or, where it is damaged, the key or header) names; absent = foreign or unparsable. */
  readonly id?: FullRecordId;
  /** False: the value, key or header is not what the id demands. Default true. */
  readonly checksumOk?: boolean;
  readonly epoch?: number;
  readonly producerId?: number;
  readonly producerEpoch?: number;
  readonly sentinel?: boolean;
  readonly control?: boolean;
}

/** A stretch that the pass read: it started at `from` and stopped at `position`. */
export interface ObservedRange {
  readonly topic: string;
  readonly partition: number;
  readonly from: number;
  readonly position: number;
  readonly end: PassEnd;
}

export interface ReplayWriter {
  /** In the order the records were returned, for each partition. */
  observe(record: ObservedRecord): void;
  /** After the last record of the stretch. */
  range(range: ObservedRange): void;
  close(): Promise<void>;
  readonly records: number;
  readonly bytesWritten: number;
}

export interface ReplayOptions {
  readonly run: string;
  readonly clock: Clock;
  /** The pass's name: `full`, `cold`, `suspects` … */
  readonly pass: number | string;
  /** The kind of the client that reads; absent where the pass is no client's reading. */
  readonly client?: string;
  /** Passes are ordered by this, 0 first. */
  readonly position: number;
}

type OpenRun = { -readonly [K in keyof Omit<ReadRow, 'row'>]: ReadRow[K] };

const continues = (run: OpenRun, record: ObservedRecord): boolean => {
  if (run.count >= LONGEST_RUN || record.offset !== run.offset + run.count) return false;
  if (run.bad !== (record.checksumOk === false)) return false;
  if (run.sentinel || record.sentinel === true || run.control !== (record.control ?? false)) return false;
  if (run.epoch !== record.epoch || run.producerId !== record.producerId) return false;
  return run.producerEpoch === record.producerEpoch && idContinues(run, record.id);
};

const idContinues = (run: OpenRun, id: FullRecordId | undefined): boolean => {
  if (run.id === undefined || id === undefined) return run.id === id;
  return (
    id.seq === run.id.seq + run.count &&
    id.producer === run.id.producer &&
    id.incarnation === run.id.incarnation &&
    id.partition === run.id.partition &&
    id.run === run.id.run
  );
};

const beginRun = (record: ObservedRecord): OpenRun => ({
  topic: record.topic,
  partition: record.partition,
  offset: record.offset,
  count: 1,
  ...(record.id === undefined ? {} : { id: record.id }),
  ...(record.epoch === undefined ? {} : { epoch: record.epoch }),
  ...(record.producerId === undefined ? {} : { producerId: record.producerId }),
  ...(record.producerEpoch === undefined ? {} : { producerEpoch: record.producerEpoch }),
  bad: record.checksumOk === false,
  sentinel: record.sentinel ?? false,
  control: record.control ?? false,
});

class FileReplayWriter implements ReplayWriter {
  readonly #file: FrameWriter;
  readonly #sink = new ByteSink();
  readonly #encoder = new ReplayRowEncoder(this.#sink);
  readonly #open = new Map<string, OpenRun>();
  #records = 0;
  #ranges = 0;
  #closed = false;

  constructor(directory: string, options: ReplayOptions) {
    const path = join(directory, 'replay', `${String(options.position).padStart(3, '0')}.rows`);
    this.#file = new FrameWriter(path, {
      kind: 'replay',
      run: options.run,
      wallMs: options.clock.wall(),
      pass: options.pass,
      ...(options.client === undefined ? {} : { client: options.client }),
    });
  }

  get records(): number {
    return this.#records;
  }

  get bytesWritten(): number {
    return this.#file.bytesWritten;
  }

  observe(record: ObservedRecord): void {
    this.#records++;
    const place = `${record.topic}/${record.partition}`;
    const run = this.#open.get(place);
    if (run !== undefined && continues(run, record)) {
      run.count++;
      return;
    }
    if (run !== undefined) this.#encoder.read(run);
    this.#open.set(place, beginRun(record));
    if (this.#sink.length >= FRAME_BYTES) this.#flush();
  }

  range(range: ObservedRange): void {
    this.#ranges++;
    const place = `${range.topic}/${range.partition}`;
    const run = this.#open.get(place);
    if (run !== undefined) this.#encoder.read(run);
    this.#open.delete(place);
    this.#encoder.range(range);
    this.#flush();
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    for (const run of this.#open.values()) this.#encoder.read(run);
    this.#open.clear();
    this.#flush();
    this.#encoder.close({ records: this.#records, ranges: this.#ranges, chain: this.#file.chain });
    this.#flush();
    this.#file.close();
    return Promise.resolve();
  }

  #flush(): void {
    if (this.#sink.length > 0) this.#file.frame(this.#sink.take());
  }
}

/** Begins `<directory>/replay/<position>.rows`; the file must not exist. */
export const createReplay = (directory: string, options: ReplayOptions): ReplayWriter =>
  new FileReplayWriter(directory, options);
