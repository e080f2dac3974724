// Everywhere a node can dial another one: at the proxy that lies between them, and at the other's own addresses in networks that both
// are in. What leaves one of them out would cut a way that is not taken.
import type { ContainerControl, Dialled, DialledPlace } from '../targets/container-control.ts';
import type { StartedTarget } from '../targets/target.ts';
import type { PartitionEdge } from './partition-sides.ts';

/** Undefined where the one has no way to the other. */
export const dialledFrom = async (
  { can }: StartedTarget,
  containers: ContainerControl,
  { from, to }: PartitionEdge,
  signal: AbortSignal,
): Promise<Dialled | undefined> => {
  const links = can.links?.all.filter(
    ({ node, shared = [], peer }) => peer === to && (node === from || shared.includes(from)),
  );
  const proxied = links?.map(({ listen: { host, port } }): DialledPlace => ({ host, ports: [port] })) ?? [];
  const own = await containers.endpoints(from, signal);
  const hosts = (await containers.endpoints(to, signal))
    .filter(({ networkId, address }) => address !== '' && own.some((each) => each.networkId === networkId))
    .map(({ address }) => address);
  const ports = hosts.length === 0 ? [] : await containers.listening(to, signal);
  const places = [...proxied, ...(ports.length === 0 ? [] : hosts.map((host) => ({ host, ports })))];
  return places.length === 0 ? undefined : { node: to, places };
};
