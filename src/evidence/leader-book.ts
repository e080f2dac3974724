// What is known of leadership, built from Metadata answers of several brokers that may lag, be fenced or wake from a pause. An
// answer older than what is known (a lower leader epoch) changes nothing, so that a zombie's memory is not taken for news. Within
// one epoch only the leader is believed about its in-sync replicas: the others learn of them later, each at its own time.
import type { ClusterMetadata, PartitionMetadata } from '../wire/cluster-metadata.ts';

/** A change of leadership; `leader` −1 is none, `epoch` −1 is unknown. */
export interface LeaderFact {
  readonly topic: string;
  readonly partition: number;
  readonly leader: number;
  readonly epoch: number;
}

/** A change of the in-sync replicas. */
export interface InSyncFact {
  readonly topic: string;
  readonly partition: number;
  readonly epoch: number;
  readonly inSync: readonly number[];
}

export interface LeadershipNews {
  readonly leaders: readonly LeaderFact[];
  readonly inSync: readonly InSyncFact[];
  /** Topics whose id is another one than before: deleted and created again. */
  readonly recreated: readonly { readonly topic: string; readonly topicId: string }[];
}

interface Known {
  readonly leader: number;
  readonly epoch: number;
  readonly inSync: readonly number[];
}

/** Before the first answer; `NaN` is no leader that an answer could name. */
const UNKNOWN: Known = { leader: Number.NaN, epoch: -1, inSync: [] };

const same = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((id, index) => id === other[index]);

const rowOf = (row: PartitionMetadata): Known => ({
  leader: row.leader ?? -1,
  epoch: row.leaderEpoch,
  inSync: [...row.inSync].sort((one, other) => one - other),
});

/** Whether `next` tells something newer than `known`: a higher epoch, or within one epoch the loss of the leader. */
const isNews = (known: Known, next: Known): boolean => {
  if (next.epoch < 0 || known.epoch < 0) return next.leader !== known.leader;
  return next.epoch > known.epoch || (next.epoch === known.epoch && next.leader === -1 && known.leader !== -1);
};

export class LeaderBook {
  readonly #known = new Map<string, Known>();
  readonly #topicIds = new Map<string, string>();

  /** Takes in one answer of the broker `answeredBy` and returns what is new in it. */
  add(metadata: ClusterMetadata, answeredBy: number): LeadershipNews {
    const leaders: LeaderFact[] = [];
    const inSync: InSyncFact[] = [];
    const recreated: { topic: string; topicId: string }[] = [];
    for (const { name: topic, topicId, errorCode, partitions } of metadata.topics) {
      if (errorCode !== 0) continue;
      const before = this.#topicIds.get(topic);
      if (before !== undefined && before !== topicId) recreated.push({ topic, topicId });
      this.#topicIds.set(topic, topicId);
      for (const row of partitions) this.#addPartition(topic, row, answeredBy, { leaders, inSync });
    }
    return { leaders, inSync, recreated };
  }

  /** What is known of one partition now. */
  leaderOf(topic: string, partition: number): LeaderFact | undefined {
    const known = this.#known.get(`${topic}/${partition}`);
    return known === undefined ? undefined : { topic, partition, leader: known.leader, epoch: known.epoch };
  }

  /** Its replicas in sync as far as its leader has told; none before it has. */
  inSyncOf(topic: string, partition: number): readonly number[] {
    return this.#known.get(`${topic}/${partition}`)?.inSync ?? [];
  }

  #addPartition(
    topic: string,
    row: PartitionMetadata,
    answeredBy: number,
    news: { readonly leaders: LeaderFact[]; readonly inSync: InSyncFact[] },
  ): void {
    const { partition } = row;
    const key = `${topic}/${partition}`;
    const known = this.#known.get(key) ?? UNKNOWN;
    const next = rowOf(row);
    if (next.epoch >= 0 && next.epoch < known.epoch) return;
    const moved = isNews(known, next);
    if (moved) news.leaders.push({ topic, partition, leader: next.leader, epoch: next.epoch });
    const leader = moved ? next.leader : known.leader;
    const trusted = moved || answeredBy === leader;
    if (trusted && !same(known.inSync, next.inSync)) {
      news.inSync.push({ topic, partition, epoch: next.epoch, inSync: next.inSync });
    }
    this.#known.set(key, {
      leader,
      epoch: Math.max(known.epoch, next.epoch),
      inSync: trusted ? next.inSync : known.inSync,
    });
  }
}
