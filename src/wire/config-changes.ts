// Settings of one topic or broker that are changed while it runs, and where the value in force comes from: what was set on this
// very resource can be put back by setting it again, what came from a level above by taking ours away.
import type { ClusterClient } from './cluster-client.ts';
import { requestOptions } from './deadline.ts';
import {
  type CallOptions,
  type ConfigResource,
  only,
  patiently,
  RESOURCE_TYPE,
  refuseCode,
  resourceConnection,
} from './evidence-calls.ts';

export interface Setting {
  /** Null where it is secret, or has no value. */
  readonly value: string | null;
  /** Whether it was set on this very resource, while it ran. */
  readonly isOwn: boolean;
}

/** Kafka's numbers of where a value in force was set. */
const OWN_SOURCE = { topic: 1, broker: 2 } as const;
const OPERATION = { set: 0, remove: 1 } as const;

/** The named settings of a topic or broker that are in force; one that the resource does not know is left out. */
export const describeSettings = async (
  client: ClusterClient,
  resource: ConfigResource,
  names: readonly string[],
  options: CallOptions,
): Promise<ReadonlyMap<string, Setting>> =>
  await patiently(`the settings of ${resource.type} ${resource.name}`, options, client, async (deadline) => {
    const connection = await resourceConnection(client, resource, deadline);
    const { type, name: resourceName } = resource;
    const body = { resources: [{ resourceType: RESOURCE_TYPE[type], resourceName, configurationKeys: names }] };
    const answer = await connection.request('DescribeConfigs', body, requestOptions(deadline));
    const what = `DescribeConfigs of ${type} ${resourceName}`;
    const { errorCode, errorMessage, configs } = only(what, answer.results);
    refuseCode(what, errorCode, errorMessage);
    return new Map(
      configs.map(({ name, value, configSource }) => [name, { value, isOwn: configSource === OWN_SOURCE[type] }]),
    );
  });

/**
 * Sets each named setting on the resource itself, or takes it away (null); all others stay. Asked twice it does no more than once.
 * Throws `WIRE_REFUSED` with Kafka's code and words where a value is not taken, and then none of them is.
 */
export const changeSettings = async (
  client: ClusterClient,
  resource: ConfigResource,
  changes: Readonly<Record<string, string | null>>,
  options: CallOptions,
): Promise<void> =>
  await patiently(`the change of settings of ${resource.type} ${resource.name}`, options, client, async (deadline) => {
    const connection = await resourceConnection(client, resource, deadline);
    const configs = Object.entries(changes).map(([name, value]) => ({
      name,
      configOperation: value === null ? OPERATION.remove : OPERATION.set,
      value,
    }));
    const { type, name: resourceName } = resource;
    const body = { resources: [{ resourceType: RESOURCE_TYPE[type], resourceName, configs }] };
    const answer = await connection.request('IncrementalAlterConfigs', body, requestOptions(deadline));
    const what = `IncrementalAlterConfigs of ${type} ${resourceName}`;
    const { errorCode, errorMessage } = only(what, answer.responses);
    refuseCode(what, errorCode, errorMessage);
  });
