// Whom a cluster tells its clients to talk to, asked by one Metadata request at one address. A client follows these addresses,
// so a proxy that is not among them is a proxy nobody goes through.
import { EnvironmentError } from '../errors.ts';
import { Connection } from '../wire/connection.ts';
import type { ConnectionSecurity } from '../wire/connection-security.ts';
import type { Address } from './target.ts';

export interface ServedBroker {
  readonly id: number;
  readonly address: Address;
}

/** What a Metadata answer says of the cluster as a whole. */
export interface ServedCluster {
  /** Its own id; absent where it tells none. */
  readonly clusterId?: string;
  readonly brokers: readonly ServedBroker[];
}

/** The cluster of whoever listens at `address`; throws when there is no answer within `deadlineMs`. */
export const servedCluster = async (
  address: Address,
  deadlineMs: number,
  signal: AbortSignal,
  security?: ConnectionSecurity,
): Promise<ServedCluster> => {
  const connection = await Connection.open({
    ...address,
    clientId: 'ackproof-target',
    connectTimeoutMs: deadlineMs,
    maxInFlight: 1,
    security,
    signal,
  });
  try {
    const answer = await connection.request(
      'Metadata',
      { topics: [], allowAutoTopicCreation: false },
      { deadlineMs, signal },
    );
    const brokers = answer.brokers.map(({ nodeId, host, port }) => ({ id: nodeId, address: { host, port } }));
    return { brokers, ...(answer.clusterId === null ? {} : { clusterId: answer.clusterId }) };
  } finally {
    connection.close();
  }
};

/** The brokers that it names. */
export const servedBrokers = async (
  address: Address,
  deadlineMs: number,
  signal: AbortSignal,
  security?: ConnectionSecurity,
): Promise<readonly ServedBroker[]> => (await servedCluster(address, deadlineMs, signal, security)).brokers;

const format = (address: Address): string => `${address.host}:${address.port}`;

/**
 * Throws unless every broker is told to be reached at one of `expected`; a broker named with another address would take its
 * clients past the proxies, and no fault on them would mean anything.
 */
export const refuseBypass = (brokers: readonly ServedBroker[], expected: readonly Address[]): void => {
  const known = new Set(expected.map(format));
  const bypass = brokers.find((broker) => !known.has(format(broker.address)));
  if (bypass === undefined) return;
  throw new EnvironmentError(
    'TARGET_PROXY_BYPASSED',
    `Broker ${bypass.id} tells its clients to use ${format(bypass.address)}, which is no proxy (${[...known].join(', ')}).`,
    { hint: 'Make the broker advertise the address of its proxy.' },
  );
};
