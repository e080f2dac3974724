// One part of a run: preflight, control or main. Each has a topic, a directory, a clock origin and files of its own, so that
// each is judged like any run and the control can be laid beside the fault run.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32c } from '../checksum.ts';
import type { Clock } from '../clock.ts';
import { EnvironmentError, InternalError } from '../errors.ts';
import type { Contract, HistoryLine, SealLine, TimelineLine } from '../ledger/history-lines.ts';
import { createLedger, type LedgerWriter } from '../ledger/ledger-writer.ts';
import { createReplay, type ReplayWriter } from '../ledger/replay-writer.ts';
import { runOrder, type SharedOrder } from '../ledger/run-order.ts';
import type { PartRecord, PassSummary } from '../ledger/run-record.ts';
import { createTimeline, type TimelineWriter } from '../ledger/timeline-writer.ts';
import type { Phase } from '../vocabulary.ts';
import type { PartName } from './progress.ts';
import type { TopicWorkload } from './scenario.ts';
import { Turns } from './turns.ts';

/** `Omit` that keeps a union a union. */
export type WithoutAt<T> = T extends { readonly at: number } ? Omit<T, 'at'> : never;

export interface PartOptions {
  readonly name: PartName;
  readonly runId: string;
  readonly runDirectory: string;
  readonly contract: Contract;
  readonly topic: TopicWorkload;
  readonly clock: Clock;
}

/** Where the ledger of a part is, and what stands in its header. */
export interface LedgerPlan {
  readonly directory: string;
  readonly run: string;
  /** CRC32C of contract.json. */
  readonly contract: number;
  /** The memory of the part's order. */
  readonly order: SharedArrayBuffer;
}

/** The files of one part, open; whoever opens it closes it. */
export class Part {
  readonly name: PartName;
  /** The run id written into every record of this part. */
  readonly runId: string;
  readonly directory: string;
  /** Relative to the run directory. */
  readonly place: string;
  /** The topic's real name: one of this part alone, unless the scenario names a topic that exists. */
  readonly topic: string;
  readonly partitions: readonly number[];
  readonly order: SharedOrder;
  /** Snapshots are taken one after the other, so that what one tells is never older than what an earlier one told. */
  readonly snapshots: Turns;
  readonly passes: PassSummary[] = [];
  /** In a topic that others use too: by partition, the offset below which nothing is of this part. Empty in one of its own. */
  readonly begins = new Map<number, number>();
  readonly #options: PartOptions;
  readonly #clock: Clock;
  readonly #origin: number;
  readonly #timeline: TimelineWriter;
  readonly #phases: { phase: Phase; from: number; to?: number }[] = [];
  #contractChecksum: number;
  #ledger: LedgerWriter | undefined;
  #isLedgerElsewhere = false;
  #nextPass = 0;

  constructor(options: PartOptions) {
    this.#options = options;
    this.name = options.name;
    this.runId = options.name === 'main' ? options.runId : `${options.runId}-${options.name}`;
    this.place = options.name === 'main' ? '.' : options.name;
    this.directory = join(options.runDirectory, this.place);
    const { name, existing = false } = options.topic;
    this.topic = existing ? name : `ackproof-${options.runId}-${options.name}-${name}`;
    this.partitions = Array.from({ length: options.topic.partitions }, (_, partition) => partition);
    this.#clock = options.clock;
    this.#origin = options.clock.now();
    this.order = runOrder();
    this.snapshots = new Turns(options.clock);
    this.#contractChecksum = this.#writeContract(options.topic.config, 'wx');
    this.#timeline = createTimeline(this.directory, this.order);
  }

  /** Others may write to its topic, too. */
  get isShared(): boolean {
    return this.#options.topic.existing === true;
  }

  /** What was sent and what came of it; from its first use on, the contract is settled. */
  get ledger(): LedgerWriter {
    if (this.#isLedgerElsewhere)
      throw new InternalError('LEDGER_ELSEWHERE', 'The load writes the ledger of this part.');
    const { directory, run, contract } = this.#ledgerPlan();
    this.#ledger ??= createLedger(directory, { run, clock: this.#clock, order: this.order, contract });
    return this.#ledger;
  }

  /** What the load writes the ledger with, in a thread of its own; whoever asks for it also closes the ledger. */
  handOverLedger(): LedgerPlan {
    if (this.#ledger !== undefined) throw new InternalError('LEDGER_BEGUN', 'The ledger of this part is open already.');
    this.#isLedgerElsewhere = true;
    return this.#ledgerPlan();
  }

  #ledgerPlan(): LedgerPlan {
    return { directory: this.directory, run: this.runId, contract: this.#contractChecksum, order: this.order.memory };
  }

  /**
   * Adds topic settings that are in force although the scenario does not state them, so that the part is judged by what the
   * cluster was told to do. Only before anything is sent.
   */
  addSettings(inForce: Readonly<Record<string, string>>): void {
    if (this.#ledger !== undefined || this.#isLedgerElsewhere) {
      throw new InternalError('CONTRACT_SETTLED', 'The contract of a part cannot change once its ledger is open.');
    }
    this.#contractChecksum = this.#writeContract({ ...inForce, ...this.#options.topic.config }, 'w');
  }

  /** Returns the file's CRC32C. */
  #writeContract(config: TopicWorkload['config'], flag: 'wx' | 'w'): number {
    const { partitions, replicationFactor, existing = false } = this.#options.topic;
    const topics = [{ topic: this.topic, partitions, replicationFactor, exclusive: !existing, config }];
    // Somebody else's transactions may leave holes in a topic that is not ours alone.
    const contract = existing ? { ...this.#options.contract, transactions: true } : this.#options.contract;
    return writeHeader(this.directory, { t: 'history', version: 1, run: this.runId, contract, topics }, flag);
  }

  /** As it was when the part began; undefined before, and where the cluster tells none. */
  topicId: string | undefined;

  /** Milliseconds since the start of this part. */
  at(): number {
    return this.#clock.now() - this.#origin;
  }

  /** Writes one line of the timeline; `at` now unless given, `order` as reserved when the thing happened. */
  tell(line: WithoutAt<Exclude<TimelineLine, SealLine>>, at = this.at(), order?: number): void {
    this.#timeline.write({ ...line, at }, order);
  }

  /** Ends the timeline as far as it goes; called before a part is judged. */
  seal(): void {
    this.#timeline.seal();
  }

  enter(phase: Phase): void {
    this.#leave();
    this.#phases.push({ phase, from: this.at() });
    this.tell({ t: 'phase', phase });
    this.#timeline.assertWritten();
  }

  #leave(): void {
    const open = this.#phases.at(-1);
    if (open !== undefined) open.to ??= this.at();
  }

  /**
   * The next replay pass, in order. That it was begun stands in the timeline: its file cannot go missing unseen. `client`: the
   * kind of the client that reads, where it is the reading of one.
   */
  openPass(pass: string, client?: string): ReplayWriter {
    const position = this.#nextPass;
    this.#nextPass += 1;
    const reader = client === undefined ? {} : { client };
    const writer = createReplay(this.directory, { run: this.runId, clock: this.#clock, pass, position, ...reader });
    this.tell({ t: 'plan', faults: [], passes: [pass] });
    return writer;
  }

  async close(): Promise<void> {
    this.#leave();
    try {
      if (!this.#isLedgerElsewhere) await this.ledger.close();
    } finally {
      await this.#timeline.close();
    }
  }

  /** What run.json says of this part; faults and the result are added by those who know them. */
  record(): Omit<PartRecord, 'faults' | 'result'> {
    return {
      part: this.name,
      directory: this.place,
      topic: this.topic,
      partitions: this.partitions.length,
      phases: this.#phases.map((phase) => ({ ...phase })),
      passes: [...this.passes],
    };
  }
}

/** Returns the file's CRC32C. */
const writeHeader = (directory: string, header: HistoryLine, flag: 'wx' | 'w'): number => {
  const text = Buffer.from(`${JSON.stringify(header, null, 2)}\n`, 'utf8');
  try {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'contract.json'), text, { flag });
    return crc32c(text);
  } catch (cause) {
    throw new EnvironmentError('RUN_DIRECTORY_UNWRITABLE', `Cannot write into ${directory}.`, {
      cause,
      hint: 'Free some space, check permissions, or choose another directory with --out.',
    });
  }
};
