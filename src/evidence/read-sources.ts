// Where the bytes of a pass came from, as the brokers count them: data objects, write-ahead log, memory. The difference of two
// readings; a broker that was started in between counts from zero again.
import type { BrokerStats, NodeId } from '../targets/target.ts';

export type StatsReading = readonly { readonly node: NodeId; readonly stats: BrokerStats }[];

export interface ReadSources {
  readonly objectBytes: number;
  readonly walBytes: number;
  readonly cacheBytes: number;
}

const grown = (before: number | undefined, after: number): number =>
  before === undefined || after < before ? after : after - before;

/** Bytes served between two readings, over all brokers in the second. */
export const readSourcesBetween = (before: StatsReading, after: StatsReading): ReadSources => {
  const earlier = new Map(before.map(({ node, stats }) => [node, stats]));
  let objectBytes = 0;
  let walBytes = 0;
  let cacheBytes = 0;
  for (const { node, stats } of after) {
    const first = earlier.get(node);
    objectBytes += grown(first?.objectBytes, stats.objectBytes);
    walBytes += grown(first?.walBytes, stats.walBytes);
    cacheBytes += grown(first?.cacheBytes, stats.cacheBytes);
  }
  return { objectBytes, walBytes, cacheBytes };
};
