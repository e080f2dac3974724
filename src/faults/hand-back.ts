// What a broker led before it was gone, given back to it: Kafka does so by itself every five minutes, an operator at once.
import { systemClock } from '../clock.ts';
import type { BrokerNode, StartedTarget } from '../targets/target.ts';
import { ClusterClient } from '../wire/cluster-client.ts';
import type { TopicPartition } from '../wire/evidence-calls.ts';
import { electPreferredLeaders } from '../wire/leader-election.ts';
import { askAnyMetadata, type ClusterView } from './probes/cluster-metadata.ts';

const POLL_MS = 100;
const ORDER_DEADLINE_MS = 10_000;
/** Of Kafka's own, and of canaries. */
const INTERNAL = /^__/u;

/** The partitions of the load that a broker leads and is the preferred leader of. */
export const ledByPreference = ({ partitions }: ClusterView, id: number): readonly TopicPartition[] =>
  partitions
    .filter(({ topic, leader, replicas }) => leader === id && replicas[0] === id && !INTERNAL.test(topic))
    .map(({ topic, partition }) => ({ topic, partition }));

const isInSync = ({ partitions }: ClusterView, { topic, partition }: TopicPartition, id: number): boolean =>
  partitions.some((each) => each.topic === topic && each.partition === partition && each.inSync.includes(id));

/** Waits until the broker is in sync in all of them, and has them elect it. Ends with `signal` at the latest. */
export const handBack = async (
  target: StartedTarget,
  { id }: BrokerNode,
  places: readonly TopicPartition[],
  signal: AbortSignal,
): Promise<void> => {
  const { evidenceBootstrap: bootstrap, security } = target;
  for (;;) {
    const view = await askAnyMetadata(bootstrap, signal, security);
    if (places.every((place) => isInSync(view, place, id))) break;
    await systemClock.sleep(POLL_MS, signal);
  }
  const client = new ClusterClient({ bootstrap, clientId: 'ackproof-fault', security });
  try {
    await electPreferredLeaders(client, places, { deadlineMs: ORDER_DEADLINE_MS, signal });
  } finally {
    client.close();
  }
};
