// Who is who in a compose project: which container is which node, which proxy carries which path between whom. Nothing is taken
// from a name: nodes and Toxiproxies are told by labels, and a path by facts, namely the network that a proxy listens in and the
// container that its upstream means. Whatever does not map one to one is refused, because a fault would hit somebody else.
import { EnvironmentError } from '../errors.ts';
import type { BrokerId } from '../vocabulary.ts';
import type { ContainerFacts, ContainerNetwork } from './container-facts.ts';
import type { ContainerNode } from './container-roster.ts';
import { advertisedPorts } from './kafka-dials.ts';
import { splitAddress } from './spec-fields.ts';
import type { Address, BrokerNode, Link, NodeId } from './target.ts';

/** On a container that is a node of the cluster: `broker/1`, `controller/1`. */
export const NODE_LABEL = 'ackproof.node';
/** On a Toxiproxy: which path all of its proxies belong to. */
export const PATH_LABEL = 'ackproof.path';

const PATHS = ['client', 'internal', 'controller'] as const;
type KafkaPath = (typeof PATHS)[number];
const ADMIN_PORT = 8474;

/** A proxy as Toxiproxy tells it. */
export interface ProxyRow {
  readonly name: string;
  readonly listen: string;
  readonly upstream: string;
  readonly enabled: boolean;
  readonly toxics: readonly unknown[];
}

/** A Toxiproxy of the project, its control API and what it carries. */
export interface ToxiproxyFacts {
  readonly container: ContainerFacts;
  readonly path: KafkaPath;
  readonly admin: Address;
  readonly proxies: readonly ProxyRow[];
}

export interface ComposeMap {
  readonly nodes: readonly ContainerNode[];
  readonly brokers: readonly BrokerNode[];
  readonly links: readonly Link[];
}

const refuse = (message: string, hint: string): EnvironmentError =>
  new EnvironmentError('TARGET_MAPPING', message, { hint });

const LABELS_HINT = `See docker-compose.yml of ackproof for the labels ${NODE_LABEL} and ${PATH_LABEL}.`;

interface Node {
  readonly node: NodeId;
  readonly container: ContainerFacts;
}

/** The labelled nodes, each once. */
export const nodesOf = (containers: readonly ContainerFacts[]): readonly Node[] => {
  const nodes = containers.flatMap((container) => {
    const node = container.labels[NODE_LABEL];
    return node === undefined ? [] : [{ node, container }];
  });
  for (const { node, container } of nodes) {
    if (!/^(broker|controller)\/\d+$/u.test(node)) {
      throw refuse(
        `The container ${container.name} is labelled ${NODE_LABEL}=${node}.`,
        'Write broker/1 or controller/1.',
      );
    }
    const twin = nodes.find((other) => other.node === node && other.container !== container);
    if (twin === undefined) continue;
    throw refuse(
      `${node} is two containers, ${container.name} and ${twin.container.name}.`,
      'Do not scale its service.',
    );
  }
  if (nodes.some(({ node }) => node.startsWith('broker/'))) {
    return nodes.sort((one, other) => one.node.localeCompare(other.node, 'en', { numeric: true }));
  }
  throw refuse(`None of the project's ${containers.length} containers is labelled as a broker.`, LABELS_HINT);
};

/** The labelled Toxiproxies with the address of their control API; what they carry is asked there. */
export const toxiproxiesOf = (containers: readonly ContainerFacts[]): readonly Omit<ToxiproxyFacts, 'proxies'>[] =>
  containers.flatMap((container) => {
    const written = container.labels[PATH_LABEL];
    if (written === undefined) return [];
    const path = PATHS.find((each) => each === written);
    if (path === undefined) {
      throw refuse(
        `The container ${container.name} is labelled ${PATH_LABEL}=${written}.`,
        `Write ${PATHS.join(', ')}.`,
      );
    }
    const admin = container.published.find(({ containerPort }) => containerPort === ADMIN_PORT);
    if (admin !== undefined) return [{ container, path, admin: { host: admin.host, port: admin.port } }];
    throw refuse(`${container.name} does not publish its control API.`, `Publish its port ${ADMIN_PORT} on 127.0.0.1.`);
  });

/** The network of `toxiproxy` in which `host` names the container of `node`. */
const networkTo = (toxiproxy: ContainerFacts, { container }: Node, host: string): ContainerNetwork | undefined =>
  container.networks.find(
    (network) =>
      toxiproxy.networks.some(({ id }) => id === network.id) &&
      (network.aliases.includes(host) || network.address === host),
  );

/** Whom a proxy dials. */
const dialled = ({ container }: ToxiproxyFacts, proxy: ProxyRow, nodes: readonly Node[]) => {
  const { host, port } = splitAddress(proxy.upstream);
  const found = nodes.flatMap((each) => {
    const network = networkTo(container, each, host);
    return network === undefined ? [] : [{ node: each.node, upstream: { host: network.address, port } }];
  });
  const [only, second] = found;
  if (only !== undefined && second === undefined) return only;
  const what = second === undefined ? 'no node of the project' : found.map(({ node }) => node).join(' and ');
  throw refuse(
    `The proxy ${proxy.name} of ${container.name} leads to ${proxy.upstream}, which is ${what}.`,
    'Let each proxy lead to one labelled container, by its name in a network they share.',
  );
};

/** Whose network a proxy listens in: that broker's machine, and no other broker's; who else is there. */
const diallers = (
  { container }: ToxiproxyFacts,
  proxy: ProxyRow,
  nodes: readonly Node[],
): Pick<Link, 'node' | 'shared'> => {
  const { host } = splitAddress(proxy.listen);
  const network = container.networks.find(({ address }) => address === host);
  const there = nodes.filter(({ container: of }) => of.networks.some(({ id }) => id === network?.id));
  const brokers = there.filter(({ node }) => node.startsWith('broker/'));
  const [only, second] = brokers;
  if (only !== undefined && second === undefined) {
    const shared = there.filter((each) => each !== only).map(({ node }) => node);
    return { node: only.node, ...(shared.length > 0 && { shared }) };
  }
  throw refuse(
    `The proxy ${proxy.name} of ${container.name} listens at ${proxy.listen}, where ${brokers.length} brokers can dial it.`,
    'Give each broker a network of its own, and let the proxy listen at its address in that network only.',
  );
};

const refuseLeftover = ({ container }: ToxiproxyFacts, { name, enabled, toxics }: ProxyRow): void => {
  if (enabled && toxics.length === 0) return;
  const what = enabled ? `has ${toxics.length} toxics` : 'is closed';
  throw new EnvironmentError(
    'TARGET_FAULT_LEFT',
    `The proxy ${name} of ${container.name} ${what}: a fault was left behind.`,
    {
      hint: 'Put it back first: ackproof heal --all, or restart that container.',
    },
  );
};

const clientLink = (toxiproxy: ToxiproxyFacts, proxy: ProxyRow, nodes: readonly Node[]): Link => {
  const { container, admin } = toxiproxy;
  const { node, upstream } = dialled(toxiproxy, proxy, nodes);
  const { port } = splitAddress(proxy.listen);
  const published = container.published.find(({ containerPort }) => containerPort === port);
  if (published === undefined) {
    throw refuse(
      `${container.name} does not publish port ${port} of its proxy ${proxy.name}.`,
      'Publish it for clients.',
    );
  }
  const listen = { host: published.host, port: published.port };
  return { path: 'client', speaks: 'kafka', node, admin, proxy: proxy.name, listen, upstream };
};

const linkOf = (toxiproxy: ToxiproxyFacts, proxy: ProxyRow, nodes: readonly Node[]): Link => {
  refuseLeftover(toxiproxy, proxy);
  const { path, admin } = toxiproxy;
  if (path === 'client') return clientLink(toxiproxy, proxy, nodes);
  const { node: peer, upstream } = dialled(toxiproxy, proxy, nodes);
  const role = path === 'internal' ? 'broker' : 'controller';
  if (!peer.startsWith(`${role}/`)) {
    throw refuse(`The proxy ${proxy.name} of the ${path} path leads to ${peer}, which is no ${role}.`, LABELS_HINT);
  }
  const { node, shared } = diallers(toxiproxy, proxy, nodes);
  // Inside a Docker network: a Linux host reaches it there, elsewhere a canary cannot.
  const listen = splitAddress(proxy.listen);
  const carries = path === 'controller' && shared !== undefined ? { shared } : {};
  return { path, speaks: 'kafka', node, peer, ...carries, admin, proxy: proxy.name, listen, upstream };
};

const refuseTwins = (links: readonly Link[]): void => {
  for (const link of links) {
    const twin = links.find(
      (other) => other !== link && other.path === link.path && other.node === link.node && other.peer === link.peer,
    );
    if (twin === undefined) continue;
    const way = link.peer === undefined ? link.node : `${link.node} to ${link.peer}`;
    throw refuse(
      `The proxies ${link.proxy} and ${twin.proxy} both carry the ${link.path} path of ${way}.`,
      'Keep one.',
    );
  }
};

/** The published port that is asked for evidence: the only one, or of several the only one that the broker advertises. */
const directOf = ({ node, container }: Node, { proxies }: { readonly proxies: boolean }): Address => {
  const { published, environment } = container;
  const told = advertisedPorts(environment);
  const [one, ...others] = published.length > 1 ? published.filter(({ port }) => told.includes(port)) : published;
  if (one !== undefined && others.length === 0) return { host: one.host, port: one.port };
  const what = published.length < 2 ? 'no port' : `${published.length} ports`;
  throw refuse(
    `${node} publishes ${what}; the one for evidence cannot be told.`,
    proxies
      ? 'Publish just the port of its direct listener, or let it advertise no more than one of them.'
      : 'Publish just the port of the listener for clients on this machine, or let it advertise no more than one of them.',
  );
};

/** Clients reach a broker through its proxy; where there is none in the whole project, at the port it publishes. */
const brokerOf = (broker: Node, links: readonly Link[]): BrokerNode => {
  const { node } = broker;
  const clients = links.filter(({ path }) => path === 'client');
  const own = clients.find((link) => link.node === node);
  if (own === undefined && clients.length > 0) {
    throw refuse(`No proxy of the client path leads to ${node}.`, 'Add one, and let the broker advertise its address.');
  }
  const direct = directOf(broker, { proxies: own !== undefined });
  const id = Number(node.slice('broker/'.length)) as BrokerId;
  return { id, node, advertised: own?.listen ?? direct, direct };
};

/** Maps a project. @throws EnvironmentError with a sentence about the first thing that does not map one to one. */
export const mapProject = (
  containers: readonly ContainerFacts[],
  toxiproxies: readonly ToxiproxyFacts[],
): ComposeMap => {
  const nodes = nodesOf(containers);
  const links = toxiproxies.flatMap((toxiproxy) => toxiproxy.proxies.map((proxy) => linkOf(toxiproxy, proxy, nodes)));
  refuseTwins(links);
  return {
    nodes: nodes.map(({ node, container }) => ({ node, id: container.id })),
    brokers: nodes.filter(({ node }) => node.startsWith('broker/')).map((each) => brokerOf(each, links)),
    links,
  };
};
