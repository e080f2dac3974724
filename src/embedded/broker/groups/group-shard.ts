// The groups whose commits live in one partition of the offsets topic, while this broker owns that partition. Commits are
// read back from the log when it is taken over; members are not kept and join again.
import { setTimeout as pause } from 'node:timers/promises';
import type { Offset } from '../../../vocabulary.ts';
import { readBatchHeader } from '../../../wire/record-batch.ts';
import { KAFKA } from '../../error-codes.ts';
import type { PartitionLog } from '../../log/interfaces.ts';
import { kafkaBatchFormat } from '../../log/kafka-batch-format.ts';
import type { ProgramLog } from '../../program-log.ts';
import { within } from '../within.ts';
import { type Commit, CommittedOffsets, decodeCommits, encodeCommits } from './committed-offsets.ts';
import { Group, type GroupSettings } from './group.ts';

const LOAD_BYTES = 4 * 1024 * 1024;
const RETRY_MS = 100;
const COMMIT_WAIT_MS = 5000;

export class GroupShard {
  readonly log: PartitionLog;
  readonly offsets = new CommittedOffsets();
  private readonly settings: GroupSettings;
  private readonly groups = new Map<string, Group>();
  private loaded = false;

  constructor(log: PartitionLog, settings: GroupSettings) {
    this.log = log;
    this.settings = settings;
  }

  /** Whether the commits of former owners have been read back. */
  get isLoaded(): boolean {
    return this.loaded;
  }

  /**
   * Reads the partition from its start to the end it has now; keeps trying while a store is away. Throws when what it reads
   * makes no sense; the shard is not loaded then.
   */
  async load(log: ProgramLog): Promise<void> {
    const end = this.log.highWatermark;
    let at: number = this.log.logStart;
    while (at < end && this.log.isOwner) {
      const result = await this.log.fetch(at as Offset, LOAD_BYTES);
      if (result.status === 'read') {
        for (const chunk of result.records) at = this.replay(Buffer.from(chunk));
      } else {
        log.warn(`reading committed offsets back: ${result.status} at ${at} of ${end}`);
        await pause(RETRY_MS);
      }
    }
    this.loaded = this.log.isOwner;
  }

  group(id: string): Group | undefined {
    return this.groups.get(id);
  }

  groupOrNew(id: string): Group {
    const known = this.groups.get(id);
    if (known !== undefined) return known;
    const group = new Group(id, this.settings);
    this.groups.set(id, group);
    return group;
  }

  /** Ids of all groups that have members or commits. */
  groupIds(): readonly string[] {
    return [...new Set([...this.groups.keys(), ...this.offsets.groupIds()])];
  }

  /** Writes commits down and then applies them; Kafka's code. */
  async commit(commits: readonly Commit[], wallMs: number): Promise<number> {
    const bytes = encodeCommits(commits, wallMs);
    const header = kafkaBatchFormat.read(bytes, 0);
    const stored = this.log.append({ bytes, header }).then((result) => {
      if (result.outcome === 'stored') for (const commit of commits) this.offsets.apply(commit);
      return result.outcome;
    });
    const outcome = await within(stored, COMMIT_WAIT_MS);
    if (outcome === 'stored') return KAFKA.NONE;
    return outcome === 'not-owner' ? KAFKA.NOT_COORDINATOR : KAFKA.COORDINATOR_NOT_AVAILABLE;
  }

  tick(now: number): void {
    for (const group of this.groups.values()) group.tick(now);
  }

  /** The partition has another owner: whoever waits is sent there. */
  abandon(): void {
    this.loaded = false;
    for (const group of this.groups.values()) group.abandon();
  }

  /** The offset after the last record of a piece of the log. */
  private replay(bytes: Buffer): number {
    for (const commit of decodeCommits(bytes)) this.offsets.apply(commit);
    let end = 0;
    for (let from = 0; from < bytes.length; ) {
      const header = readBatchHeader(bytes, from);
      from += header.totalBytes;
      end = header.baseOffset + header.lastOffsetDelta + 1;
    }
    return end;
  }
}
