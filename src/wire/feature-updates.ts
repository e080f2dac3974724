// Features of the whole cluster, switched on: what Kafka's own tool does when it formats the disks of a new cluster.
import type { ClusterClient } from './cluster-client.ts';
import { requestOptions } from './deadline.ts';
import { type CallOptions, patiently, refuseCode } from './evidence-calls.ts';
import { controllerConnection } from './topic-calls.ts';

/**
 * Raises each named feature to a level. Asked twice it does no more than once. Throws `WIRE_REFUSED` with Kafka's code and words
 * where one is not taken, and then none of them is.
 */
export const raiseFeatures = async (
  client: ClusterClient,
  levels: Readonly<Record<string, number>>,
  options: CallOptions,
): Promise<void> =>
  await patiently('the order to raise features', options, client, async (deadline) => {
    const connection = await controllerConnection(client, deadline);
    const featureUpdates = Object.entries(levels).map(([feature, maxVersionLevel]) => ({ feature, maxVersionLevel }));
    const body = { timeoutMs: Math.ceil(deadline.remainingMs()), featureUpdates };
    const answer = await connection.request('UpdateFeatures', body, requestOptions(deadline));
    for (const { feature, errorCode, errorMessage } of answer.results) {
      refuseCode(`UpdateFeatures of ${feature}`, errorCode, errorMessage);
    }
    refuseCode('UpdateFeatures', answer.errorCode, answer.errorMessage);
  });
