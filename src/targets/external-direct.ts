// Where the brokers of somebody else's cluster answer past the proxies that clients go through: evidence that came by a faulted path
// would be none.
import { EnvironmentError } from '../errors.ts';
import type { ConnectionSecurity } from '../wire/connection-security.ts';
import { reachCluster } from './external-reach.ts';
import type { ExternalSpec } from './external-spec.ts';
import { type ServedCluster, servedCluster } from './served-addresses.ts';
import { parseAddress } from './spec-fields.ts';
import type { Address, Link } from './target.ts';

const ASK_DEADLINE_MS = 2_000;

export interface KnownDirect {
  /** How they were found, in words. */
  readonly by: 'a listener of its own' | 'what the proxies lead to' | 'the way of the clients';
  /** By broker id; empty where there is no other way than that of the clients. */
  readonly addresses: ReadonlyMap<number, Address>;
}

export interface DirectSearch {
  readonly spec: Pick<ExternalSpec, 'directServers'>;
  readonly served: ServedCluster;
  readonly links: readonly Link[];
  readonly security: ConnectionSecurity | undefined;
}

const CLIENTS_WAY: KnownDirect = { by: 'the way of the clients', addresses: new Map() };

const format = ({ host, port }: Address): string => `${host}:${port}`;

const refuse = (message: string, hint: string): EnvironmentError =>
  new EnvironmentError('TARGET_MAPPING', message, { hint });

const isSameCluster = (one: ServedCluster, other: ServedCluster): boolean => one.clusterId === other.clusterId;

/** What the listener of `directServers` tells. @throws EnvironmentError where it is of no use. */
const byListener = async (
  servers: readonly string[],
  { served, security }: DirectSearch,
  signal: AbortSignal,
): Promise<KnownDirect> => {
  const told = await reachCluster(servers.map(parseAddress), 'directServers', security, signal);
  if (!isSameCluster(told, served)) {
    const ids = `${told.clusterId ?? 'unknown'}, and the bootstrapServers lead to ${served.clusterId ?? 'unknown'}`;
    throw refuse(`The directServers lead to cluster ${ids}.`, 'Name two listeners of one cluster.');
  }
  const addresses = new Map(told.brokers.map(({ id, address }) => [id, address]));
  for (const { id, address } of served.brokers) {
    const direct = addresses.get(id);
    if (direct === undefined || format(direct) === format(address)) {
      const where = direct === undefined ? 'knows no broker' : 'sends clients through the proxy of broker';
      throw refuse(`The listener of directServers ${where} ${id}.`, 'Name a listener with addresses of its own.');
    }
  }
  return { by: 'a listener of its own', addresses };
};

/** Whether everything the proxies lead to answers here, too, as this cluster. */
const byUpstream = async ({ served, links, security }: DirectSearch, signal: AbortSignal): Promise<KnownDirect> => {
  const addresses = new Map<number, Address>();
  for (const { id } of served.brokers) {
    const upstream = links.find(({ node }) => node === `broker/${id}`)?.upstream;
    if (upstream === undefined) return CLIENTS_WAY;
    try {
      const told = await servedCluster(upstream, ASK_DEADLINE_MS, signal, security);
      if (!isSameCluster(told, served)) return CLIENTS_WAY;
      addresses.set(id, upstream);
    } catch {
      // Mostly a name that only the Toxiproxy knows, or a certificate for the proxy's.
      signal.throwIfAborted();
      return CLIENTS_WAY;
    }
  }
  return { by: 'what the proxies lead to', addresses };
};

/** The direct addresses, if there are any. Without proxies the way of the clients is direct. */
export const directAddresses = async (search: DirectSearch, signal: AbortSignal): Promise<KnownDirect> => {
  const { directServers } = search.spec;
  if (directServers !== undefined) return await byListener(directServers, search, signal);
  return search.links.length === 0 ? CLIENTS_WAY : await byUpstream(search, signal);
};
