// The consumer groups this broker coordinates: those whose partition of the offsets topic it owns.
import type { Clock } from '../../../clock.ts';
import { describeError } from '../../../errors.ts';
import { OFFSETS_PARTITIONS } from '../../cluster-view.ts';
import { KAFKA } from '../../error-codes.ts';
import type { PartitionLog } from '../../log/interfaces.ts';
import type { ProgramLog } from '../../program-log.ts';
import type { GroupSettings } from './group.ts';
import { GroupShard } from './group-shard.ts';

export interface GroupCoordinatorOptions {
  readonly clock: Clock;
  readonly log: ProgramLog;
  readonly settings: GroupSettings;
  /** Whether the controller has assigned this partition of the offsets topic to us, recovered or not. */
  readonly isAssigned: (partition: number) => boolean;
}

export type ShardOrCode =
  | { readonly status: 'here'; readonly shard: GroupShard }
  | { readonly status: 'not-here'; readonly code: number };

const TICK_MS = 25;
const LOAD_WAIT_MS = 2000;

/** The partition of the offsets topic that a group's commits go to. */
export const partitionOfGroup = (groupId: string): number => {
  let hash = 0;
  for (let index = 0; index < groupId.length; index++) hash = (Math.imul(hash, 31) + groupId.charCodeAt(index)) | 0;
  return (hash & 0x7fffffff) % OFFSETS_PARTITIONS;
};

export class GroupCoordinator {
  private readonly options: GroupCoordinatorOptions;
  private readonly shards = new Map<number, GroupShard>();
  private readonly timer: NodeJS.Timeout;

  constructor(options: GroupCoordinatorOptions) {
    this.options = options;
    this.timer = setInterval(() => this.tick(), TICK_MS);
  }

  close(): void {
    clearInterval(this.timer);
    for (const shard of this.shards.values()) shard.abandon();
    this.shards.clear();
  }

  /** We own a partition of the offsets topic: read it back and serve its groups until ownership ends. */
  own(partition: number, partitionLog: PartitionLog): void {
    const { log, settings } = this.options;
    const shard = new GroupShard(partitionLog, settings);
    this.shards.get(partition)?.abandon();
    this.shards.set(partition, shard);
    shard.load(log).then(
      () => log.info(`coordinates groups of partition ${partition}: ${shard.groupIds().length} have offsets`),
      (thrown: unknown) => log.error(`reading committed offsets of partition ${partition}: ${describeError(thrown)}`),
    );
    void partitionLog.ended.then(() => {
      shard.abandon();
      if (this.shards.get(partition) === shard) this.shards.delete(partition);
    });
  }

  /**
   * The shard of a group, or Kafka's code that sends the asker elsewhere. While the shard is being read back this waits a
   * little, because some clients give up when they are told to come again.
   */
  async shardOf(groupId: string): Promise<ShardOrCode> {
    const { clock } = this.options;
    const partition = partitionOfGroup(groupId);
    const until = clock.now() + LOAD_WAIT_MS;
    for (;;) {
      const shard = this.shards.get(partition);
      if (shard?.isLoaded === true && shard.log.isOwner) return { status: 'here', shard };
      if (!this.options.isAssigned(partition)) return { status: 'not-here', code: KAFKA.NOT_COORDINATOR };
      if (clock.now() >= until) return { status: 'not-here', code: KAFKA.COORDINATOR_LOAD_IN_PROGRESS };
      await clock.sleep(TICK_MS);
    }
  }

  loadedShards(): readonly GroupShard[] {
    return [...this.shards.values()].filter((shard) => shard.isLoaded);
  }

  private tick(): void {
    const now = this.options.clock.now();
    for (const shard of this.shards.values()) shard.tick(now);
  }
}
