// DeleteTopics: passed on to the controller, by name or by id. The objects of a deleted topic stay in the store: nothing here
// ever removes data because of what somebody was told, and a topic of the same name has another id.
import { type RequestBody, type ResponseInput, ZERO_UUID } from '../../../wire/protocol.ts';
import { KAFKA, KafkaRefusal } from '../../error-codes.ts';
import type { BrokerServices } from '../broker-services.ts';
import type { Handler } from '../handler.ts';
import { topicNamed } from '../locate.ts';

type TopicAnswer = ResponseInput<'DeleteTopics'>['responses'][number];

interface Target {
  readonly name: string | null;
  readonly topicId: string;
}

const targetsOf = (request: RequestBody<'DeleteTopics'>): readonly Target[] =>
  request.topics.length > 0 ? request.topics : request.topicNames.map((name) => ({ name, topicId: ZERO_UUID }));

const nameOf = (services: BrokerServices, target: Target): string => {
  if (target.name !== null) return target.name;
  const topic = services.view().topics.find((candidate) => candidate.topicId === target.topicId);
  if (topic === undefined) throw new KafkaRefusal(KAFKA.UNKNOWN_TOPIC_ID, 'There is no topic with this id.');
  return topic.name;
};

const remove = async (services: BrokerServices, target: Target): Promise<TopicAnswer> => {
  try {
    const name = nameOf(services, target);
    const topicId = topicNamed(services.view(), name)?.topicId ?? ZERO_UUID;
    await services.controller.deleteTopic(name);
    return { name, topicId, errorCode: KAFKA.NONE };
  } catch (thrown) {
    if (!(thrown instanceof KafkaRefusal)) throw thrown;
    return { ...target, errorCode: thrown.code, errorMessage: thrown.message };
  }
};

export const deleteTopicsHandler =
  (services: BrokerServices): Handler<'DeleteTopics'> =>
  async (request) => {
    const responses: TopicAnswer[] = [];
    for (const target of targetsOf(request)) responses.push(await remove(services, target));
    return { responses };
  };
