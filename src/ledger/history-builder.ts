// Collects the lines of a history into facts by partition. Both the text reader and the run directory's reader feed it; it
// throws MalformedLine on lines that contradict each other.
import type {
  AckLine,
  BodyLine,
  EpochsLine,
  ErrorLine,
  FaultLine,
  HarnessLine,
  HistoryLine,
  LeaderLine,
  OffsetsLine,
  PassLine,
  ReadLine,
  SendLine,
  SentinelLine,
} from './history-lines.ts';
import { LaneAssembler } from './lane-assembler.ts';
import { MalformedLine } from './line-fields.ts';
import type { PartitionLog, PassRange, Placed, ReadRun, RunFacts, SeenId, Stray } from './run-facts.ts';
import { settlementOf } from './settle-outcome.ts';

interface OpenPass {
  readonly index: number;
  readonly name: number | string;
  readonly reads: ReadRun[];
  readonly ranges: PassRange[];
}

interface OpenPartition {
  readonly topic: string;
  readonly partition: number;
  readonly lanes: Map<string, LaneAssembler>;
  readonly passes: Map<number, OpenPass>;
  readonly leaders: Placed<LeaderLine>[];
  readonly snapshots: Placed<OffsetsLine>[];
  readonly epochs: Placed<EpochsLine>[];
  readonly sentinels: Placed<{ readonly offset: number }>[];
}

const partitionKey = (topic: string, partition: number): string => `${partition} ${topic}`;

const emptyPartition = (topic: string, partition: number): OpenPartition => ({
  topic,
  partition,
  lanes: new Map(),
  passes: new Map(),
  leaders: [],
  snapshots: [],
  epochs: [],
  sentinels: [],
});

/** One text per foreign record that names another run; two such records are the same if these are. */
const foreignName = (id: NonNullable<ReadLine['id']>, partition: number): string =>
  JSON.stringify([id.run, id.producer, id.incarnation, id.partition ?? partition]);

export class HistoryBuilder {
  readonly #header: HistoryLine;
  readonly #partitionCounts: ReadonlyMap<string, number>;
  readonly #partitions = new Map<string, OpenPartition>();
  readonly #passIndexes = new Map<number | string, number>();
  readonly #faults: Placed<FaultLine>[] = [];
  readonly #harness: HarnessLine[] = [];
  readonly #strays: Stray[] = [];
  #lastAt = 0;

  /** `passes`: names of passes in their order, where it is known before any of their lines. */
  constructor(header: HistoryLine, passes: readonly (number | string)[] = []) {
    this.#header = header;
    passes.forEach((name, index) => this.#passIndexes.set(name, index));
    this.#partitionCounts = new Map(header.topics.map(({ topic, partitions }) => [topic, partitions]));
  }

  /** Adds one line; `order` rises with the lines. Throws MalformedLine and then adds nothing. */
  add(line: BodyLine, order: number): void {
    if ('at' in line) this.#lastAt = line.at;
    switch (line.t) {
      case 'send':
        this.#lane(line).send(line.seq, line.count, { at: line.at, order });
        break;
      case 'ack':
      case 'error':
        this.#settle(line, order);
        break;
      case 'fault':
        this.#faults.push({ ...line, order });
        break;
      case 'harness':
        this.#harness.push(line);
        break;
      case 'read':
        this.#read(line);
        break;
      case 'pass':
        this.#range(line);
        break;
      default:
        this.#observe(line, order);
    }
  }

  /** The facts so far; the builder is not used afterwards. */
  finish(): RunFacts {
    const partitions = [...this.#partitions.values()];
    const load = (topic: string, partition: number): PartitionLog =>
      this.#log(this.#partitions.get(partitionKey(topic, partition)), topic, partition);
    return {
      header: this.#header,
      faults: this.#faults,
      harness: this.#harness,
      lastAt: this.#lastAt,
      passes: [...this.#passIndexes.keys()],
      partitions: partitions.map(({ topic, partition }) => ({ topic, partition })),
      strays: this.#strays,
      standstills: [],
      topicsWithSnapshots: new Set(
        partitions.filter(({ snapshots }) => snapshots.length > 0).map(({ topic }) => topic),
      ),
      load,
      outline: load,
    };
  }

  #log(known: OpenPartition | undefined, topic: string, partition: number): PartitionLog {
    const open = known ?? emptyPartition(topic, partition);
    return {
      ...open,
      lanes: [...open.lanes.values()],
      passes: [...open.passes.values()].sort((one, other) => one.index - other.index),
    };
  }

  #observe(line: LeaderLine | OffsetsLine | EpochsLine | SentinelLine, order: number): void {
    const { leaders, snapshots, epochs, sentinels } = this.#partition(line);
    if (line.t === 'leader') leaders.push({ ...line, order });
    else if (line.t === 'offsets') snapshots.push({ ...line, order });
    else if (line.t === 'epochs') epochs.push({ ...line, order });
    else sentinels.push({ at: line.at, order, offset: line.offset });
  }

  #settle(line: AckLine | ErrorLine, order: number): void {
    const settlement = settlementOf(line, this.#header.contract);
    this.#lane(line).settle(line.seq, line.count, { at: line.at, order }, settlement);
  }

  #read(line: ReadLine): void {
    const pass = this.#pass(line);
    const { id, run, foreign } = this.#identify(line);
    const read: ReadRun = {
      offset: line.offset,
      count: line.count,
      ...(id === undefined ? {} : { id }),
      ...(foreign === undefined ? {} : { foreign }),
      ...run,
      bad: line.checksum === 'bad',
      sentinel: line.sentinel ?? false,
      control: line.control ?? false,
    };
    pass.reads.push(read);
    if (id !== undefined && id.partition !== line.partition) {
      this.#strays.push({ topic: line.topic, partition: line.partition, pass: pass.index, read: { ...read, id } });
    }
  }

  #identify(line: ReadLine): {
    id?: SeenId;
    foreign?: string;
    run: Pick<ReadRun, 'epoch' | 'producerId' | 'producerEpoch'>;
  } {
    const run = {
      ...(line.epoch === undefined ? {} : { epoch: line.epoch }),
      ...(line.producerId === undefined ? {} : { producerId: line.producerId }),
      ...(line.producerEpoch === undefined ? {} : { producerEpoch: line.producerEpoch }),
    };
    if (line.id === undefined) return { run };
    if (line.id.run !== undefined && line.id.run !== this.#header.run) {
      return { run, foreign: `${line.id.seq - line.offset} ${foreignName(line.id, line.partition)}` };
    }
    const { producer, incarnation, seq } = line.id;
    return { run, id: { producer, incarnation, seq, partition: line.id.partition ?? line.partition } };
  }

  #range(line: PassLine): void {
    const { ranges, reads } = this.#pass(line);
    const { from, position, end } = line;
    if (ranges.some((range) => Math.max(from, range.from) < Math.min(position, range.position))) {
      throw new MalformedLine(`Pass ${line.pass} has two overlapping ranges in ${line.topic}/${line.partition}.`);
    }
    ranges.push({ from, position, end, readsBefore: reads.length });
  }

  #pass(line: ReadLine | PassLine): OpenPass {
    const open = this.#partition(line);
    let index = this.#passIndexes.get(line.pass);
    if (index === undefined) {
      index = this.#passIndexes.size;
      this.#passIndexes.set(line.pass, index);
    }
    let pass = open.passes.get(index);
    if (pass === undefined) {
      pass = { index, name: line.pass, reads: [], ranges: [] };
      open.passes.set(index, pass);
    }
    return pass;
  }

  #lane(line: SendLine | AckLine | ErrorLine): LaneAssembler {
    const { lanes } = this.#partition(line);
    const key = `${line.incarnation} ${line.producer}`;
    let lane = lanes.get(key);
    if (lane === undefined) {
      lane = new LaneAssembler(line.producer, line.incarnation);
      lanes.set(key, lane);
    }
    return lane;
  }

  #partition(line: { readonly topic: string; readonly partition: number }): OpenPartition {
    const { topic, partition } = line;
    const key = partitionKey(topic, partition);
    const known = this.#partitions.get(key);
    if (known !== undefined) return known;
    const partitions = this.#partitionCounts.get(topic);
    if (partitions === undefined) throw new MalformedLine(`The header has no topic "${topic}".`);
    if (partition >= partitions) throw new MalformedLine(`Topic ${topic} has no partition ${partition}.`);
    const open = emptyPartition(topic, partition);
    this.#partitions.set(key, open);
    return open;
  }
}
