// The cluster of a run is one and the same from its beginning to its judgement, also where addresses are somebody else's to move. Its
// own id tells; where that is the same for every cluster, as the image of Apache Kafka has it by default, the id of the topic does if
// all of its brokers ended behind our back. A topic that was made anew on brokers that go on is a loss, and judged as one.
import { EnvironmentError } from '../errors.ts';
import type { StartedTarget } from '../targets/target.ts';
import type { ClusterEye } from './cluster-eye.ts';

interface KnownCluster {
  /** Absent where others do not use it, or where it tells none. */
  readonly clusterId?: string | undefined;
  readonly eye: Pick<ClusterEye, 'clusterId' | 'topicId'>;
  readonly target: Pick<StartedTarget, 'brokers' | 'casualties'>;
}

/** A topic as the run first saw it. */
interface KnownTopic {
  readonly topic: string;
  /** Absent where the cluster tells none. */
  readonly topicId?: string | undefined;
}

const answered = async (asked: Promise<string | undefined>): Promise<string | undefined> =>
  await asked.catch(() => undefined);

const changed = (what: string, now: string, was: string): EnvironmentError =>
  new EnvironmentError(
    'CLUSTER_CHANGED',
    `${what} that answers is now ${now}, and the run began on ${was}, so nothing can be said of its records.`,
    {
      hint: 'See where the addresses in the target file lead to, and who made the cluster or its topic anew; run again.',
    },
  );

const haveAllEnded = ({ brokers, casualties }: KnownCluster['target']): boolean => {
  const ended = casualties?.() ?? [];
  return brokers.length > 0 && brokers.every(({ node }) => ended.includes(node));
};

/**
 * What another cluster says at the same addresses is about other records (exit 69), and so is what another topic of the same name
 * says where every broker was ended by somebody else; one that does not answer, or does not know the topic, is no other.
 */
export const assertSameCluster = async (
  { clusterId, eye, target }: KnownCluster,
  { topic, topicId }: Partial<KnownTopic> = {},
): Promise<void> => {
  if (clusterId === undefined) return;
  const now = await answered(eye.clusterId());
  if (now !== undefined && now !== clusterId) throw changed('The cluster', now, clusterId);
  if (topic === undefined || topicId === undefined || !haveAllEnded(target)) return;
  const nowTopic = await answered(eye.topicId(topic));
  if (nowTopic !== undefined && nowTopic !== topicId) throw changed(`The topic ${topic}`, nowTopic, topicId);
};
