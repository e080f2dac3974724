// Features of the whole cluster, switched on: what Kafka's own tool does when it formats the disks of a new cluster.
import type { ClusterClient } from './cluster-client.ts';
import { isPassingTrouble, requestOptions } from './deadline.ts';
import { INVALID_UPDATE_VERSION } from './error-codes.ts';
import { type CallOptions, patiently, refuseCode } from './evidence-calls.ts';
import { WireError } from './protocol.ts';
import { controllerConnection } from './topic-calls.ts';

/** Kafka's code for a level that is above what a node can do, and also while a controller has not yet told what it can do. */
const isNotKnownYet = (error: unknown): boolean =>
  error instanceof WireError && error.kafkaCode === INVALID_UPDATE_VERSION;

/**
 * Raises each named feature to a level. Asked twice it does no more than once. Controllers of a cluster that has just begun register
 * one after the other, on a busy machine seconds after it serves clients: they are waited for until the deadline, and then it throws
 * `WIRE_UNREACHABLE` with Kafka's words. Throws `WIRE_REFUSED` with Kafka's code and words where one is not taken for another
 * reason, and then none of them is.
 */
export const raiseFeatures = async (
  client: ClusterClient,
  levels: Readonly<Record<string, number>>,
  options: CallOptions,
): Promise<void> => {
  await patiently(
    'the order to raise features',
    options,
    client,
    async (deadline) => {
      const connection = await controllerConnection(client, deadline);
      const featureUpdates = Object.entries(levels).map(([feature, maxVersionLevel]) => ({ feature, maxVersionLevel }));
      const body = { timeoutMs: Math.ceil(deadline.remainingMs()), featureUpdates };
      const answer = await connection.request('UpdateFeatures', body, requestOptions(deadline));
      for (const { feature, errorCode, errorMessage } of answer.results) {
        refuseCode(`UpdateFeatures of ${feature}`, errorCode, errorMessage);
      }
      refuseCode('UpdateFeatures', answer.errorCode, answer.errorMessage);
    },
    (error) => isPassingTrouble(error) || isNotKnownYet(error),
  );
};
