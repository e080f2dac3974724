// The run's own view of the cluster, by the evidence listeners: topics, offsets and settings. Never the load's path, so that a
// fault on that path cannot blind it.
import { EnvironmentError } from '../errors.ts';
import { type ContractReading, readContract } from '../evidence/contract-check.ts';
import { type EpochSnapshot, takeEpochStarts } from '../evidence/epoch-starts.ts';
import { type OffsetSnapshot, takeOffsets } from '../evidence/offset-snapshot.ts';
import type { Contract } from '../ledger/history-lines.ts';
import type { Address } from '../vocabulary.ts';
import {
  type ClusterOperation,
  clusterOperations,
  mayUseGroup,
  type TopicOperation,
  topicOperations,
} from '../wire/access-calls.ts';
import { ClusterClient } from '../wire/cluster-client.ts';
import type { ConnectionSecurity } from '../wire/connection-security.ts';
import { deadlineAfter } from '../wire/deadline.ts';
import {
  CLUSTER_AUTHORIZATION_FAILED,
  TOPIC_AUTHORIZATION_FAILED,
  UNKNOWN_TOPIC_OR_PARTITION,
} from '../wire/error-codes.ts';
import { WireError, ZERO_UUID } from '../wire/protocol.ts';
import { createTopic, deleteTopic } from '../wire/topic-calls.ts';
import type { TopicWorkload } from './scenario.ts';

export type { PartitionOffsets } from '../evidence/offset-snapshot.ts';
export type { ClusterOperation, TopicOperation } from '../wire/access-calls.ts';

const CALL_MS = 15_000;
/** How long it may take to read what the cluster says of a topic, ms. */
export const CONTRACT_MS = CALL_MS;
/** How long a snapshot may take where nothing is due, ms. */
export const SNAPSHOT_MS = 10_000;

const inWords = ({ mismatches }: ContractReading): readonly string[] =>
  mismatches.map(({ setting, wanted, found }) => `${setting}: wanted ${wanted}, found ${found}`);

export const ACCESS_HINT = 'Grant it; `ackproof plan` prints the commands that give what this scenario needs.';

const REFUSED_TO_CREATE = [TOPIC_AUTHORIZATION_FAILED, CLUSTER_AUTHORIZATION_FAILED];

const isRefusedFor = (cause: unknown, codes: readonly number[]): boolean =>
  cause instanceof WireError && cause.kafkaCode !== undefined && codes.includes(cause.kafkaCode);

export class ClusterEye {
  readonly #client: ClusterClient;

  constructor(bootstrap: readonly Address[], runId: string, security?: ConnectionSecurity) {
    this.#client = new ClusterClient({
      bootstrap,
      clientId: `ackproof-${runId}-evidence`,
      security,
    });
  }

  /** The cluster's own id; undefined where it tells none. */
  async clusterId(): Promise<string | undefined> {
    return (await this.#client.metadata([], deadlineAfter(CALL_MS))).clusterId ?? undefined;
  }

  /** The id of a topic; undefined where the cluster tells none, or knows no such topic. */
  async topicId(name: string): Promise<string | undefined> {
    const { topics } = await this.#client.metadata([name], deadlineAfter(CALL_MS));
    const found = topics.find((topic) => topic.name === name && topic.errorCode === 0)?.topicId;
    return found === ZERO_UUID ? undefined : found;
  }

  async createTopic(name: string, topic: TopicWorkload, contract: Contract): Promise<void> {
    const { partitions, replicationFactor } = topic;
    const config = {
      'min.insync.replicas': String(contract.minInSyncReplicas),
      'unclean.leader.election.enable': String(contract.uncleanLeaderElection),
      ...topic.config,
    };
    try {
      await createTopic(this.#client, { name, partitions, replicationFactor, config }, { deadlineMs: CALL_MS });
    } catch (cause) {
      if (isRefusedFor(cause, REFUSED_TO_CREATE)) {
        throw new EnvironmentError('ACCESS_REFUSED', `The cluster does not let this run Create topic ${name}.`, {
          hint: ACCESS_HINT,
        });
      }
      throw new EnvironmentError('TOPIC_NOT_CREATED', `The topic ${name} was not created.`, {
        cause,
        hint: 'Change workload.topic and the contract to what the cluster accepts, or see what keeps it from answering.',
      });
    }
  }

  /** Whether a topic of that name may be made; none is. */
  async mayCreateTopic(name: string): Promise<boolean> {
    const topic = { name, partitions: 1, replicationFactor: 1, config: {} };
    try {
      await createTopic(this.#client, topic, { deadlineMs: CALL_MS }, true);
      return true;
    } catch (cause) {
      // Any other refusal is about this topic only, and the fault that makes its own will tell.
      return !isRefusedFor(cause, REFUSED_TO_CREATE);
    }
  }

  async deleteTopic(name: string): Promise<void> {
    await deleteTopic(this.#client, name, { deadlineMs: CALL_MS });
  }

  /** What this run may do with a topic; undefined where the cluster does not tell. */
  async topicOperations(name: string): Promise<ReadonlySet<TopicOperation> | undefined> {
    try {
      return await topicOperations(this.#client, name, { deadlineMs: CALL_MS });
    } catch (cause) {
      if (!isRefusedFor(cause, [UNKNOWN_TOPIC_OR_PARTITION])) throw cause;
      throw new EnvironmentError('TOPIC_MISSING', `The cluster knows no topic ${name}.`, {
        hint: 'Create it first, or leave `existing` out of the scenario: the run then makes topics of its own.',
      });
    }
  }

  /** What this run may order the cluster to do; undefined where the cluster does not tell. */
  async clusterOperations(): Promise<ReadonlySet<ClusterOperation> | undefined> {
    return await clusterOperations(this.#client, { deadlineMs: CALL_MS });
  }

  async mayUseGroup(group: string): Promise<boolean> {
    return await mayUseGroup(this.#client, group, { deadlineMs: CALL_MS });
  }

  /** Differences between the contract and what the cluster says of the topic, in words; empty when it holds. */
  async contractMismatches(
    name: string,
    topic: TopicWorkload,
    contract: Contract,
    deadlineMs: number = CONTRACT_MS,
  ): Promise<readonly string[]> {
    return inWords(await this.#read(name, topic, contract, deadlineMs));
  }

  async #read(name: string, topic: TopicWorkload, contract: Contract, deadlineMs: number): Promise<ContractReading> {
    return await readContract(
      this.#client,
      {
        topic: name,
        partitions: topic.partitions,
        replicationFactor: topic.replicationFactor,
        minInSyncReplicas: contract.minInSyncReplicas,
        uncleanLeaderElection: contract.uncleanLeaderElection,
        config: topic.config,
      },
      { deadlineMs },
    );
  }

  /**
   * The settings in force of a topic that has what the contract says; throws EnvironmentError (exit 69) when it does not.
   */
  async assertContract(name: string, topic: TopicWorkload, contract: Contract): Promise<ContractReading['config']> {
    const reading = await this.#read(name, topic, contract, CONTRACT_MS);
    const mismatches = inWords(reading);
    if (mismatches.length === 0) return reading.config;
    throw new EnvironmentError(
      'CONTRACT_MISMATCH',
      `The topic does not have what the contract says: ${mismatches.join('; ')}.`,
      {
        hint: 'Change the contract to what the cluster offers, or the cluster to what the contract needs.',
      },
    );
  }

  /** Where each partition begins and ends, as far as it is told within `deadlineMs`; `at` gives the part's time when a partition is asked. */
  async offsets(topic: string, at: () => number, deadlineMs: number = SNAPSHOT_MS): Promise<OffsetSnapshot> {
    return await takeOffsets(this.#client, { topic, at, deadlineMs });
  }

  /** Where each leader epoch of each partition begins, as far as it is told within `deadlineMs`. */
  async epochStarts(topic: string, deadlineMs: number = SNAPSHOT_MS): Promise<EpochSnapshot> {
    return await takeEpochStarts(this.#client, topic, { deadlineMs });
  }

  close(): void {
    this.#client.close();
  }
}
