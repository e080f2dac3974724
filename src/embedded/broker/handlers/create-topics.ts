// CreateTopics: passed on to the controller, topic by topic. Where replicas go is not for the client to say.
import { type RequestBody, type ResponseInput, ZERO_UUID } from '../../../wire/protocol.ts';
import { KAFKA, KafkaRefusal } from '../../error-codes.ts';
import type { BrokerServices } from '../broker-services.ts';
import type { Handler } from '../handler.ts';
import { topicNamed } from '../locate.ts';

type WantedTopic = RequestBody<'CreateTopics'>['topics'][number];
type TopicAnswer = ResponseInput<'CreateTopics'>['topics'][number];

const configsOf = (wanted: WantedTopic): Readonly<Record<string, string>> =>
  Object.fromEntries(wanted.configs.flatMap(({ name, value }) => (value === null ? [] : [[name, value]])));

const create = async (services: BrokerServices, wanted: WantedTopic, validateOnly: boolean): Promise<TopicAnswer> => {
  if (wanted.assignments.length > 0) {
    throw new KafkaRefusal(
      KAFKA.INVALID_REPLICA_ASSIGNMENT,
      'The embedded cluster places partitions itself; give counts instead of assignments.',
    );
  }
  const { name, numPartitions: partitions, replicationFactor } = wanted;
  const wish = { name, partitions, replicationFactor, configs: configsOf(wanted) };
  await services.controller.createTopic(wish, validateOnly);
  const topic = topicNamed(services.view(), name);
  return {
    name,
    topicId: topic?.topicId ?? ZERO_UUID,
    errorCode: KAFKA.NONE,
    errorMessage: null,
    numPartitions: topic?.partitions.length ?? partitions,
    replicationFactor: topic?.replicationFactor ?? replicationFactor,
    configs: [],
  };
};

const refused = (name: string, thrown: unknown): TopicAnswer => {
  if (!(thrown instanceof KafkaRefusal)) throw thrown;
  return { name, topicId: ZERO_UUID, errorCode: thrown.code, errorMessage: thrown.message, configs: null };
};

export const createTopicsHandler =
  (services: BrokerServices): Handler<'CreateTopics'> =>
  async (request) => {
    const names = request.topics.map((topic) => topic.name);
    const topics: TopicAnswer[] = [];
    for (const wanted of request.topics) {
      const isTwice = names.filter((name) => name === wanted.name).length > 1;
      topics.push(
        isTwice
          ? refused(wanted.name, new KafkaRefusal(KAFKA.INVALID_REQUEST, 'The request names the topic twice.'))
          : await create(services, wanted, request.validateOnly).catch((thrown: unknown) =>
              refused(wanted.name, thrown),
            ),
      );
    }
    return { topics };
  };
