// Toxiproxies that somebody else put before the brokers of a cluster: which proxy stands before which broker, told by the address
// that the broker advertises and nothing else. What does not map one to one is refused, because a fault would hit somebody else.
import { lookup } from 'node:dns/promises';
import { describeError, EnvironmentError } from '../errors.ts';
import { httpJson } from './http-call.ts';
import type { ServedBroker } from './served-addresses.ts';
import { splitAddress } from './spec-fields.ts';
import type { Address, Link } from './target.ts';

const CALL_DEADLINE_MS = 5_000;
/** What the wrapper that drives a Toxiproxy takes. */
const USABLE_NAME = /^[a-z0-9-]+$/;
const OURS = 'ackproof-';
const EVERYWHERE: ReadonlySet<string> = new Set(['', '0.0.0.0', '::']);

/** A proxy as its Toxiproxy tells it. */
export interface ListedProxy {
  readonly name: string;
  readonly listen: string;
  readonly upstream: string;
  readonly enabled: boolean;
  readonly toxics: readonly { readonly name: string }[];
}

export interface ToxiproxyListing {
  readonly admin: Address;
  readonly proxies: readonly ListedProxy[];
}

/** The numeric addresses of a host; none where nobody knows them. */
type HostLookup = (host: string) => Promise<readonly string[]>;

const format = ({ host, port }: Address): string => `${host}:${port}`;

const refuse = (message: string, hint: string): EnvironmentError =>
  new EnvironmentError('TARGET_MAPPING', message, { hint });

const lookUpHost: HostLookup = async (host) =>
  await lookup(host, { all: true }).then(
    (found) => found.map(({ address }) => address),
    () => [],
  );

/** @throws Error where that is no listing of a Toxiproxy: somebody else answers there. */
const proxiesIn = (answer: unknown): readonly ListedProxy[] => {
  const rows: readonly unknown[] = typeof answer === 'object' && answer !== null ? Object.values(answer) : [answer];
  return rows.map((row) => {
    const { name, listen, upstream, enabled, toxics } = (row ?? {}) as Partial<ListedProxy>;
    if (name === undefined || listen === undefined || upstream === undefined || enabled === undefined) {
      throw new Error('what answers there is no Toxiproxy.');
    }
    return { name, listen, upstream, enabled, toxics: toxics ?? [] };
  });
};

/** What a Toxiproxy carries. @throws EnvironmentError (exit 69) where it does not answer as one. */
export const listProxies = async (admin: Address, signal: AbortSignal): Promise<ToxiproxyListing> => {
  try {
    const call = { method: 'GET', address: admin, path: '/proxies', deadlineMs: CALL_DEADLINE_MS, signal } as const;
    return { admin, proxies: proxiesIn(await httpJson(call)) };
  } catch (thrown) {
    signal.throwIfAborted();
    throw new EnvironmentError(
      'TARGET_TOXIPROXY_UNREACHABLE',
      `The Toxiproxy at ${format(admin)} does not list its proxies: ${thrown instanceof EnvironmentError ? thrown.message : describeError(thrown)}`,
      {
        hint: 'Start it, correct toxiproxy in the target file, or leave that out and go without faults of connections.',
      },
    );
  }
};

interface Candidate {
  readonly admin: Address;
  readonly proxy: ListedProxy;
}

/** Whether what a client dials at `address` reaches this proxy, as far as addresses tell. */
const isReachedAt = async (
  { host, port }: Address,
  { admin, proxy }: Candidate,
  find: HostLookup,
): Promise<boolean> => {
  const listen = splitAddress(proxy.listen);
  if (listen.port !== port) return false;
  // One that listens everywhere listens at least where its control API does.
  const own = EVERYWHERE.has(listen.host) ? admin.host : listen.host;
  if (own === host) return true;
  const [here, there] = [await find(own), await find(host)];
  return here.some((address) => there.includes(address));
};

const assertUsable = ({ admin, proxy: { name, enabled, toxics } }: Candidate, { id }: ServedBroker): void => {
  const who = `The proxy "${name}" of the Toxiproxy at ${format(admin)}, before broker ${id},`;
  if (!USABLE_NAME.test(name)) {
    throw refuse(`${who} cannot be driven by that name.`, 'Name it by lower-case letters, digits and hyphens.');
  }
  if (!enabled) throw refuse(`${who} is closed.`, 'Open it; if a dead run closed it: ackproof heal --all.');
  const ours = toxics.filter((toxic) => toxic.name.startsWith(OURS)).map((toxic) => toxic.name);
  if (ours.length === 0) return;
  throw new EnvironmentError('TARGET_FAULT_LEFT', `${who} still has ${ours.join(', ')}: a fault was left behind.`, {
    hint: 'Put it back first: ackproof heal --all.',
  });
};

const proxyBefore = async (broker: ServedBroker, all: readonly Candidate[], find: HostLookup): Promise<Candidate> => {
  const where = `Broker ${broker.id} tells its clients to use ${format(broker.address)}`;
  const found: Candidate[] = [];
  for (const each of all) if (await isReachedAt(broker.address, each, find)) found.push(each);
  const [only, second] = found;
  if (only === undefined) {
    const known = all.map(({ proxy }) => `${proxy.name} at ${proxy.listen}`).join(', ');
    throw refuse(
      `${where}, and no proxy listens there (${known === '' ? 'there is none' : known}).`,
      'Let the broker advertise its proxy, and name the Toxiproxy by the host that is advertised.',
    );
  }
  if (second !== undefined) {
    const names = found.map(({ admin, proxy }) => `${proxy.name} of ${format(admin)}`).join(' and ');
    throw refuse(`${where}, where ${names} both listen.`, 'Name only the Toxiproxy that clients go through.');
  }
  assertUsable(only, broker);
  return only;
};

/** The client path of each broker. @throws EnvironmentError with a sentence about the first broker that does not map one to one. */
export const mapProxies = async (
  brokers: readonly ServedBroker[],
  listings: readonly ToxiproxyListing[],
  find: HostLookup = lookUpHost,
): Promise<readonly Link[]> => {
  const all = listings.flatMap(({ admin, proxies }) => proxies.map((proxy) => ({ admin, proxy })));
  const links: Link[] = [];
  for (const broker of brokers) {
    const { admin, proxy } = await proxyBefore(broker, all, find);
    const twin = links.find((link) => link.proxy === proxy.name && format(link.admin) === format(admin));
    if (twin !== undefined) {
      const two = `${twin.node.replace('/', ' ')} and broker ${broker.id}`;
      throw refuse(`The proxy "${proxy.name}" would stand before ${two}.`, 'Give each broker a proxy of its own.');
    }
    links.push({
      path: 'client',
      speaks: 'kafka',
      node: `broker/${broker.id}`,
      admin,
      proxy: proxy.name,
      listen: broker.address,
      upstream: splitAddress(proxy.upstream),
    });
  }
  return links;
};
