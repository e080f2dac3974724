// A schedule played by hand: the test says what arrives and who wakes, in which order. Steps are named by a part of their
// label, as in "create wal/t/0/0000000001/000000000000 of a arrives" or "a gets no answer to create wal".
import type { AppendResult, PartitionLog } from '../../src/embedded/log/interfaces.ts';
import { randomStream } from '../../src/random.ts';
import type { Offset, WalKind } from '../../src/vocabulary.ts';
import { ModelBroker } from './model-broker.ts';
import { ModelVolume } from './model-volume.ts';
import { Oracle } from './oracle.ts';
import { type Fate, StoreContents } from './simulated-store.ts';
import { encodeTinyBatch, readTinyBatch, tinyBatchesIn } from './tiny-batch.ts';
import { type Happening, World } from './world.ts';

const MAX_STEPS = 2000;

/** An append and, once there is one, its result. */
export interface HandAppend {
  result: AppendResult | undefined;
}

export class HandSchedule {
  readonly world = new World(randomStream(1, 'by hand'));
  readonly contents = new StoreContents();
  readonly oracle = new Oracle();
  readonly volume = new ModelVolume(this.world);
  readonly #wal: WalKind;
  readonly #fates = new Map<string, Fate[]>();
  #lastBatch = 0;

  constructor(wal: WalKind = 's3') {
    this.#wal = wal;
  }

  broker(name: string): ModelBroker {
    return new ModelBroker(
      {
        world: this.world,
        contents: this.contents,
        wal: this.#wal,
        volume: this.volume,
        network: { fateOf: (what) => this.#fates.get(what)?.shift() ?? 'served' },
        oracle: this.oracle,
        defects: new Set(),
        limits: { slotBytes: 1 },
      },
      name,
    );
  }

  /** The next requests described by `what` meet these fates, one after the other. */
  doom(what: string, ...fates: Fate[]): void {
    this.#fates.set(what, fates);
  }

  slotKey(epoch: number, slot: number): string {
    return `wal/t/0/${String(epoch).padStart(10, '0')}/${String(slot).padStart(12, '0')}`;
  }

  hasObject(key: string): boolean {
    return this.contents.objects.has(key);
  }

  /** Assigns `epoch` and lets everything but alarms happen until the broker owns the partition. */
  async own(broker: ModelBroker, epoch: number, except: readonly string[] = []): Promise<PartitionLog> {
    broker.assign(epoch);
    await this.run(except);
    const log = broker.logs.find(({ leaderEpoch }) => leaderEpoch === epoch);
    if (log === undefined) throw new Error(`${broker.process.name} does not own epoch ${epoch}`);
    return log;
  }

  /** Appends a batch of one record. */
  append(log: PartitionLog, producer: { id: number; sequence: number } = { id: -1, sequence: 0 }): HandAppend {
    const id = ++this.#lastBatch;
    const append: HandAppend = { result: undefined };
    const bytes = encodeTinyBatch({ id, recordCount: 1, producerId: producer.id, baseSequence: producer.sequence });
    void log.append({ bytes, header: readTinyBatch(bytes, 0) }).then((result) => {
      append.result = result;
    });
    return append;
  }

  /** Lets one step happen whose label contains one of `texts`. */
  async step(...texts: readonly string[]): Promise<void> {
    await this.world.settle();
    const matches = ({ label }: Happening): boolean => texts.some((text) => label().includes(text));
    const queue = this.#queues().find((candidate) => candidate.some(matches));
    const [found] = queue?.splice(queue.findIndex(matches), 1) ?? [];
    if (found === undefined) throw new Error(`nothing matches ${texts.join(', ')} among: ${this.#labels().join('; ')}`);
    found.happen();
    await this.world.settle();
  }

  /** Lets everything happen, alarms left out, except the steps whose label contains one of these texts. */
  async run(except: readonly string[] = []): Promise<void> {
    const isHeldBack = ({ label }: Happening): boolean => except.some((text) => label().includes(text));
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      await this.world.settle();
      const queue = this.#queues().find((candidate) => candidate.some((step) => !isHeldBack(step)));
      const [next] =
        queue?.splice(
          queue.findIndex((step) => !isHeldBack(step)),
          1,
        ) ?? [];
      if (next === undefined) return;
      next.happen();
    }
    throw new Error(`no end after ${MAX_STEPS} steps: ${this.#labels().join('; ')}`);
  }

  /** Uploads everything that `log` holds. */
  async flush(log: PartitionLog, except: readonly string[] = []): Promise<void> {
    void log.flush(new AbortController().signal);
    await this.run(except);
  }

  /** Ends every sleep of this broker. */
  async wake(broker: ModelBroker): Promise<void> {
    for (const alarm of broker.process.alarms.splice(0)) alarm.happen();
    await this.world.settle();
  }

  /** Numbers of the batches in the log, in order; the first appended has number 1. */
  async read(log: PartitionLog): Promise<readonly number[]> {
    let ids: readonly number[] | undefined;
    void log.fetch(0 as Offset, Number.MAX_SAFE_INTEGER).then((result) => {
      ids = result.status === 'read' ? result.records.flatMap(tinyBatchesIn).map(({ id }) => id) : [];
    });
    await this.run();
    return ids ?? [];
  }

  /** Requests on their way, held ones included, and answers on their way to somebody who can take them. */
  #queues(): readonly Happening[][] {
    const awake = this.world.processes.filter(({ isDead, isPaused }) => !isDead && !isPaused);
    return [this.world.network, ...awake.map(({ inbox }) => inbox)];
  }

  #labels(): readonly string[] {
    return [...this.#queues().flat(), ...this.world.held].map(({ label }) => label());
  }
}
