// A topic of the canary's own, for faults that must show whether a write took effect. Never counted in any ledger; made fresh for
// each fault, because a new topic is spread over the brokers that are alive.

import { systemClock } from '../clock.ts';
import { EnvironmentError } from '../errors.ts';
import { freshHex } from '../random.ts';
import type { Address, BrokerNode, StartedTarget } from '../targets/target.ts';
import { encodeRecordBatch } from '../wire/record-batch.ts';
import { clusterReference } from './cluster-reference.ts';
import type { FaultContext } from './fault.ts';
import { seenWithin } from './late-look.ts';
import { askAnyMetadata } from './probes/cluster-metadata.ts';
import { KafkaCanaryConnection, timedProbe } from './probes/kafka-connection.ts';
import { describeProbe, ProbeFailure, type ProbeResult } from './probes/probe.ts';

/** What to do where there can be no canary topic. */
const LET_MAKE_TOPICS =
  'See that the brokers are well and let ackproof create topics named __ackproof-canary-*; `ackproof plan` prints the rights.';

const DEADLINE_MS = 5000;
const LOOK_DEADLINE_MS = 1500;
const READY_WAIT_MS = 5000;
/** How long a write whose answer did not come is looked for. */
const LATE_MS = 1000;

const withConnection = async <T>(
  { security }: StartedTarget,
  address: Address,
  signal: AbortSignal,
  work: (connection: KafkaCanaryConnection) => Promise<T>,
): Promise<T> => {
  const connection = await KafkaCanaryConnection.open(address, DEADLINE_MS, signal, security);
  try {
    return await work(connection);
  } finally {
    connection.close();
  }
};

const firstAddress = (target: StartedTarget): Address => {
  const [address] = target.evidenceBootstrap;
  if (address !== undefined) return address;
  throw new EnvironmentError('CANARY_TOPIC', 'The target names no broker to make a canary topic on.', {
    hint: LET_MAKE_TOPICS,
  });
};

export class CanaryTopic {
  readonly name: string;
  readonly #target: StartedTarget;
  readonly #partitionOf: ReadonlyMap<number, number>;
  #written = 0;

  private constructor(target: StartedTarget, name: string, partitionOf: ReadonlyMap<number, number>) {
    this.#target = target;
    this.name = name;
    this.#partitionOf = partitionOf;
  }

  /**
   * Creates the topic and waits until each of `brokers` leads a partition of it and takes records there. Its partitions are
   * spread by the cluster, one replica each, or held by the brokers that `replicas` names for each of them. How it goes away again
   * is told to the run before.
   * @throws EnvironmentError where it is refused, or where nobody leads what is needed.
   */
  static async create(
    { target, makes }: Pick<FaultContext, 'target' | 'makes'>,
    brokers: readonly BrokerNode[],
    signal: AbortSignal,
    replicas: readonly (readonly number[])[] = [],
  ): Promise<CanaryTopic> {
    const name = `__ackproof-canary-${freshHex(8)}`;
    const assignments = replicas.map((brokerIds, partitionIndex) => ({ partitionIndex, brokerIds }));
    const spread = { numPartitions: Math.max(4, 2 * target.brokers.length), replicationFactor: 1 };
    const size = assignments.length === 0 ? spread : { numPartitions: -1, replicationFactor: -1 };
    const view = await askAnyMetadata(target.evidenceBootstrap, signal, target.security);
    signal.throwIfAborted();
    await makes?.({ do: 'delete-topic', cluster: clusterReference(target, view), topic: name });
    await withConnection(target, firstAddress(target), signal, async (connection) => {
      const topics = [{ name, ...size, assignments, configs: [] }];
      const order = { topics, timeoutMs: DEADLINE_MS };
      // Not given up in the middle: nobody could take away what comes to be later.
      const answer = await connection.ask('CreateTopics', 4, order, DEADLINE_MS, new AbortController().signal);
      const code = answer.topics[0]?.errorCode ?? -1;
      if (code !== 0)
        throw new EnvironmentError('CANARY_TOPIC', `The canary topic was refused with code ${code}.`, {
          hint: LET_MAKE_TOPICS,
        });
    });
    const topic = new CanaryTopic(target, name, await leaders(target, name, brokers, signal));
    for (const broker of brokers) await topic.awaitTaken(topic.partitionLedBy(broker), broker.direct, signal);
    return topic;
  }

  /** Produces one record by `address` (the path under test) to a partition that the broker leads, and looks for it directly. */
  async write(
    broker: BrokerNode,
    address: Address,
    deadlineMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly answer: ProbeResult; readonly tookEffect: boolean }> {
    const partition = this.partitionLedBy(broker);
    const id = `${this.name}-${++this.#written}-`;
    const from = await this.#endOf(broker, partition, signal);
    const answer = await timedProbe(async () => await this.#produce(address, partition, id, deadlineMs, signal));
    const look = async (): Promise<boolean> => await this.#holds(broker, partition, from, id, signal);
    return { answer, tookEffect: await seenWithin(systemClock, LATE_MS, look, signal) };
  }

  /** Produces one record of at least `sizeBytes` by `address` to a partition; only how that ended. */
  async produce(
    partition: number,
    address: Address,
    deadlineMs: number,
    signal: AbortSignal,
    sizeBytes = 0,
  ): Promise<ProbeResult> {
    const id = `${this.name}-${++this.#written}-`.padEnd(sizeBytes, '.');
    return await timedProbe(async () => await this.#produce(address, partition, id, deadlineMs, signal));
  }

  /** Waits until a partition takes records by `address`: a new one is told of sooner than its leader has it. */
  async awaitTaken(partition: number, address: Address, signal: AbortSignal): Promise<void> {
    const until = systemClock.now() + READY_WAIT_MS;
    for (;;) {
      const result = await this.produce(partition, address, LOOK_DEADLINE_MS, signal);
      if (result.class === 'ok') return;
      if (systemClock.now() > until) {
        const seen = describeProbe(result);
        throw new EnvironmentError('CANARY_TOPIC', `The canary topic ${this.name} takes no records: ${seen}.`, {
          hint: LET_MAKE_TOPICS,
        });
      }
      await systemClock.sleep(50, signal);
    }
  }

  /** A partition that the broker led when the topic was made. */
  partitionLedBy(broker: BrokerNode): number {
    return this.#partitionOf.get(broker.id) ?? 0;
  }

  async #produce(address: Address, index: number, id: string, deadlineMs: number, signal: AbortSignal): Promise<void> {
    const records = encodeRecordBatch({
      records: [{ key: null, value: Buffer.from(id), timestamp: systemClock.wall() }],
    });
    await withConnection(this.#target, address, signal, async (connection) => {
      const topicData = [{ name: this.name, partitionData: [{ index, records }] }];
      const answer = await connection.ask(
        'Produce',
        7,
        { acks: -1, timeoutMs: deadlineMs, topicData },
        deadlineMs,
        signal,
      );
      const code = answer.responses[0]?.partitionResponses[0]?.errorCode ?? -1;
      if (code !== 0) throw new ProbeFailure(`kafka:${code}`, 'a canary record');
    });
  }

  async #endOf(broker: BrokerNode, partitionIndex: number, signal: AbortSignal): Promise<number> {
    return await withConnection(this.#target, broker.direct, signal, async (connection) => {
      const topics = [{ name: this.name, partitions: [{ partitionIndex, timestamp: -1 }] }];
      const answer = await connection.ask('ListOffsets', 4, { topics }, LOOK_DEADLINE_MS, signal);
      return answer.topics[0]?.partitions[0]?.offset ?? 0;
    });
  }

  async #holds(broker: BrokerNode, partition: number, from: number, id: string, signal: AbortSignal): Promise<boolean> {
    return await withConnection(this.#target, broker.direct, signal, async (connection) => {
      const asked = { partition, fetchOffset: Math.max(0, from), partitionMaxBytes: 1024 * 1024 };
      const answer = await connection.ask(
        'Fetch',
        11,
        { maxWaitMs: 0, minBytes: 0, topics: [{ topic: this.name, partitions: [asked] }], forgottenTopicsData: [] },
        LOOK_DEADLINE_MS,
        signal,
      );
      return answer.responses[0]?.partitions[0]?.records?.includes(id) ?? false;
    });
  }
}

/** A partition of the topic for each broker, once they all lead one. */
const leaders = async (
  target: StartedTarget,
  topic: string,
  brokers: readonly BrokerNode[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, number>> => {
  const until = systemClock.now() + READY_WAIT_MS;
  for (;;) {
    const view = await askAnyMetadata(target.evidenceBootstrap, signal, target.security);
    const mine = view.partitions.filter((each) => each.topic === topic);
    const found = new Map(mine.map((each) => [each.leader, each.partition]));
    if (brokers.every((broker) => found.has(broker.id))) return found;
    if (systemClock.now() > until) {
      throw new EnvironmentError('CANARY_TOPIC', `The canary topic ${topic} has no partition led by each victim.`, {
        hint: 'Let the cluster come to rest before the fault.',
      });
    }
    await systemClock.sleep(50, signal);
  }
};
