// What changed hands between two states, in words for the controller's log.
import { type ClusterView, NO_LEADER, type PartitionView, type TopicView } from '../cluster-view.ts';

const ownerName = (leader: number): string => (leader === NO_LEADER ? 'nobody' : `broker ${leader}`);

const describeMove = (topic: TopicView, index: number, before: PartitionView | undefined): string | undefined => {
  const after = topic.partitions[index];
  if (after === undefined || (before?.leader === after.leader && before.epoch === after.epoch)) return undefined;
  const from = ownerName(before?.leader ?? NO_LEADER);
  return `leader of ${topic.name}/${index}: ${from} -> ${ownerName(after.leader)}, epoch ${after.epoch}`;
};

/** One line for each partition whose owner or epoch is not what it was. */
export const movesBetween = (before: ClusterView, after: ClusterView): readonly string[] =>
  after.topics.flatMap((topic) => {
    const earlier = before.topics.find((candidate) => candidate.topicId === topic.topicId);
    return topic.partitions
      .map((_, index) => describeMove(topic, index, earlier?.partitions[index]))
      .filter((line) => line !== undefined);
  });
