// One random schedule, decided by its seed alone: brokers that pause, die and are replaced, a controller that moves the
// partition without knowing any of that, producers and readers, and a network that loses, repeats and delays. At the end the
// faults stop, a new owner takes over, and everything that was ever promised is looked for.
import type { LogLimits, PartitionLog } from '../../src/embedded/log/interfaces.ts';
import { type Random, randomStream } from '../../src/random.ts';
import type { DefectName, WalKind } from '../../src/vocabulary.ts';
import { type BrokerSettings, ModelBroker } from './model-broker.ts';
import { askForEnd, BatchNumbers, ModelProducer, readAll, readSomewhere } from './model-clients.ts';
import { ModelVolume } from './model-volume.ts';
import { Oracle } from './oracle.ts';
import { RandomNetwork, StoreContents } from './simulated-store.ts';
import { World } from './world.ts';

export interface ScheduleOptions {
  readonly seed: number;
  readonly wal: WalKind;
  readonly defects?: readonly DefectName[];
  readonly trace?: string[];
}

export interface ScheduleResult {
  readonly seed: number;
  /** What was promised and not kept; empty when all is well. */
  readonly violations: readonly string[];
  readonly acknowledged: number;
  readonly takeovers: number;
}

const FAULT_RATES = [0, 0.05, 0.15, 0.3] as const;
const MAX_STEPS_TO_SETTLE = 20_000;

const randomLimits = (random: Random): Partial<LogLimits> => ({
  slotsInFlight: 1 + random.integer(4),
  slotBytes: random.pick([1, 160, 10_000]),
  objectBytes: random.pick([1, 300, 10_000]),
  placeBytes: random.pick([1, 160, 10_000]),
  cacheBytes: random.pick([0, 250, 100_000]),
});

class Schedule {
  readonly #random: Random;
  readonly #world: World;
  readonly #oracle = new Oracle();
  readonly #network: RandomNetwork;
  readonly #settings: BrokerSettings;
  readonly #producers: readonly ModelProducer[];
  #brokers: ModelBroker[] = [];
  #started = 0;
  #epoch = 0;

  constructor({ seed, wal, defects, trace }: ScheduleOptions) {
    this.#random = randomStream(seed, 'schedule');
    this.#world = new World(randomStream(seed, 'world'));
    this.#world.trace = trace;
    this.#network = new RandomNetwork(randomStream(seed, 'network'), this.#random.pick(FAULT_RATES));
    this.#settings = {
      world: this.#world,
      contents: new StoreContents(),
      wal,
      volume: new ModelVolume(this.#world),
      network: this.#network,
      oracle: this.#oracle,
      defects: new Set(defects),
      limits: randomLimits(this.#random),
    };
    const numbers = new BatchNumbers();
    this.#producers = [1, 2, -1].map((id) => new ModelProducer(this.#oracle, this.#random, numbers, id));
  }

  async run(): Promise<{ violations: readonly string[]; acknowledged: number; takeovers: number }> {
    for (let count = 0; count < 3; count++) this.#startBroker();
    this.#assign(this.#random.pick(this.#brokers));
    const actions = 40 + this.#random.integer(120);
    for (let action = 0; action < actions && this.#oracle.violations.length === 0; action++) {
      this.#act();
      await this.#world.settle();
      for (let steps = this.#random.integer(4); steps > 0; steps--) await this.#world.step();
    }
    if (this.#oracle.violations.length === 0) await this.#finish();
    return {
      violations: this.#oracle.violations,
      acknowledged: this.#oracle.acknowledgedCount,
      takeovers: this.#epoch,
    };
  }

  #startBroker(): ModelBroker {
    const broker = new ModelBroker(this.#settings, `broker-${++this.#started}`);
    this.#brokers.push(broker);
    return broker;
  }

  /** The controller's choice; it does not know who is alive, and now and then repeats an old epoch. */
  #assign(broker: ModelBroker): void {
    if (this.#epoch === 0 || this.#random.next() < 0.9) this.#epoch++;
    this.#world.note(() => `the controller assigns epoch ${this.#epoch} to ${broker.process.name}`);
    broker.assign(this.#epoch);
  }

  get #logs(): readonly PartitionLog[] {
    return this.#brokers.flatMap((broker) => broker.logs);
  }

  #act(): void {
    const choice = this.#random.integer(100);
    const logs = this.#logs;
    const log = logs.length === 0 ? undefined : this.#random.pick(logs);
    if (choice < (this.#hasVolume ? 20 : 17)) this.#disturb(choice);
    else if (log === undefined) return;
    else if (choice < 65) this.#random.pick(this.#producers).send(log);
    else if (choice < 80) void readSomewhere(this.#oracle, this.#random, log);
    else if (choice < 88) void askForEnd(this.#oracle, log);
    else if (choice < 94) log.dropCache();
    else if (choice < 98) void log.flush(new AbortController().signal);
    else log.resign();
  }

  #disturb(choice: number): void {
    if (choice < 6) this.#assign(this.#random.pick(this.#brokers));
    else if (choice < 9) this.#crash(this.#random.pick(this.#brokers));
    else if (choice < 17) this.#pauseOrResume(this.#random.pick(this.#brokers));
    else this.#settings.volume.cutPower();
  }

  get #hasVolume(): boolean {
    return this.#settings.wal !== 's3';
  }

  #crash(broker: ModelBroker): void {
    this.#world.note(() => `${broker.process.name} dies`);
    this.#world.kill(broker.process);
    this.#brokers = this.#brokers.filter((other) => other !== broker);
    this.#startBroker();
  }

  #pauseOrResume({ process }: ModelBroker): void {
    process.isPaused = !process.isPaused;
    this.#world.note(() => `${process.name} is ${process.isPaused ? 'paused' : 'resumed'}`);
  }

  async #finish(): Promise<void> {
    this.#network.faultRate = 0;
    if (this.#random.next() < 0.5) for (const broker of [...this.#brokers]) this.#crash(broker);
    for (const { process } of this.#brokers) process.isPaused = false;
    await this.#checkWithNewOwner();
    if (this.#world.held.length === 0) return;
    while (this.#world.held.length > 0) this.#world.releaseHeld();
    await this.#checkWithNewOwner();
  }

  /** A new owner serves the whole log, hot and cold, and takes what producers still have to send. */
  async #checkWithNewOwner(): Promise<void> {
    const broker = this.#startBroker();
    this.#epoch++;
    broker.assign(this.#epoch);
    const log = await this.#until('a new owner', () => broker.logs[0]);
    if (log === undefined) return;
    await this.#untilDone('a read of the log', readAll(this.#oracle, this.#random, log));
    for (const producer of this.#producers) producer.send(log);
    await this.#until('the acknowledgement of what was pending', () =>
      this.#producers.every((producer) => producer.isIdle) ? true : undefined,
    );
    await this.#untilDone('a flush', log.flush(new AbortController().signal));
    log.dropCache();
    await this.#untilDone('a cold read of the log', readAll(this.#oracle, this.#random, log));
  }

  async #untilDone(what: string, work: Promise<unknown>): Promise<void> {
    let isDone = false;
    void work.finally(() => {
      isDone = true;
    });
    await this.#until(what, () => (isDone ? true : undefined));
  }

  async #until<T>(what: string, look: () => T | undefined): Promise<T | undefined> {
    for (let steps = 0; steps < MAX_STEPS_TO_SETTLE; steps++) {
      const found = look();
      if (found !== undefined) return found;
      await this.#world.step();
    }
    this.#oracle.violate(`${what} never came`);
    return undefined;
  }
}

export const runSchedule = async (options: ScheduleOptions): Promise<ScheduleResult> => ({
  seed: options.seed,
  ...(await new Schedule(options).run()),
});
