// Everywhere a node can dial another one: at the proxy that lies between them, and at the other's own addresses in networks that both
// are in. What leaves one of them out would cut a way that is not taken, and tries there would show a cut that nobody else feels: so
// these must be the places where Kafka dials by its own settings, and stay so.
import { EnvironmentError } from '../errors.ts';
import type { ContainerControl, Dialled, DialledPlace } from '../targets/container-control.ts';
import type { Link, NodeId, StartedTarget } from '../targets/target.ts';
import type { PartitionEdge } from './partition-sides.ts';

/** The addresses of the one in networks that the other is in, too. */
const sharedHosts = async (
  containers: ContainerControl,
  { from, to }: PartitionEdge,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const own = await containers.endpoints(from, signal);
  return (await containers.endpoints(to, signal))
    .filter(({ networkId, address }) => address !== '' && own.some((each) => each.networkId === networkId))
    .map(({ address }) => address);
};

/** Whether a link carries what one dials of the other. */
export const carries = ({ node, shared = [], peer }: Link, { from, to }: PartitionEdge): boolean =>
  peer === to && (node === from || shared.includes(from));

const placesOf = (links: readonly Link[], edge: PartitionEdge): readonly DialledPlace[] =>
  links.filter((link) => carries(link, edge)).map(({ listen: { host, port } }) => ({ host, ports: [port] }));

/** Undefined where the one has no way to the other. */
export const dialledFrom = async (
  { can }: StartedTarget,
  containers: ContainerControl,
  edge: PartitionEdge,
  signal: AbortSignal,
): Promise<Dialled | undefined> => {
  const { to } = edge;
  const proxied = placesOf(can.links?.all ?? [], edge);
  const hosts = await sharedHosts(containers, edge, signal);
  const ports = hosts.length === 0 ? [] : await containers.listening(to, signal);
  const places = [...proxied, ...(ports.length === 0 ? [] : hosts.map((host) => ({ host, ports })))];
  return places.length === 0 ? undefined : { node: to, places };
};

/** For people. */
export const describePlaces = (places: readonly DialledPlace[]): string =>
  places.map(({ host, ports }) => `${host}:${ports.join(',')}`).join(' or ');

const isAmong = (places: readonly DialledPlace[], host: string, port: number): boolean =>
  places.some((place) => place.host === host && place.ports.includes(port));

/** Where a node reaches controllers other than `but`, itself among them. */
const controllersFrom = async (
  target: StartedTarget,
  containers: ContainerControl,
  { from, to: but }: PartitionEdge,
  signal: AbortSignal,
): Promise<readonly DialledPlace[]> => {
  const places: DialledPlace[] = [];
  for (const { node } of target.controllers ?? []) {
    if (node === but) continue;
    const dialled = await dialledFrom(target, containers, { from, to: node }, signal);
    places.push(...(dialled?.places ?? []));
  }
  return places;
};

/** @throws EnvironmentError where Kafka dials the other one elsewhere than in these places, or nothing tells where. */
export const refuseOtherWays = async (
  target: StartedTarget,
  containers: ContainerControl,
  edge: PartitionEdge,
  { places }: Dialled,
  signal: AbortSignal,
): Promise<void> => {
  const refuse = (where: string): EnvironmentError =>
    new EnvironmentError(
      'FAULT_OTHER_WAY',
      `Kafka on ${edge.from} dials ${edge.to} at ${where}; what could be cut is ${describePlaces(places)}.`,
      {
        hint: 'Let nodes dial each other by a listener in a network that both are in, or by a proxy of the internal or controller path; or use node-isolate.',
      },
    );
  const told = await containers.toldToDial(edge.from, edge.to, signal);
  const lost = told.find(({ hosts }) => hosts.length > 0) === undefined;
  if (lost) throw refuse(`${told.map(({ written }) => written).join(', ')}, which means nothing there`);
  let others: readonly DialledPlace[] | undefined;
  for (const { written, hosts, port, isAnyController } of told) {
    for (const host of hosts.filter((each) => !isAmong(places, each, port))) {
      if (isAnyController) others ??= await controllersFrom(target, containers, edge, signal);
      if (isAnyController && isAmong(others ?? [], host, port)) continue;
      const address = `${host}:${port}`;
      throw refuse(address === written ? address : `${address} (${written})`);
    }
  }
};

/**
 * The same of a cut by proxies, where the settings of containers tell who is dialled where.
 * @throws EnvironmentError where Kafka dials past the proxies between two nodes, or nothing tells where.
 */
export const refusePastProxies = async (
  target: StartedTarget,
  edges: readonly PartitionEdge[],
  links: readonly Link[],
  signal: AbortSignal,
): Promise<void> => {
  const { containers } = target.can;
  if (containers === undefined) return;
  const lookFrom = async (node: NodeId): Promise<void> => {
    for (const edge of edges.filter(({ from }) => from === node)) {
      await refuseOtherWays(target, containers, edge, { node: edge.to, places: placesOf(links, edge) }, signal);
    }
  };
  await Promise.all([...new Set(edges.map(({ from }) => from))].map(lookFrom));
};

/** An address of the other one at which it can be dialled by now, and which is none of its places; undefined while there is none. */
export const strayHost = async (
  containers: ContainerControl,
  edge: PartitionEdge,
  { places }: Dialled,
  signal: AbortSignal,
): Promise<string | undefined> =>
  (await sharedHosts(containers, edge, signal)).find((host) => !places.some((place) => place.host === host));
