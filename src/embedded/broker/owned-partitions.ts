// The partitions this broker owns or is about to own. Follows the controller's views: a partition assigned to us in a new
// epoch is taken over, one that is not ours any more is resigned. Whether we really own it is decided by the log's fence. An
// ownership that ends by itself while the partition is still assigned to us is asked for again, in a higher epoch.
import type { Clock } from '../../clock.ts';
import { describeError } from '../../errors.ts';
import type { BrokerId } from '../../vocabulary.ts';
import type { ClusterView, PartitionView, TopicView } from '../cluster-view.ts';
import { freshId } from '../fresh-id.ts';
import type {
  BatchFormat,
  DefectSet,
  LogLimits,
  LogNotice,
  LogStores,
  PartitionLog,
  Takeover,
} from '../log/interfaces.ts';
import type { ProgramLog } from '../program-log.ts';
import { describeLogEvent } from './log-events.ts';
import { RegainPauses } from './regain-pauses.ts';

export interface OwnedPartitionsOptions {
  readonly brokerId: BrokerId;
  readonly stores: LogStores;
  readonly format: BatchFormat;
  readonly takeover: Takeover;
  readonly clock: Clock;
  readonly log: ProgramLog;
  readonly defectsOf: (topic: TopicView) => DefectSet;
  readonly limits: Partial<LogLimits>;
  /** Asks the controller for an epoch above one that was found or has ended; a partition that has moved on stays as it is. */
  readonly raiseEpoch: (topicId: string, partition: number, above: number) => Promise<void>;
  /** Called when a partition is ready to serve. */
  readonly onOwned?: (topic: TopicView, partition: number, log: PartitionLog) => void;
}

/** One assignment of one partition to this broker. */
export interface OwnedPartition {
  readonly topic: TopicView;
  readonly partition: number;
  readonly epoch: number;
  /** Set once recovery is done. */
  log: PartitionLog | undefined;
  /** Resolves with the log once recovery is done, or with undefined when it came to nothing. Never rejects. */
  readonly ready: Promise<PartitionLog | undefined>;
  readonly givenUp: AbortController;
}

const RETRY_MS = 100;

const keyOf = (topicId: string, partition: number): string => `${topicId}/${partition}`;

export class OwnedPartitions {
  private readonly options: OwnedPartitionsOptions;
  private readonly owned = new Map<string, OwnedPartition>();
  private readonly pauses = new RegainPauses();
  private closed = false;

  constructor(options: OwnedPartitionsOptions) {
    this.options = options;
  }

  /** Brings what we own in line with `view`. */
  follow(view: ClusterView): void {
    if (this.closed) return;
    const assigned = new Set<string>();
    for (const topic of view.topics) {
      topic.partitions.forEach((owner, partition) => {
        if (owner.leader !== this.options.brokerId) return;
        assigned.add(keyOf(topic.topicId, partition));
        this.assign(topic, partition, owner);
      });
    }
    for (const [key, entry] of this.owned) {
      if (assigned.has(key)) continue;
      this.release(key, entry);
      this.pauses.forget(key);
      const { topicId } = entry.topic;
      if (!view.topics.some((topic) => topic.topicId === topicId)) this.options.stores.wal.forgetTopic(topicId);
    }
  }

  /** The assignment of a partition to this broker, recovered or not. */
  find(topicId: string, partition: number): OwnedPartition | undefined {
    return this.owned.get(keyOf(topicId, partition));
  }

  all(): readonly OwnedPartition[] {
    return [...this.owned.values()];
  }

  /** The logs that can serve. */
  logs(): readonly PartitionLog[] {
    return this.all().flatMap((entry) => (entry.log?.isOwner === true ? [entry.log] : []));
  }

  /** Gives everything up and takes nothing over any more. */
  close(): void {
    this.closed = true;
    for (const [key, entry] of this.owned) this.release(key, entry);
  }

  private assign(topic: TopicView, partition: number, owner: PartitionView): void {
    const key = keyOf(topic.topicId, partition);
    const current = this.owned.get(key);
    if (current !== undefined && current.epoch >= owner.epoch) return;
    if (current !== undefined) this.release(key, current);
    const givenUp = new AbortController();
    const named = { topic, partition, epoch: owner.epoch, givenUp };
    const entry: OwnedPartition = { ...named, log: undefined, ready: this.takeOver(key, named) };
    this.owned.set(key, entry);
    void entry.ready.then((log) => {
      if (log === undefined || givenUp.signal.aborted) return;
      entry.log = log;
      this.options.onOwned?.(topic, partition, log);
      void this.regain(key, entry, log);
    });
  }

  /** Once `log` has ended by itself, asks for the partition again until a newer view takes the place of this assignment. */
  private async regain(
    key: string,
    { topic, partition, epoch, givenUp }: OwnedPartition,
    log: PartitionLog,
  ): Promise<void> {
    const { clock, raiseEpoch } = this.options;
    const ownedAt = clock.now();
    await log.ended;
    const lastedMs = clock.now() - ownedAt;
    const isWithdrawn = (): boolean => givenUp.signal.aborted;
    while (!isWithdrawn()) {
      await clock.sleep(this.pauses.take(key, lastedMs));
      if (isWithdrawn()) return;
      this.options.log.warn(`asks for ${topic.name}/${partition} again, above epoch ${epoch}`);
      await raiseEpoch(topic.topicId, partition, epoch).catch((thrown: unknown) => {
        this.options.log.warn(`no higher epoch for ${topic.name}/${partition}: ${describeError(thrown)}`);
      });
    }
  }

  private release(key: string, entry: OwnedPartition): void {
    this.owned.delete(key);
    entry.givenUp.abort();
    entry.log?.resign();
    this.options.log.info(`gave up ${entry.topic.name}/${entry.partition}, epoch ${entry.epoch}`);
  }

  /** Tries until it owns the partition or the assignment is withdrawn; a store that is away only delays it. */
  private async takeOver(
    key: string,
    assignment: Pick<OwnedPartition, 'topic' | 'partition' | 'epoch' | 'givenUp'>,
  ): Promise<PartitionLog | undefined> {
    const { log, clock } = this.options;
    const { topic, partition, epoch, givenUp } = assignment;
    const name = `${topic.name}/${partition}`;
    const isWithdrawn = (): boolean => givenUp.signal.aborted;
    while (!isWithdrawn()) {
      try {
        const result = await this.tryTakeover(assignment);
        if (result.status === 'owner') {
          if (isWithdrawn()) result.log.resign();
          else log.info(`leads ${name}, epoch ${epoch}, end ${result.log.highWatermark}`);
          return result.log;
        }
        log.warn(`takeover of ${key} (${name}) refused: epoch ${result.epoch} is held, ours is ${epoch}`);
        await this.options.raiseEpoch(topic.topicId, partition, result.epoch);
      } catch (thrown) {
        if (!isWithdrawn()) log.error(`takeover of ${name}, epoch ${epoch}: ${describeError(thrown)}`);
      }
      await clock.sleep(RETRY_MS);
    }
    return undefined;
  }

  private async tryTakeover(
    assignment: Pick<OwnedPartition, 'topic' | 'partition' | 'epoch' | 'givenUp'>,
  ): ReturnType<Takeover> {
    const { stores, format, clock, brokerId, limits, log } = this.options;
    const { topic, partition, epoch, givenUp } = assignment;
    return await this.options.takeover({
      stores,
      format,
      clock,
      topicId: topic.topicId,
      partition,
      brokerId,
      epoch,
      nonce: freshId(),
      defects: this.options.defectsOf(topic),
      limits,
      onEvent: (event: LogNotice) => describeLogEvent(log, `${topic.name}/${partition}`, event),
      signal: givenUp.signal,
    });
  }
}
