// The external target: a cluster somebody else runs. It is connected to, measured and, where a scenario says so and its file allows
// it, broken: by orders of Kafka's own protocol, through Toxiproxies that stand before its brokers, by programs of whoever runs it.
// It is never disposed of.
import { resolve } from 'node:path';
import type { BrokerId } from '../vocabulary.ts';
import type { ConnectionSecurity } from '../wire/connection-security.ts';
import { Secret } from '../wire/secret.ts';
import { declaredStorage } from './declared-storage.ts';
import { directAddresses, type KnownDirect } from './external-direct.ts';
import { listProxies, mapProxies } from './external-proxies.ts';
import { reachCluster } from './external-reach.ts';
import { describeSecurity, type ExternalSpec } from './external-spec.ts';
import { resolveSecurity } from './resolve-security.ts';
import { fetchReference } from './secret-reference.ts';
import type { ServedBroker, ServedCluster } from './served-addresses.ts';
import { parseAddress } from './spec-fields.ts';
import type {
  Administration,
  BrokerNode,
  Link,
  ObjectListing,
  StartedTarget,
  StartOptions,
  UserCommands,
} from './target.ts';
import { assertCommands } from './user-command.ts';

/** By reference: what a run writes down names secrets and never holds them. */
const administrationOf = (
  { security }: ExternalSpec,
  { clusterId }: ServedCluster,
  folder: string,
): Administration => ({
  ...(clusterId !== undefined && { clusterId }),
  ...(security !== undefined && { security: { spec: security, folder } }),
});

/** The programs of its file, all of which are there. */
const commandsOf = ({ commands }: ExternalSpec, folder: string): UserCommands | undefined => {
  if (Object.keys(commands).length === 0) return undefined;
  const named = Object.fromEntries(
    Object.entries(commands).map(([name, { timeout, ...command }]) => [name, { ...command, timeoutMs: timeout }]),
  );
  assertCommands({ folder, named });
  return { folder, named };
};

const linksOf = async (
  { toxiproxy }: ExternalSpec,
  brokers: readonly ServedBroker[],
  signal: AbortSignal,
): Promise<readonly Link[] | undefined> => {
  if (toxiproxy === undefined) return undefined;
  const listings = [];
  for (const admin of toxiproxy) listings.push(await listProxies(parseAddress(admin), signal));
  return await mapProxies(brokers, listings);
};

const nodeOf = ({ id, address }: ServedBroker, { addresses }: KnownDirect): BrokerNode => ({
  id: id as BrokerId,
  node: `broker/${id}`,
  advertised: address,
  direct: addresses.get(id) ?? address,
});

const fingerprintOf = (
  spec: ExternalSpec,
  brokers: readonly ServedBroker[],
  { by }: KnownDirect,
): Readonly<Record<string, string>> => ({
  bootstrapServers: spec.bootstrapServers.join(', '),
  brokers: String(brokers.length),
  security: describeSecurity(spec.security),
  ...(spec.toxiproxy === undefined ? {} : { toxiproxy: spec.toxiproxy.join(', '), evidence: by }),
  profile: spec.profile,
  node: process.version,
});

const looksOf = async (
  spec: ExternalSpec,
  security: ConnectionSecurity | undefined,
  signal: AbortSignal,
): Promise<{ served: ServedCluster; links: readonly Link[] | undefined; direct: KnownDirect }> => {
  const served = await reachCluster(spec.bootstrapServers.map(parseAddress), 'bootstrapServers', security, signal);
  const links = await linksOf(spec, served.brokers, signal);
  return { served, links, direct: await directAddresses({ spec, served, links: links ?? [], security }, signal) };
};

/** An object store that its file names under `field`, once it has been listed. */
const listingOf = async (
  spec: ExternalSpec,
  field: 'objectStore' | 'walStore',
  folder: string,
  signal: AbortSignal,
): Promise<ObjectListing | undefined> => {
  const store = spec[field];
  if (store === undefined) return undefined;
  const { endpoint, region, bucket, prefix } = store;
  const secret = (name: 'accessKey' | 'secretKey'): Secret =>
    new Secret(fetchReference(`${field}.${name}`, store[name], folder));
  const login = { url: endpoint, region, accessKey: secret('accessKey'), secretKey: secret('secretKey') };
  const listing = (await import('./object-store.ts')).objectListing({ ...login, bucket, prefix });
  await listing.assertListable(signal);
  return listing;
};

/** Connects to see that the cluster is there, and that everything its file names is, too. Changes nothing. */
export const startExternal = async (spec: ExternalSpec, options: StartOptions): Promise<StartedTarget> => {
  const folder = resolve(options.specFolder ?? '.');
  const security = resolveSecurity(spec.security, folder);
  const commands = commandsOf(spec, folder);
  const { served, links, direct } = await looksOf(spec, security, options.signal);
  const listing = await listingOf(spec, 'objectStore', folder, options.signal);
  const walListing = await listingOf(spec, 'walStore', folder, options.signal);
  const storage = declaredStorage(spec.storage, spec.objectStore);
  const brokers = served.brokers.map((broker) => nodeOf(broker, direct));
  const listed = spec.bootstrapServers.map(parseAddress);
  // By its own servers a client might find a way past the proxies.
  const bootstrap = links === undefined ? listed : brokers.map(({ advertised }) => advertised);
  return {
    kind: 'external',
    ephemeral: false,
    profile: spec.profile,
    bootstrap,
    evidenceBootstrap: direct.addresses.size > 0 ? brokers.map((broker) => broker.direct) : listed,
    security,
    brokers,
    can: {
      administration: administrationOf(spec, served, folder),
      ...(commands !== undefined && { commands }),
      ...(links !== undefined && { links: { all: links } }),
    },
    ...(listing !== undefined && { objectListing: listing }),
    ...(walListing !== undefined && { walListing }),
    ...(storage !== undefined && { storage }),
    description: { kind: 'external', name: spec.name, fingerprint: fingerprintOf(spec, served.brokers, direct) },
    logs: [],
    [Symbol.asyncDispose]: async () => {
      await Promise.resolve();
    },
  };
};
