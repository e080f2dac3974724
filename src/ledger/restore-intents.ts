// Where the ledger lost rows, records of this run may be read that it no longer names. They are not phantoms: the machine may
// have lost their intents. Each gets an intent of unknown outcome back, before everything else, and the run is told to be damaged.
import type { HistoryLine, ReadLine, SendLine } from './history-lines.ts';
import { LaneAssembler } from './lane-assembler.ts';

const FIRST = { at: 0, order: 0 };

/** The intents that are missing for what was read. */
export class IntentRestorer {
  readonly #partitions: ReadonlyMap<string, number>;
  readonly #lanes = new Map<string, LaneAssembler>();
  readonly restored: SendLine[] = [];

  constructor(header: HistoryLine, sends: Iterable<SendLine>) {
    this.#partitions = new Map(header.topics.map(({ topic, partitions }) => [topic, partitions]));
    for (const { topic, partition, producer, incarnation, seq, count } of sends) {
      const lane = this.#lane(topic, partition, producer, incarnation);
      for (const [from, length] of lane.missing(seq, count)) lane.send(from, length, FIRST);
    }
  }

  read(line: ReadLine): void {
    const { id, topic, count } = line;
    if (id === undefined || id.run !== undefined) return;
    const partition = id.partition ?? line.partition;
    if (partition >= (this.#partitions.get(topic) ?? 0)) return;
    const { producer, incarnation } = id;
    const lane = this.#lane(topic, partition, producer, incarnation);
    for (const [seq, length] of lane.missing(id.seq, count)) {
      lane.send(seq, length, FIRST);
      this.restored.push({ t: 'send', at: FIRST.at, producer, incarnation, topic, partition, seq, count: length });
    }
  }

  #lane(topic: string, partition: number, producer: string, incarnation: number): LaneAssembler {
    const key = `${partition} ${incarnation} ${topic} ${producer}`;
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = new LaneAssembler(producer, incarnation);
      this.#lanes.set(key, lane);
    }
    return lane;
  }
}
