// Asks the controller to hold elections for partitions: the preferred replica, which is the first of the list, is to lead where it
// is in sync. Nothing that was acknowledged by all is lost by such an election.
import type { ClusterClient } from './cluster-client.ts';
import { requestOptions } from './deadline.ts';
import { ELECTION_NOT_NEEDED, NONE } from './error-codes.ts';
import { type CallOptions, groupByTopic, patiently, refuseCode, type TopicPartition } from './evidence-calls.ts';
import { type ResponseBody, WireError } from './protocol.ts';
import { controllerConnection } from './topic-calls.ts';

export interface HeldElection extends TopicPartition {
  /** False where the preferred replica led already, which is also what the second of two questions is told. */
  readonly hasChanged: boolean;
}

const PREFERRED = 0;

type Answer = ResponseBody<'ElectLeaders'>;

const electionOf = (answer: Answer, { topic, partition }: TopicPartition): HeldElection => {
  const results = answer.replicaElectionResults.filter((result) => result.topic === topic);
  const found = results
    .flatMap((result) => result.partitionResult)
    .find(({ partitionId }) => partitionId === partition);
  const what = `ElectLeaders of ${topic}/${partition}`;
  if (found === undefined) throw new WireError('WIRE_REFUSED', `${what} was answered without that partition.`);
  if (found.errorCode !== ELECTION_NOT_NEEDED) refuseCode(what, found.errorCode, found.errorMessage);
  return { topic, partition, hasChanged: found.errorCode === NONE };
};

/**
 * Elects the preferred leaders of partitions. Throws `WIRE_REFUSED` with Kafka's code, 80 for a preferred replica that is away or
 * out of sync.
 */
export const electPreferredLeaders = async (
  client: ClusterClient,
  places: readonly TopicPartition[],
  options: CallOptions,
): Promise<readonly HeldElection[]> =>
  await patiently('the election of preferred leaders', options, client, async (deadline) => {
    const connection = await controllerConnection(client, deadline);
    const topicPartitions = [...groupByTopic(places)].map(([topic, group]) => ({
      topic,
      partitions: group.map(({ partition }) => partition),
    }));
    const body = { electionType: PREFERRED, topicPartitions, timeoutMs: Math.ceil(deadline.remainingMs()) };
    const answer = await connection.request('ElectLeaders', body, requestOptions(deadline));
    refuseCode('ElectLeaders', answer.errorCode);
    return places.map((place) => electionOf(answer, place));
  });
