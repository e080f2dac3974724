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

/** Whether whoever is told the first address gets to the second one, a listener. */
export type LeadsTo = (told: Address, listener: Address) => boolean | Promise<boolean>;

/** Written alike: clients dial the name that they are told. */
export const isSame = (told: Address, listener: Address): boolean =>
  told.host === listener.host && told.port === listener.port;

/**
 * @throws EnvironmentError unless every broker is told to be reached at one of `expected`; a broker named with another address would
 * take its clients past the proxies, and no fault on them would mean anything.
 */
export const refuseBypass = async (
  brokers: readonly ServedBroker[],
  expected: readonly Address[],
  leadsTo: LeadsTo = isSame,
): Promise<void> => {
  for (const { id, address } of brokers) {
    const found = await Promise.all(expected.map(async (listener) => await leadsTo(address, listener)));
    if (found.includes(true)) continue;
    throw new EnvironmentError(
      'TARGET_PROXY_BYPASSED',
      `Broker ${id} tells its clients to use ${format(address)}, which leads to none of ${expected.map(format).join(', ')}.`,
      { hint: 'Make the broker advertise the address of its proxy; where it has none, of the port that it publishes.' },
    );
  }
};
