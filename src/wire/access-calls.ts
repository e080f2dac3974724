// What the user we are logged in as may do, asked before anything depends on it. A broker without an authorizer says that
// everything is allowed; an old one says nothing.
import { isNotServed } from './api-negotiation.ts';
import type { ClusterClient } from './cluster-client.ts';
import { deadlineAfter, requestOptions, tryUntil } from './deadline.ts';
import { GROUP_AUTHORIZATION_FAILED, TOPIC_AUTHORIZATION_FAILED } from './error-codes.ts';
import { type CallOptions, refuseCode } from './evidence-calls.ts';

/** Kafka's own numbers of its operations; the answer has one bit for each. */
const TOPIC_BITS = { Read: 3, Write: 4, Delete: 6, Describe: 8, DescribeConfigs: 10 } as const;
export type TopicOperation = keyof typeof TOPIC_BITS;

const CLUSTER_BITS = { Alter: 7, AlterConfigs: 11, Describe: 8 } as const;
/** What an order to the whole cluster may need. */
export type ClusterOperation = keyof typeof CLUSTER_BITS;

/** The bit field of a broker that does not tell. */
const NOT_TOLD = -2147483648;

const operationsIn = <O extends string>(bits: number, known: Readonly<Record<O, number>>): ReadonlySet<O> =>
  new Set((Object.keys(known) as O[]).filter((name) => ((bits >> known[name]) & 1) === 1));

/** Of one topic that is known to be there; undefined where the broker does not tell. */
export const topicOperations = async (
  client: ClusterClient,
  topic: string,
  options: CallOptions,
): Promise<ReadonlySet<TopicOperation> | undefined> => {
  const deadline = deadlineAfter(options.deadlineMs, options.signal);
  return await tryUntil(deadline, `the rights on topic ${topic}`, async () => {
    const connection = await client.anyConnection(deadline);
    const body = { topics: [{ name: topic }], allowAutoTopicCreation: false, includeTopicAuthorizedOperations: true };
    const { topics } = await connection.request('Metadata', body, requestOptions(deadline));
    const [found] = topics;
    if (found?.errorCode === TOPIC_AUTHORIZATION_FAILED) return new Set<TopicOperation>();
    refuseCode(`Metadata of topic ${topic}`, found?.errorCode ?? 0);
    const bits = found?.topicAuthorizedOperations ?? NOT_TOLD;
    return bits === NOT_TOLD ? undefined : operationsIn(bits, TOPIC_BITS);
  });
};

/**
 * Of the cluster as a whole; none where the user may not Describe it, because then nothing is told. Undefined where the broker is
 * too old to tell.
 */
export const clusterOperations = async (
  client: ClusterClient,
  options: CallOptions,
): Promise<ReadonlySet<ClusterOperation> | undefined> => {
  const deadline = deadlineAfter(options.deadlineMs, options.signal);
  return await tryUntil(deadline, 'the rights on the cluster', async () => {
    const connection = await client.anyConnection(deadline);
    try {
      const body = { includeClusterAuthorizedOperations: true };
      const answer = await connection.request('DescribeCluster', body, requestOptions(deadline));
      refuseCode('DescribeCluster', answer.errorCode, answer.errorMessage);
      const { clusterAuthorizedOperations: bits } = answer;
      return bits === NOT_TOLD ? undefined : operationsIn(bits, CLUSTER_BITS);
    } catch (thrown) {
      if (isNotServed(thrown)) return undefined;
      throw thrown;
    }
  });
};

const GROUP = 0;
/** One key a question, as every broker takes it. */
const ONE_KEY_VERSION = 2;

/** Whether consumers of ours may be in a group. A cluster that never had one makes a topic for them now, and is waited for. */
export const mayUseGroup = async (client: ClusterClient, group: string, options: CallOptions): Promise<boolean> => {
  const deadline = deadlineAfter(options.deadlineMs, options.signal);
  return await tryUntil(deadline, `the coordinator of group ${group}`, async () => {
    const connection = await client.anyConnection(deadline);
    const asking = { ...requestOptions(deadline), version: ONE_KEY_VERSION };
    const { errorCode } = await connection.request('FindCoordinator', { key: group, keyType: GROUP }, asking);
    if (errorCode === GROUP_AUTHORIZATION_FAILED) return false;
    refuseCode(`FindCoordinator of group ${group}`, errorCode);
    return true;
  });
};
