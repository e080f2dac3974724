// The questions that evidence is made of, each with one deadline and patience for brokers that are away or not in charge yet.
// An answer that is only a sentinel or an error never comes back as a value: it is a `WireError` with Kafka's code.
import type { BrokerId, Offset } from '../vocabulary.ts';
import type { ClusterClient } from './cluster-client.ts';
import type { ClusterMetadata, TopicMetadata } from './cluster-metadata.ts';
import type { Connection } from './connection.ts';
import { type Deadline, deadlineAfter, isPassingTrouble, requestOptions, tryUntil } from './deadline.ts';
import { errorCodeName, isLeadershipError, NONE, UNKNOWN_TOPIC_OR_PARTITION } from './error-codes.ts';
import { type ResponseBody, WireError } from './protocol.ts';

export type Isolation = 'read_uncommitted' | 'read_committed';
export const isolationLevel = (isolation: Isolation): number => (isolation === 'read_committed' ? 1 : 0);

export interface CallOptions {
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
}

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** Places as most requests name them: partitions below their topic. */
export const groupByTopic = <T extends TopicPartition>(places: readonly T[]): ReadonlyMap<string, readonly T[]> => {
  const groups = new Map<string, T[]>();
  for (const place of places) groups.set(place.topic, [...(groups.get(place.topic) ?? []), place]);
  return groups;
};

export interface LogOffset {
  readonly offset: Offset;
  /** −1 where the broker tells none. */
  readonly leaderEpoch: number;
}

/** Throws `WIRE_REFUSED` for any code but 0. */
export const refuseCode = (what: string, code: number, message?: string | null): void => {
  if (code === NONE) return;
  const detail = message === undefined || message === null || message === '' ? '' : ` (${message})`;
  throw new WireError('WIRE_REFUSED', `${what} was answered ${errorCodeName(code)}${detail}.`, { kafkaCode: code });
};

/** The one element of a list that answers for one thing. */
export const only = <T>(what: string, list: readonly T[]): T => {
  const [first, ...rest] = list;
  if (first !== undefined && rest.length === 0) return first;
  throw new WireError('WIRE_REFUSED', `${what} was answered with ${list.length} results instead of one.`);
};

const asOffset = (what: string, offset: number): Offset => {
  if (offset >= 0) return offset as Offset;
  throw new WireError('WIRE_REFUSED', `${what} was answered with the sentinel ${offset}, which is not an offset.`);
};

/** Repeats `attempt` until the deadline while its trouble is of the kind that passes, which is told by `isPassing`. */
export const patiently = async <T>(
  what: string,
  options: CallOptions,
  client: ClusterClient,
  attempt: (deadline: Deadline) => Promise<T>,
  isPassing: (error: unknown) => boolean = isPassingTrouble,
): Promise<T> => {
  const deadline = deadlineAfter(options.deadlineMs, options.signal);
  const once = async (): Promise<T> => {
    try {
      return await attempt(deadline);
    } catch (error) {
      const code = error instanceof WireError ? error.kafkaCode : undefined;
      if (code !== undefined && isLeadershipError(code)) client.forgetMetadata();
      throw error;
    }
  };
  return await tryUntil(deadline, what, once, isPassing);
};

/** Metadata of the named topics, or of all (`null`), as any broker that answers sees it. */
export const fetchMetadata = async (
  client: ClusterClient,
  topics: readonly string[] | null,
  options: CallOptions,
): Promise<ClusterMetadata> =>
  await patiently('metadata', options, client, async (deadline) => await client.metadata(topics, deadline));

/** One topic that is known to be there: a new one reaches brokers one after the other, so who has not heard of it is asked again. */
export const describeTopic = async (
  client: ClusterClient,
  topic: string,
  options: CallOptions,
): Promise<TopicMetadata> =>
  await patiently(`the metadata of topic ${topic}`, options, client, async (deadline) => {
    const { topics } = await client.metadata([topic], deadline);
    const found = topics.find(({ name }) => name === topic);
    refuseCode(`Metadata of topic ${topic}`, found?.errorCode ?? UNKNOWN_TOPIC_OR_PARTITION);
    return only(`Metadata of topic ${topic}`, topics);
  });

const ISOLATION_SINCE_VERSION = 2;

/** The timestamps with a meaning of their own, and the versions they came with. */
const SPECIAL_POSITIONS = {
  'max-timestamp': { timestamp: -3, since: 7 },
  'earliest-local': { timestamp: -4, since: 8 },
  'latest-tiered': { timestamp: -5, since: 9 },
  'earliest-pending-upload': { timestamp: -6, since: 11 },
} as const;
/** The youngest record, the start of what is on the leader's disk, the end of what was tiered, the start of what was not yet. */
export type SpecialPosition = keyof typeof SPECIAL_POSITIONS;

/** A version without the field would answer for read_uncommitted, whatever was meant. */
const refuseUncommitted = (connection: Connection, isolation: Isolation): void => {
  const version = connection.versionOf('ListOffsets');
  if (isolation === 'read_uncommitted' || version >= ISOLATION_SINCE_VERSION) return;
  throw new WireError('WIRE_UNSUPPORTED_VERSION', `ListOffsets v${version} cannot ask at read_committed.`);
};

type OffsetRow = ResponseBody<'ListOffsets'>['topics'][number]['partitions'][number];

const askOffset = async (
  connection: Connection,
  { topic, partition }: TopicPartition,
  timestamp: number,
  isolation: Isolation,
  deadline: Deadline,
): Promise<OffsetRow> => {
  const body = {
    isolationLevel: isolationLevel(isolation),
    topics: [{ name: topic, partitions: [{ partitionIndex: partition, timestamp }] }],
    timeoutMs: Math.ceil(deadline.remainingMs()),
  };
  const answer = await connection.request('ListOffsets', body, requestOptions(deadline));
  const what = `ListOffsets of ${topic}/${partition}`;
  const row = only(what, only(what, answer.topics).partitions);
  refuseCode(what, row.errorCode);
  return row;
};

/** Where the log of a partition begins (`earliest`) or ends (`latest`; at read_committed the last stable offset). */
export const listOffset = async (
  client: ClusterClient,
  place: TopicPartition,
  position: 'earliest' | 'latest',
  isolation: Isolation,
  options: CallOptions,
): Promise<LogOffset> => {
  const { topic, partition } = place;
  return await patiently(`the ${position} offset of ${topic}/${partition}`, options, client, async (deadline) => {
    const { connection } = await client.leaderConnection(topic, partition, deadline);
    refuseUncommitted(connection, isolation);
    const row = await askOffset(connection, place, position === 'latest' ? -1 : -2, isolation, deadline);
    return { offset: asOffset(`ListOffsets of ${topic}/${partition}`, row.offset), leaderEpoch: row.leaderEpoch };
  });
};

/**
 * A special place in the log of a partition; undefined where there is none: an empty log, or nothing tiered. Throws
 * `WIRE_UNSUPPORTED_VERSION` where the leader is too old to know the question, see `isNotServed`.
 */
export const findOffset = async (
  client: ClusterClient,
  place: TopicPartition,
  position: SpecialPosition,
  options: CallOptions,
): Promise<LogOffset | undefined> => {
  const { topic, partition } = place;
  const { timestamp, since } = SPECIAL_POSITIONS[position];
  return await patiently(`the ${position} offset of ${topic}/${partition}`, options, client, async (deadline) => {
    const { connection } = await client.leaderConnection(topic, partition, deadline);
    const version = connection.versionOf('ListOffsets');
    if (version < since) {
      throw new WireError('WIRE_UNSUPPORTED_VERSION', `ListOffsets v${version} cannot ask for ${position}.`, {
        sent: false,
      });
    }
    const { offset, leaderEpoch } = await askOffset(connection, place, timestamp, 'read_uncommitted', deadline);
    return offset < 0 ? undefined : { offset: offset as Offset, leaderEpoch };
  });
};

/** Where an epoch of a partition ended, by its leader: the end offset of the newest epoch not above the asked one. */
export const epochEnd = async (
  client: ClusterClient,
  { topic, partition }: TopicPartition,
  leaderEpoch: number,
  options: CallOptions,
): Promise<LogOffset> =>
  await patiently(`the end of epoch ${leaderEpoch} of ${topic}/${partition}`, options, client, async (deadline) => {
    const { connection } = await client.leaderConnection(topic, partition, deadline);
    const body = { replicaId: -1, topics: [{ topic, partitions: [{ partition, leaderEpoch }] }] };
    const answer = await connection.request('OffsetForLeaderEpoch', body, requestOptions(deadline));
    const what = `OffsetForLeaderEpoch of ${topic}/${partition}`;
    const row = only(what, only(what, answer.topics).partitions);
    refuseCode(what, row.errorCode);
    return { offset: asOffset(what, row.endOffset), leaderEpoch: row.leaderEpoch };
  });

export interface DescribedCluster {
  readonly clusterId: string;
  readonly controller: BrokerId | undefined;
  readonly brokers: readonly {
    readonly id: BrokerId;
    readonly host: string;
    readonly port: number;
    /** Undefined where the broker's version cannot tell. */
    readonly isFenced: boolean | undefined;
  }[];
}

const FENCED_SINCE_VERSION = 2;

/** Cluster id, controller and brokers, fenced ones included where the broker can tell. */
export const describeCluster = async (client: ClusterClient, options: CallOptions): Promise<DescribedCluster> =>
  await patiently('DescribeCluster', options, client, async (deadline) => {
    const connection = await client.anyConnection(deadline);
    const tellsFenced = connection.versionOf('DescribeCluster') >= FENCED_SINCE_VERSION;
    const body = { includeFencedBrokers: true };
    const answer = await connection.request('DescribeCluster', body, requestOptions(deadline));
    refuseCode('DescribeCluster', answer.errorCode, answer.errorMessage);
    return {
      clusterId: answer.clusterId,
      controller: answer.controllerId < 0 ? undefined : (answer.controllerId as BrokerId),
      brokers: answer.brokers.map(({ brokerId, host, port, isFenced }) => ({
        id: brokerId as BrokerId,
        host,
        port,
        isFenced: tellsFenced ? isFenced : undefined,
      })),
    };
  });

export const RESOURCE_TYPE = { topic: 2, broker: 4 } as const;

/** Whose settings are meant; a broker by its id, as text. */
export interface ConfigResource {
  readonly type: keyof typeof RESOURCE_TYPE;
  readonly name: string;
}

/** A broker is asked about itself, a topic anybody. */
export const resourceConnection = async (
  client: ClusterClient,
  { type, name }: ConfigResource,
  deadline: Deadline,
): Promise<Connection> =>
  type === 'broker'
    ? await client.brokerConnection(Number(name) as BrokerId, deadline)
    : await client.anyConnection(deadline);

/** The settings in force of a topic or broker; a value is null where it is secret. */
export const describeConfigs = async (
  client: ClusterClient,
  resource: ConfigResource,
  options: CallOptions,
): Promise<ReadonlyMap<string, string | null>> =>
  await patiently(`the configuration of ${resource.type} ${resource.name}`, options, client, async (deadline) => {
    const connection = await resourceConnection(client, resource, deadline);
    const resourceType = RESOURCE_TYPE[resource.type];
    const body = { resources: [{ resourceType, resourceName: resource.name, configurationKeys: null }] };
    const answer = await connection.request('DescribeConfigs', body, requestOptions(deadline));
    const what = `DescribeConfigs of ${resource.type} ${resource.name}`;
    const result = only(what, answer.results);
    refuseCode(what, result.errorCode, result.errorMessage);
    return new Map(result.configs.map(({ name, value }) => [name, value]));
  });
