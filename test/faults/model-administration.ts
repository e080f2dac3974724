// What administrators may order of the model: replicas moved, preferred leaders elected, settings of brokers changed. Orders take
// effect at once; where replicas are to be copied, they stay on their way for as long as a test wants.
import type { DecodedRequest, ResponseInput } from '../../src/wire/protocol.ts';
import type { ModelPartition } from './model-broker.ts';

type Of<N extends DecodedRequest['api']> = Extract<DecodedRequest, { readonly api: N }>;
type Reply = <N extends DecodedRequest['api']>(api: N, body: ResponseInput<N>) => Buffer;

/** What of the cluster it changes and tells. */
export interface Administered {
  registered(): readonly { readonly id: number }[];
  readonly topics: ReadonlyMap<string, readonly ModelPartition[]>;
  readonly acts: string[];
}

const ELECTION_NOT_NEEDED = 84;
const INVALID_REPLICA_ASSIGNMENT = 39;
const UNKNOWN_TOPIC = 3;
const DEFAULTS: Readonly<Record<string, string>> = {
  'max.connection.creation.rate': '2147483647',
  'message.max.bytes': '1048588',
  'num.io.threads': '8',
  'num.network.threads': '3',
};

export class ModelAdministration {
  /** `2 message.max.bytes` → the value set on that broker. */
  readonly settings = new Map<string, string>();
  /** Whether new replicas stay on their way. */
  isStuck = false;
  /** What elections answer instead of being held. */
  electionCode = 0;
  /** What the next deletions of topics answer instead of being done, one after the other. */
  readonly deletionCodes: number[] = [];
  /** The id of the controller that leads, by everybody's word. */
  quorumLeader = 1;
  readonly #moving = new Set<string>();
  readonly #cluster: Administered;

  constructor(cluster: Administered) {
    this.#cluster = cluster;
  }

  settingOf(broker: number, name: string): number {
    return Number(this.settings.get(`${broker} ${name}`) ?? DEFAULTS[name]);
  }

  /** Undefined for what is no question or order of an administrator. */
  answer(request: DecodedRequest, broker: number, reply: Reply): Buffer | undefined {
    switch (request.api) {
      case 'AlterPartitionReassignments':
        return reply('AlterPartitionReassignments', this.#reassign(request));
      case 'DescribeConfigs':
        return reply('DescribeConfigs', this.#describeConfigs(request));
      case 'DescribeLogDirs':
        return reply('DescribeLogDirs', this.#describeLogDirs(broker));
      case 'DescribeQuorum':
        return reply('DescribeQuorum', this.#describeQuorum());
      case 'DescribeTopicPartitions':
        return reply('DescribeTopicPartitions', this.#describePartitions(request));
      case 'ElectLeaders':
        return reply('ElectLeaders', this.#elect(request));
      case 'IncrementalAlterConfigs':
        return reply('IncrementalAlterConfigs', this.#alterConfigs(request));
      case 'ListPartitionReassignments':
        return reply('ListPartitionReassignments', this.#listReassignments());
      default:
        return undefined;
    }
  }

  inSync({ replicas }: ModelPartition): readonly number[] {
    const there = new Set(this.#cluster.registered().map(({ id }) => id));
    return replicas.filter((id) => there.has(id));
  }

  #lead(partition: ModelPartition, id: number): void {
    if (partition.leader === id) return;
    partition.leader = id;
    partition.epoch++;
  }

  #describeQuorum(): ResponseInput<'DescribeQuorum'> {
    const quorum = { leaderId: this.quorumLeader, leaderEpoch: 1, highWatermark: 0, currentVoters: [], observers: [] };
    const partitions = [{ partitionIndex: 0, errorCode: 0, ...quorum }];
    return { errorCode: 0, topics: [{ topicName: '__cluster_metadata', partitions }] };
  }

  #reassign({ body }: Of<'AlterPartitionReassignments'>): ResponseInput<'AlterPartitionReassignments'> {
    const responses = body.topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex, replicas }) => {
        const errorCode = this.move(name, partitionIndex, replicas ?? []);
        return { partitionIndex, errorCode, errorMessage: null };
      }),
    }));
    return { errorCode: 0, errorMessage: null, responses };
  }

  /** What an administrator orders; an error code. */
  move(topic: string, index: number, to: readonly number[]): number {
    const partition = this.#cluster.topics.get(topic)?.[index];
    if (partition === undefined) return UNKNOWN_TOPIC;
    const known = this.#cluster.registered().map(({ id }) => id);
    if (to.length === 0 || !to.every((id) => known.includes(id))) return INVALID_REPLICA_ASSIGNMENT;
    this.#cluster.acts.push(`reassign ${topic}/${index} to ${to.join(',')}`);
    const added = to.filter((id) => !partition.replicas.includes(id));
    if (added.length > 0 && this.isStuck) {
      this.#moving.add(`${topic}/${index}`);
      return 0;
    }
    this.#moving.delete(`${topic}/${index}`);
    partition.replicas = to;
    if (!to.includes(partition.leader)) this.#lead(partition, to[0] ?? -1);
    return 0;
  }

  #listReassignments(): ResponseInput<'ListPartitionReassignments'> {
    const topics = [...this.#moving].map((place) => {
      const [name = '', index = '0'] = place.split('/');
      const replicas = this.#cluster.topics.get(name)?.[Number(index)]?.replicas ?? [];
      return {
        name,
        partitions: [{ partitionIndex: Number(index), replicas, addingReplicas: [], removingReplicas: [] }],
      };
    });
    return { errorCode: 0, errorMessage: null, topics };
  }

  #elect({ body }: Of<'ElectLeaders'>): ResponseInput<'ElectLeaders'> {
    const replicaElectionResults = (body.topicPartitions ?? []).map(({ topic, partitions }) => ({
      topic,
      partitionResult: partitions.map((partitionId) => {
        const errorCode = this.electionCode === 0 ? this.#electOne(topic, partitionId) : this.electionCode;
        return { partitionId, errorCode, errorMessage: null };
      }),
    }));
    return { errorCode: 0, replicaElectionResults };
  }

  #electOne(topic: string, index: number): number {
    const partition = this.#cluster.topics.get(topic)?.[index];
    if (partition === undefined) return UNKNOWN_TOPIC;
    const preferred = partition.replicas[0] ?? -1;
    if (partition.leader === preferred) return ELECTION_NOT_NEEDED;
    this.#cluster.acts.push(`elect ${preferred} in ${topic}/${index}`);
    this.#lead(partition, preferred);
    return 0;
  }

  #describePartitions({ body }: Of<'DescribeTopicPartitions'>): ResponseInput<'DescribeTopicPartitions'> {
    const topics = body.topics.map(({ name }) => {
      const partitions = (this.#cluster.topics.get(name) ?? []).map((partition, partitionIndex) => ({
        errorCode: 0,
        partitionIndex,
        leaderId: partition.leader,
        leaderEpoch: partition.epoch,
        replicaNodes: partition.replicas,
        isrNodes: this.inSync(partition),
        offlineReplicas: [],
      }));
      return {
        errorCode: partitions.length === 0 ? UNKNOWN_TOPIC : 0,
        name,
        topicId: 'AAAAAAAAAAAAAAAAAAAAAQ',
        partitions,
      };
    });
    return { topics };
  }

  #describeLogDirs(broker: number): ResponseInput<'DescribeLogDirs'> {
    const topics = [...this.#cluster.topics].map(([name, partitions]) => ({
      name,
      partitions: partitions.flatMap(({ replicas, batches }, partitionIndex) =>
        replicas.includes(broker)
          ? [{ partitionIndex, partitionSize: Buffer.concat(batches).length, offsetLag: 0, isFutureKey: false }]
          : [],
      ),
    }));
    return { errorCode: 0, results: [{ errorCode: 0, logDir: '/model', topics }] };
  }

  #describeConfigs({ body }: Of<'DescribeConfigs'>): ResponseInput<'DescribeConfigs'> {
    return {
      results: body.resources.map(({ resourceType, resourceName, configurationKeys }) => ({
        errorCode: 0,
        errorMessage: null,
        resourceType,
        resourceName,
        configs: (configurationKeys ?? Object.keys(DEFAULTS))
          .filter((name) => name in DEFAULTS)
          .map((name) => {
            const own = this.settings.get(`${resourceName} ${name}`);
            const value = own ?? DEFAULTS[name] ?? null;
            return { name, value, configSource: own === undefined ? 5 : 2, readOnly: false, isSensitive: false };
          }),
      })),
    };
  }

  #alterConfigs({ body }: Of<'IncrementalAlterConfigs'>): ResponseInput<'IncrementalAlterConfigs'> {
    return {
      responses: body.resources.map(({ resourceType, resourceName, configs }) => {
        for (const { name, configOperation, value } of configs) {
          this.#cluster.acts.push(`set ${name} of broker/${resourceName} to ${value ?? 'nothing'}`);
          if (configOperation === 0 && value !== null) this.settings.set(`${resourceName} ${name}`, value);
          else this.settings.delete(`${resourceName} ${name}`);
        }
        return { errorCode: 0, errorMessage: null, resourceType, resourceName };
      }),
    };
  }
}
