// Metadata: live brokers, topics and who leads them, as the controller last said. Topics are never created by asking. Brokers
// forward what only the controller can do, so each names itself as the controller, which clients can always reach.
import { type RequestBody, type ResponseInput, ZERO_UUID } from '../../../wire/protocol.ts';
import { type ClusterView, inSyncOf, NO_LEADER, replicasOf, type TopicView } from '../../cluster-view.ts';
import { KAFKA } from '../../error-codes.ts';
import type { BrokerServices } from '../broker-services.ts';
import type { Handler } from '../handler.ts';
import { topicNamed } from '../locate.ts';
import { addressesOf } from './addresses.ts';

type TopicAnswer = ResponseInput<'Metadata'>['topics'][number];
type WantedTopic = NonNullable<RequestBody<'Metadata'>['topics']>[number];

const describeTopic = (view: ClusterView, topic: TopicView): TopicAnswer => ({
  errorCode: KAFKA.NONE,
  name: topic.name,
  topicId: topic.topicId,
  isInternal: topic.internal,
  partitions: topic.partitions.map((owner, partitionIndex) => {
    const replicaNodes = replicasOf(view, topic, partitionIndex);
    const isrNodes = inSyncOf(view, replicaNodes);
    return {
      errorCode: owner.leader === NO_LEADER ? KAFKA.LEADER_NOT_AVAILABLE : KAFKA.NONE,
      partitionIndex,
      leaderId: owner.leader,
      leaderEpoch: owner.epoch,
      replicaNodes,
      isrNodes,
      offlineReplicas: replicaNodes.filter((id) => !isrNodes.includes(id)),
    };
  }),
});

const absent = (errorCode: number, name: string | null, topicId: string = ZERO_UUID): TopicAnswer => ({
  errorCode,
  name,
  topicId,
  partitions: [],
});

const answerWanted = (view: ClusterView, wanted: WantedTopic): TopicAnswer => {
  if (wanted.name !== null && wanted.name !== '') {
    const named = topicNamed(view, wanted.name);
    if (named !== undefined) return describeTopic(view, named);
    return absent(KAFKA.UNKNOWN_TOPIC_OR_PARTITION, wanted.name);
  }
  const identified = view.topics.find((topic) => topic.topicId === wanted.topicId);
  if (identified !== undefined) return describeTopic(view, identified);
  return absent(KAFKA.UNKNOWN_TOPIC_ID, null, wanted.topicId);
};

/** Whether all topics are asked for: null, or in version 0 an empty list. */
const wantsAll = (topics: RequestBody<'Metadata'>['topics'], version: number): boolean =>
  topics === null || (version === 0 && topics.length === 0);

export const metadataHandler =
  (services: BrokerServices): Handler<'Metadata'> =>
  (request, context) => {
    const view = services.view();
    const topics = wantsAll(request.topics, context.version)
      ? view.topics.map((topic) => describeTopic(view, topic))
      : (request.topics ?? []).map((wanted) => {
          const answer = answerWanted(view, wanted);
          // Before version 12 a name cannot be null, not even of a topic that is known by an id only.
          return answer.name === null && context.version < 12 ? { ...answer, name: '' } : answer;
        });
    return {
      brokers: addressesOf(view, context.listener),
      clusterId: view.clusterId,
      controllerId: services.brokerId,
      topics,
      errorCode: KAFKA.NONE,
    };
  };
