// The real embedded cluster with a topic to choose victims by, for faults. Programs come from `dist`: build first.
import type { WalKind } from '../../src/vocabulary.ts';
import { type Cluster, makeTopic, produce, startCluster } from '../targets/cluster-fixture.ts';

/** Alias `orders` of the tests' contexts. */
export const EMBEDDED_TOPIC = 'orders-real';

export const startEmbeddedForFaults = async (wal: WalKind = 's3'): Promise<Cluster> => {
  const cluster = await startCluster({ wal });
  await makeTopic(cluster, EMBEDDED_TOPIC);
  await produce(cluster, EMBEDDED_TOPIC, 5, 20);
  return cluster;
};
