// Creating and deleting topics, for the topics that a run makes for itself. The request goes to the controller named in the
// metadata, because older brokers take it nowhere else.
import type { ClusterClient } from './cluster-client.ts';
import type { Connection } from './connection.ts';
import { type Deadline, deadlineAfter, isPassingTrouble, requestOptions, tryUntil } from './deadline.ts';
import { type CallOptions, refuseCode } from './evidence-calls.ts';
import { WireError } from './protocol.ts';

export interface NewTopic {
  readonly name: string;
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly config: Readonly<Record<string, string>>;
}

const TOPIC_ALREADY_EXISTS = 36;
const UNKNOWN_TOPIC_OR_PARTITION = 3;

/** To the controller named in the metadata, or to any broker where none is named: that one passes the request on. */
export const controllerConnection = async (client: ClusterClient, deadline: Deadline): Promise<Connection> => {
  const { controller } = await client.metadata([], deadline);
  return controller === undefined
    ? await client.anyConnection(deadline)
    : await client.brokerConnection(controller, deadline);
};

/**
 * Asks the controller until the deadline. Once an earlier question may have got through, `settledBy` is the code that says
 * that it had worked; before that it is a refusal like any other.
 */
const settle = async (
  client: ClusterClient,
  what: string,
  settledBy: number,
  options: CallOptions,
  ask: (connection: Connection, deadline: Deadline) => Promise<void>,
): Promise<void> => {
  const deadline = deadlineAfter(options.deadlineMs, options.signal);
  let asked = false;
  const isSettled = (error: unknown): boolean => error instanceof WireError && error.kafkaCode === settledBy;
  const attempt = async (): Promise<void> => {
    const connection = await controllerConnection(client, deadline);
    const askedBefore = asked;
    asked = true;
    try {
      await ask(connection, deadline);
    } catch (error) {
      if (!askedBefore || !isSettled(error)) throw error;
    }
  };
  await tryUntil(deadline, what, attempt, (error) => isPassingTrouble(error) && !isSettled(error));
};

const resultFor = <T extends { readonly name: string | null }>(
  what: string,
  name: string,
  results: readonly T[],
): T => {
  const found = results.find((result) => result.name === name);
  if (found !== undefined) return found;
  throw new WireError('WIRE_REFUSED', `${what} was answered without a word about ${name}.`);
};

/**
 * Creates one topic; `WIRE_REFUSED` with Kafka's code where the cluster will not, 36 if it exists already. With `onlyAsk` nothing is
 * created: whether it would be is all that is asked.
 */
export const createTopic = async (
  client: ClusterClient,
  topic: NewTopic,
  options: CallOptions,
  onlyAsk = false,
): Promise<void> =>
  await settle(
    client,
    `the creation of topic ${topic.name}`,
    TOPIC_ALREADY_EXISTS,
    options,
    async (connection, deadline) => {
      const body = {
        topics: [
          {
            name: topic.name,
            numPartitions: topic.partitions,
            replicationFactor: topic.replicationFactor,
            assignments: [],
            configs: Object.entries(topic.config).map(([name, value]) => ({ name, value })),
          },
        ],
        timeoutMs: Math.ceil(deadline.remainingMs()),
        validateOnly: onlyAsk,
      };
      const answer = await connection.request('CreateTopics', body, requestOptions(deadline));
      const result = resultFor('CreateTopics', topic.name, answer.topics);
      refuseCode(`Creating topic ${topic.name}`, result.errorCode, result.errorMessage);
    },
  );

/** Deletes one topic by name; code 3 if there is none. */
export const deleteTopic = async (client: ClusterClient, name: string, options: CallOptions): Promise<void> =>
  await settle(
    client,
    `the deletion of topic ${name}`,
    UNKNOWN_TOPIC_OR_PARTITION,
    options,
    async (connection, deadline) => {
      const timeoutMs = Math.ceil(deadline.remainingMs());
      const body = { topics: [{ name }], topicNames: [name], timeoutMs };
      const answer = await connection.request('DeleteTopics', body, requestOptions(deadline));
      const result = resultFor('DeleteTopics', name, answer.responses);
      refuseCode(`Deleting topic ${name}`, result.errorCode, result.errorMessage);
    },
  );
