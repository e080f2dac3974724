// Makes a partition ready, by proxies or by packet filters. Proxies are chosen where they separate just what is to be cut: the same
// proxy often carries what a controller says and what the broker beside it says, and where no proxy lies on a path it cannot be cut.
import { EnvironmentError } from '../errors.ts';
import type { NodeId, StartedTarget } from '../targets/target.ts';
import type { BackendChoice } from './backend-choice.ts';
import { refusePastProxies } from './dialled.ts';
import type { FaultContext, PreparedFault, VictimSelector } from './fault.ts';
import { toxicPrefix } from './fault-names.ts';
import { failsAs } from './link-effects.ts';
import { prepareLinkFault } from './link-fault.ts';
import { preparePacketPartition } from './packet-partition.ts';
import { linksAcross, refuseUnproxied } from './partition-links.ts';
import {
  describeSide,
  edgesAcross,
  isOfSide,
  type PartitionDirection,
  type PartitionEdge,
  type PartitionSide,
} from './partition-sides.ts';
import { swallowBoth } from './toxics.ts';
import { requireCapability, resolveVictims, type Victims } from './victim.ts';

interface PartitionParams {
  readonly direction: PartitionDirection;
  readonly from: PartitionSide;
  readonly backend: BackendChoice;
}

/** Those of the other side. @throws EnvironmentError where one that is named is not there, or nobody is left. */
const othersOf = (
  { brokers, controllers = [] }: StartedTarget,
  victims: Victims,
  from: PartitionSide,
): readonly NodeId[] => {
  const all = [...brokers, ...controllers].map(({ node }) => node);
  const missing = typeof from === 'string' ? undefined : from.find((node) => !all.includes(node));
  if (missing !== undefined) {
    throw new EnvironmentError('VICTIM_UNKNOWN', `There is no node ${missing}; the target has ${all.join(', ')}.`, {
      hint: 'Name a node of the target under `from`.',
    });
  }
  return all.filter((node) => !victims.nodes.includes(node) && isOfSide(node, from));
};

/** Whether a proxy carries just that: somebody's connections to that peer, and of a controller nobody else's. */
const isProxied = ({ can }: StartedTarget, { from, to }: PartitionEdge): boolean =>
  can.links?.all.some(({ node, peer }) => node === from && peer === to) === true;

const byProxies = async (
  context: FaultContext,
  victims: Victims,
  { direction, from }: PartitionParams,
  edges: readonly PartitionEdge[],
  signal: AbortSignal,
): Promise<PreparedFault> => {
  const { links, alongside } = linksAcross(context.target, victims.nodes, direction, from);
  refuseUnproxied(edges, links);
  await refusePastProxies(context.target, edges, links, signal);
  const others = alongside.filter((node) => !victims.nodes.includes(node));
  const told =
    others.length === 0 ? '' : `; the same proxies carry what ${others.join(', ')} dial, which is cut as well`;
  return await prepareLinkFault(
    {
      fault: 'network-partition',
      context,
      victims: { ...victims, chosen: `${victims.chosen}, cut off from ${describeSide(from)} by proxies${told}` },
      path: links.every(({ path }) => path === 'controller') ? 'controller' : 'internal',
      links,
      alongside: others,
      change: { enabled: true, toxics: swallowBoth(toxicPrefix(context)) },
      effect: failsAs(['timeout'], ['timeout']),
    },
    signal,
  );
};

/** @throws EnvironmentError where nothing lies between the two sides, or nothing that this target can cut. */
export const preparePartition = async (
  context: FaultContext,
  selector: VictimSelector,
  given: PartitionParams,
  signal: AbortSignal,
): Promise<PreparedFault> => {
  const { target } = context;
  requireCapability(target.can.links, 'links', target);
  const victims = await resolveVictims(context, selector, signal);
  const { direction, from, backend } = given;
  const others = othersOf(target, victims, from);
  const edges = edgesAcross(victims.nodes, others, direction);
  const isSeparable = edges.every((edge) => isProxied(target, edge));
  const byPackets = backend === 'netns' || (backend === 'auto' && target.can.containers !== undefined && !isSeparable);
  if (!byPackets) return await byProxies(context, victims, given, edges, signal);
  const containers = requireCapability(target.can.containers, 'containers', target);
  return await preparePacketPartition(
    { context, containers, victims, edges, others, from: describeSide(from) },
    signal,
  );
};
