// What administrators ask of the fake cluster: replicas moved, leaders elected, settings changed. Orders take effect at once, or
// not at all with a code; data moves when the test says so.
import type { DecodedRequest, ResponseInput } from '../../src/wire/protocol.ts';

type Of<N extends DecodedRequest['api']> = Extract<DecodedRequest, { readonly api: N }>;
type Reply = <N extends DecodedRequest['api']>(api: N, body: ResponseInput<N>) => Buffer;

/** What of the cluster it changes and tells. */
export interface FakeLeadership {
  readonly brokers: readonly { readonly id: number }[];
  readonly leader: number;
  readonly leaderEpoch: number;
  moveLeader(to: number): void;
}

const TOPIC = 'orders';
const ELECTION_NOT_NEEDED = 84;

export class FakeAdministration {
  /** Of the one partition, the preferred leader first; all brokers where it was never set. */
  replicas: readonly number[] | undefined;
  adding: readonly number[] = [];
  eligible: readonly number[] | null = null;
  /** How many partitions one answer names at most. */
  pageSize = 2000;
  /** How many partitions the topic is said to have. */
  partitions = 1;
  /** `1 message.max.bytes` → the value set on that broker. */
  readonly settings = new Map<string, string>();
  /** Levels by their features, as they were last raised. */
  readonly features = new Map<string, number>();
  readonly #cluster: FakeLeadership;

  constructor(cluster: FakeLeadership) {
    this.#cluster = cluster;
  }

  /** Undefined for what is not asked of it. */
  answer(request: DecodedRequest, broker: number, code: number, reply: Reply): Buffer | undefined {
    switch (request.api) {
      case 'AlterPartitionReassignments':
        return reply('AlterPartitionReassignments', this.#reassign(request, code));
      case 'DescribeConfigs':
        return reply('DescribeConfigs', this.#describeConfigs(request, broker, code));
      case 'DescribeLogDirs':
        return reply('DescribeLogDirs', this.#describeLogDirs(broker, code));
      case 'DescribeTopicPartitions':
        return reply('DescribeTopicPartitions', this.#describePartitions(request, code));
      case 'ElectLeaders':
        return reply('ElectLeaders', this.#elect(request, code));
      case 'IncrementalAlterConfigs':
        return reply('IncrementalAlterConfigs', this.#alterConfigs(request, code));
      case 'UpdateFeatures':
        return reply('UpdateFeatures', this.#updateFeatures(request, code));
      case 'ListPartitionReassignments':
        return reply('ListPartitionReassignments', this.#listReassignments(code));
      default:
        return undefined;
    }
  }

  get #assigned(): readonly number[] {
    return this.replicas ?? this.#cluster.brokers.map(({ id }) => id);
  }

  #reassign(
    { body }: Of<'AlterPartitionReassignments'>,
    errorCode: number,
  ): ResponseInput<'AlterPartitionReassignments'> {
    const responses = body.topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex, replicas }) => {
        if (errorCode === 0 && replicas !== null) this.replicas = replicas;
        return { partitionIndex, errorCode, errorMessage: errorCode === 0 ? null : 'refused by the fake' };
      }),
    }));
    return { errorCode: 0, errorMessage: null, responses };
  }

  #listReassignments(errorCode: number): ResponseInput<'ListPartitionReassignments'> {
    const row = { partitionIndex: 0, replicas: this.#assigned, addingReplicas: this.adding, removingReplicas: [] };
    const topics = this.adding.length === 0 ? [] : [{ name: TOPIC, partitions: [row] }];
    return { errorCode, errorMessage: null, topics };
  }

  #elect({ body }: Of<'ElectLeaders'>, code: number): ResponseInput<'ElectLeaders'> {
    const preferred = this.#assigned[0] ?? -1;
    const replicaElectionResults = (body.topicPartitions ?? []).map(({ topic, partitions }) => ({
      topic,
      partitionResult: partitions.map((partitionId) => {
        const errorCode = code === 0 && preferred === this.#cluster.leader ? ELECTION_NOT_NEEDED : code;
        if (errorCode === 0) this.#cluster.moveLeader(preferred);
        return { partitionId, errorCode, errorMessage: null };
      }),
    }));
    return { errorCode: 0, replicaElectionResults };
  }

  #updateFeatures({ body }: Of<'UpdateFeatures'>, errorCode: number): ResponseInput<'UpdateFeatures'> {
    if (errorCode !== 0) return { errorCode, errorMessage: 'refused by the fake', results: [] };
    for (const { feature, maxVersionLevel } of body.featureUpdates) this.features.set(feature, maxVersionLevel);
    return { errorCode, errorMessage: null, results: [] };
  }

  #describePartitions(
    { body }: Of<'DescribeTopicPartitions'>,
    errorCode: number,
  ): ResponseInput<'DescribeTopicPartitions'> {
    const from = body.cursor?.partitionIndex ?? 0;
    const to = Math.min(this.partitions, from + this.pageSize);
    const partitions = Array.from({ length: errorCode === 0 ? to - from : 0 }, (_, index) => ({
      errorCode: 0,
      partitionIndex: from + index,
      leaderId: this.#cluster.leader,
      leaderEpoch: this.#cluster.leaderEpoch,
      replicaNodes: this.#assigned,
      isrNodes: this.#assigned,
      eligibleLeaderReplicas: this.eligible,
      lastKnownElr: this.eligible === null ? null : [],
      offlineReplicas: [],
    }));
    return {
      topics: [{ errorCode, name: TOPIC, topicId: 'AAAAAAAAAAAAAAAAAAAAAQ', partitions }],
      nextCursor: to < this.partitions ? { topicName: TOPIC, partitionIndex: to } : null,
    };
  }

  #describeLogDirs(broker: number, errorCode: number): ResponseInput<'DescribeLogDirs'> {
    const partition = { partitionIndex: 0, partitionSize: 1000 + broker, offsetLag: 0, isFutureKey: false };
    const topics = [{ name: TOPIC, partitions: [partition] }];
    return {
      errorCode,
      results: [
        { errorCode: 0, logDir: '/data/one', topics, totalBytes: 5000, usableBytes: 4000 },
        { errorCode: 56, logDir: '/data/two', topics: [] },
      ],
    };
  }

  #describeConfigs(
    { body }: Of<'DescribeConfigs'>,
    broker: number,
    errorCode: number,
  ): ResponseInput<'DescribeConfigs'> {
    const plain = { readOnly: false, isSensitive: false };
    return {
      results: body.resources.map(({ resourceType, resourceName, configurationKeys }) => ({
        errorCode,
        errorMessage: null,
        resourceType,
        resourceName,
        configs:
          configurationKeys === null
            ? [{ name: 'asked', value: String(broker), ...plain }]
            : configurationKeys.map((name) => {
                const own = this.settings.get(`${resourceName} ${name}`);
                return { name, value: own ?? 'default', configSource: own === undefined ? 5 : 2, ...plain };
              }),
      })),
    };
  }

  #alterConfigs({ body }: Of<'IncrementalAlterConfigs'>, errorCode: number): ResponseInput<'IncrementalAlterConfigs'> {
    return {
      responses: body.resources.map(({ resourceType, resourceName, configs }) => {
        for (const { name, configOperation, value } of errorCode === 0 ? configs : []) {
          if (configOperation === 0 && value !== null) this.settings.set(`${resourceName} ${name}`, value);
          else this.settings.delete(`${resourceName} ${name}`);
        }
        return { errorCode, errorMessage: errorCode === 0 ? null : 'no such value', resourceType, resourceName };
      }),
    };
  }
}
