// Who leads the quorum of controllers, as a controller says it; the first that answers is believed.
import { EnvironmentError } from '../../errors.ts';
import type { ControllerNode } from '../../targets/target.ts';
import { firstAnswer } from './first-answer.ts';
import { KafkaCanaryConnection } from './kafka-connection.ts';

const VERSION = 1;
const DEADLINE_MS = 2000;
const QUESTION = { topics: [{ topicName: '__cluster_metadata', partitions: [{ partitionIndex: 0 }] }] };

/** The id of the active controller by one controller's word; −1 while there is none. */
const askLeader = async ({ direct }: ControllerNode, signal: AbortSignal): Promise<number> => {
  const connection = await KafkaCanaryConnection.open(direct, DEADLINE_MS, signal);
  try {
    const answer = await connection.ask('DescribeQuorum', VERSION, QUESTION, DEADLINE_MS, signal);
    const [partition] = answer.topics[0]?.partitions ?? [];
    if (answer.errorCode === 0 && partition?.errorCode === 0) return partition.leaderId;
    throw new EnvironmentError(
      'QUORUM_UNKNOWN',
      `A controller answered DescribeQuorum with code ${partition?.errorCode ?? answer.errorCode}.`,
      { hint: 'See that the controllers have elected a leader, and that whoever logs in may describe the cluster.' },
    );
  } finally {
    connection.close();
  }
};

/** The active controller's id. @throws EnvironmentError when no controller knows one. */
export const askQuorumLeader = async (controllers: readonly ControllerNode[], signal: AbortSignal): Promise<number> => {
  try {
    return await firstAnswer(controllers, askLeader, signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw new EnvironmentError('QUORUM_UNKNOWN', 'No controller says who leads the quorum.', {
      cause,
      hint: 'See whether a majority of the controllers is up.',
    });
  }
};
