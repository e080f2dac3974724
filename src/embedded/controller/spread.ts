// Who gets the next partition: the live broker that leads the fewest of that topic, then the fewest in total, then the one
// with the lowest id. Nothing is ever taken from a broker that is alive.
import type { TopicView } from '../cluster-view.ts';

/** How much each live broker leads; changed in place as partitions are given out. */
export interface Load {
  readonly brokers: readonly number[];
  readonly total: Map<number, number>;
  readonly byTopic: Map<string, Map<number, number>>;
}

const bump = (counts: Map<number, number>, broker: number): void => {
  counts.set(broker, (counts.get(broker) ?? 0) + 1);
};

const countsOf = (load: Load, topic: string): Map<number, number> => {
  const known = load.byTopic.get(topic);
  if (known !== undefined) return known;
  const fresh = new Map<number, number>();
  load.byTopic.set(topic, fresh);
  return fresh;
};

export const loadOf = (topics: readonly TopicView[], liveBrokers: readonly number[]): Load => {
  const load: Load = { brokers: [...liveBrokers].sort((a, b) => a - b), total: new Map(), byTopic: new Map() };
  for (const topic of topics) {
    for (const partition of topic.partitions) {
      bump(load.total, partition.leader);
      bump(countsOf(load, topic.name), partition.leader);
    }
  }
  return load;
};

/** The broker to lead one more partition of `topic`, already counted as its leader; undefined when none is live. */
export const leastLoaded = (load: Load, topic: string): number | undefined => {
  const ofTopic = countsOf(load, topic);
  let best: number | undefined;
  let bestRank: readonly [number, number] = [Infinity, Infinity];
  for (const broker of load.brokers) {
    const rank = [ofTopic.get(broker) ?? 0, load.total.get(broker) ?? 0] as const;
    if (rank[0] < bestRank[0] || (rank[0] === bestRank[0] && rank[1] < bestRank[1])) {
      best = broker;
      bestRank = rank;
    }
  }
  if (best !== undefined) {
    bump(load.total, best);
    bump(ofTopic, best);
  }
  return best;
};
