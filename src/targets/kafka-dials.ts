// Where Kafka on one node dials another one, by what their containers' environments tell it: brokers at the advertised inter-broker
// listener, controllers by the quorum's voters or bootstrap servers, and at what a controller advertises itself. A name means what
// it means in the network of whoever dials.
import { EnvironmentError } from '../errors.ts';
import type { ToldAddress } from './container-control.ts';
import { type ContainerFacts, isWildcard } from './container-facts.ts';
import type { DockerEngine } from './docker-engine.ts';
import { splitAddress } from './spec-fields.ts';
import type { Address, NodeId } from './target.ts';

/** What is read of a node. */
export interface ToldNode extends Pick<ContainerFacts, 'id' | 'environment' | 'networks'> {
  readonly node: NodeId;
}

/** An address as it is written, before its name is resolved; without a host: the container's own. */
type WrittenAddress = Omit<ToldAddress, 'written' | 'hosts'> & Pick<Address, 'host'>;

/** One of Kafka's settings, as the images of Apache and others, or those of Bitnami, take it. */
const settingOf = ({ environment }: Pick<ToldNode, 'environment'>, name: string): string | undefined =>
  environment[`KAFKA_${name}`] ?? environment[`KAFKA_CFG_${name}`];

/** By name. One that names no host is told by the name of the container, which is known in its networks only. */
const listenersOf = (written: string | undefined): ReadonlyMap<string, Address> =>
  new Map(
    (written ?? '').split(',').flatMap((each): [string, Address][] => {
      const [, name, place] = /^\s*([^:\s]+):\/\/(\S*)\s*$/u.exec(each) ?? [];
      if (name === undefined || place === undefined) return [];
      const { host, port } = splitAddress(place);
      return [[name.toUpperCase(), { host: isWildcard(host) ? '' : host, port }]];
    }),
  );

const listsOf = (written: string | undefined): readonly string[] =>
  (written ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');

/** What is advertised is told to others; where nothing is, what is listened on. */
const advertisedOf = (node: ToldNode): ReadonlyMap<string, Address> =>
  listenersOf(settingOf(node, 'ADVERTISED_LISTENERS') ?? settingOf(node, 'LISTENERS'));

/** Every port that the environment of a container has its broker tell clients and other brokers. */
export const advertisedPorts = (environment: ToldNode['environment']): readonly number[] =>
  [...listenersOf(settingOf({ environment }, 'ADVERTISED_LISTENERS')).values()].map(({ port }) => port);

const brokerAddress = (from: ToldNode, to: ToldNode): Address | undefined => {
  const name = settingOf(from, 'INTER_BROKER_LISTENER_NAME') ?? settingOf(from, 'SECURITY_INTER_BROKER_PROTOCOL');
  return advertisedOf(to).get((name ?? 'PLAINTEXT').toUpperCase());
};

/** Controllers need not advertise what they listen on. */
const controllerListener = (to: ToldNode): Address | undefined => {
  const [name = 'CONTROLLER'] = listsOf(settingOf(to, 'CONTROLLER_LISTENER_NAMES'));
  return advertisedOf(to).get(name.toUpperCase()) ?? listenersOf(settingOf(to, 'LISTENERS')).get(name.toUpperCase());
};

/**
 * Of a quorum that is written down, its address there and no other: so Apache Kafka 4.1 was seen to do, also where a controller listens
 * in the network of whoever dials, and under another leader. Of a quorum that has servers, any of them and what the controller says
 * of itself.
 */
const controllerAddresses = (from: ToldNode, to: ToldNode): readonly WrittenAddress[] | undefined => {
  const id = settingOf(to, 'NODE_ID') ?? settingOf(to, 'BROKER_ID');
  const voters = listsOf(settingOf(from, 'CONTROLLER_QUORUM_VOTERS')).map((each) => each.split('@'));
  const [, voter] = voters.find(([each]) => each === id) ?? [];
  const servers = listsOf(settingOf(from, 'CONTROLLER_QUORUM_BOOTSTRAP_SERVERS'));
  const written = voter === undefined ? [] : [splitAddress(voter)];
  if (servers.length === 0) return voter === undefined ? undefined : written;
  const own = controllerListener(to);
  if (own === undefined && voter === undefined) return undefined;
  return [
    ...written,
    ...(own === undefined ? [] : [own]),
    ...servers.map((server) => ({ ...splitAddress(server), isAnyController: true })),
  ];
};

const isBroker = ({ node }: ToldNode): boolean => node.startsWith('broker/');
const isController = (each: ToldNode): boolean =>
  !isBroker(each) || listsOf(settingOf(each, 'PROCESS_ROLES')).includes('controller');

/** Everywhere Kafka on `from` is told to dial `to`. @throws EnvironmentError where nothing tells. */
export const writtenDials = (from: ToldNode, to: ToldNode): readonly WrittenAddress[] => {
  const broker = brokerAddress(from, to);
  const controller = isController(to) ? controllerAddresses(from, to) : [];
  if (controller !== undefined && (broker !== undefined || !isBroker(to))) {
    return [...(isBroker(to) && broker !== undefined ? [broker] : []), ...controller];
  }
  const names = isBroker(to)
    ? 'KAFKA_INTER_BROKER_LISTENER_NAME and KAFKA_ADVERTISED_LISTENERS'
    : 'KAFKA_NODE_ID, and KAFKA_CONTROLLER_QUORUM_VOTERS or KAFKA_CONTROLLER_QUORUM_BOOTSTRAP_SERVERS with KAFKA_LISTENERS';
  throw new EnvironmentError(
    'DIAL_UNKNOWN',
    `Nothing in the environment of their containers tells where ${from.node} dials ${to.node}, so it cannot be told what to cut.`,
    { hint: `Configure Kafka by ${names} in the compose file, or use node-isolate.` },
  );
};

/** IPv4 addresses, as getent of glibc or musl prints them. */
export const readHosts = (output: string): readonly string[] => [
  ...new Set([...output.matchAll(/^(\d{1,3}(?:\.\d{1,3}){3})\s/gmu)].map(([, host = '']) => host)),
];

const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/u;
/** Some know no such list (1); a name that is not found (2) is not asked for twice. */
const RESOLVE = 'getent ahostsv4 "$0"; [ $? != 1 ] || getent hosts "$0"';

/** Addresses of a container in networks that another one is in, too. */
const sharedHosts = (from: ToldNode, to: ToldNode): readonly string[] =>
  to.networks
    .filter(({ id, address }) => address !== '' && from.networks.some((network) => network.id === id))
    .map(({ address }) => address);

/** The same with what each name means to programs of the container that dials, by its own resolver. */
export const toldToDial = async (
  engine: Pick<DockerEngine, 'exec'>,
  from: ToldNode,
  to: ToldNode,
  signal: AbortSignal,
): Promise<readonly ToldAddress[]> => {
  const hostsOf = async (host: string): Promise<readonly string[]> => {
    if (host === '') return sharedHosts(from, to);
    if (IPV4.test(host)) return [host];
    return readHosts(await engine.exec(from.id, ['/bin/sh', '-c', RESOLVE, host], signal));
  };
  const told: ToldAddress[] = [];
  for (const { host, ...rest } of writtenDials(from, to)) {
    told.push({ ...rest, written: `${host === '' ? to.node : host}:${rest.port}`, hosts: await hostsOf(host) });
  }
  return told;
};
