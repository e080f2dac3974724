// What a new topic must be. Checked by the controller against the state it is added to, so that two brokers cannot create
// the same name at once.
import { OFFSETS_TOPIC } from '../cluster-view.ts';
import { KAFKA, KafkaRefusal } from '../error-codes.ts';
import { checkTopicConfigs } from '../topic-configs.ts';
import type { ControllerState, TopicRequest } from './controller-state.ts';

const MAX_PARTITIONS = 1000;
const DEFAULT_PARTITIONS = 1;
const DEFAULT_REPLICATION = 3;

/** What a client asked for; −1 asks for the default. */
export interface TopicWish {
  readonly name: string;
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly configs: Readonly<Record<string, string>>;
}

const checkName = (name: string): void => {
  if (!/^[A-Za-z0-9._-]{1,249}$/.test(name) || name === '.' || name === '..') {
    throw new KafkaRefusal(
      KAFKA.INVALID_TOPIC_EXCEPTION,
      'A topic name has 1 to 249 characters out of A–Z, a–z, 0–9, ".", "_" and "-".',
    );
  }
};

const partitionsOf = (wish: TopicWish): number => {
  const partitions = wish.partitions === -1 ? DEFAULT_PARTITIONS : wish.partitions;
  if (!Number.isInteger(partitions) || partitions < 1 || partitions > MAX_PARTITIONS) {
    throw new KafkaRefusal(KAFKA.INVALID_PARTITIONS, `A topic has 1 to ${MAX_PARTITIONS} partitions.`);
  }
  return partitions;
};

const replicationOf = (state: ControllerState, wish: TopicWish): number => {
  const live = state.brokers.filter((broker) => broker.live).length;
  const factor = wish.replicationFactor === -1 ? Math.min(DEFAULT_REPLICATION, live) : wish.replicationFactor;
  if (!Number.isInteger(factor) || factor < 1 || factor > live) {
    throw new KafkaRefusal(KAFKA.INVALID_REPLICATION_FACTOR, `Replication factor ${factor} with ${live} live brokers.`);
  }
  return factor;
};

/** The topic to add for a wish. Throws a KafkaRefusal. */
export const topicFor = (state: ControllerState, wish: TopicWish, topicId: string): TopicRequest => {
  checkName(wish.name);
  if (state.topics.some((topic) => topic.name === wish.name)) {
    throw new KafkaRefusal(KAFKA.TOPIC_ALREADY_EXISTS, `Topic "${wish.name}" exists.`);
  }
  const partitions = partitionsOf(wish);
  const replicationFactor = replicationOf(state, wish);
  checkTopicConfigs(wish.configs);
  return { name: wish.name, topicId, partitions, replicationFactor, configs: wish.configs };
};

/** Throws a KafkaRefusal unless `name` is a topic that may be deleted. */
export const checkDeletable = (state: ControllerState, name: string): void => {
  if (name === OFFSETS_TOPIC) {
    throw new KafkaRefusal(KAFKA.INVALID_TOPIC_EXCEPTION, `${OFFSETS_TOPIC} belongs to the cluster.`);
  }
  if (!state.topics.some((topic) => topic.name === name)) {
    throw new KafkaRefusal(KAFKA.UNKNOWN_TOPIC_OR_PARTITION, `There is no topic "${name}".`);
  }
};
