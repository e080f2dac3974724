// Which links lie between the two sides of a partition. Pure: the sides come from the victims, the links from the target.
import { EnvironmentError } from '../errors.ts';
import type { Link, NodeId, StartedTarget } from '../targets/target.ts';
import { carries } from './dialled.ts';
import {
  describeSide,
  isOfSide,
  type PartitionDirection,
  type PartitionEdge,
  type PartitionSide,
} from './partition-sides.ts';

/** A cut by proxies. */
interface LinkCut {
  /** At least one. */
  readonly links: readonly Link[];
  /** Nodes that dial through the same proxies, although nobody asked to cut them off. */
  readonly alongside: readonly NodeId[];
}

/** Who dials through a link. */
const diallersOf = ({ node, shared = [] }: Link): readonly NodeId[] => [node, ...shared];

/** The diallers of a link that are to be cut off from its other end. */
const askedOf = (
  link: Link,
  victims: readonly NodeId[],
  direction: PartitionDirection,
  from: PartitionSide,
): readonly NodeId[] => {
  const { peer } = link;
  if (peer === undefined) return [];
  const isVictim = (node: NodeId): boolean => victims.includes(node);
  return diallersOf(link).filter((dialler) => {
    if (dialler === peer || isVictim(dialler) === isVictim(peer)) return false;
    const goesOut = isVictim(dialler);
    if (direction === (goesOut ? 'incoming' : 'outgoing')) return false;
    return isOfSide(goesOut ? peer : dialler, from);
  });
};

/**
 * The links between `victims` and the other side.
 * @throws EnvironmentError where the target has no path between the two that could be cut.
 */
export const linksAcross = (
  target: StartedTarget,
  victims: readonly NodeId[],
  direction: PartitionDirection,
  from: PartitionSide,
): LinkCut => {
  const all = (target.can.links?.all ?? []).filter(({ path }) => path === 'internal' || path === 'controller');
  const cut = all
    .map((link) => ({ link, asked: askedOf(link, victims, direction, from) }))
    .filter(({ asked }) => asked.length > 0);
  if (cut.length > 0) {
    const along = cut.flatMap(({ link, asked }) =>
      diallersOf(link).filter((dialler) => dialler !== link.peer && !asked.includes(dialler)),
    );
    return { links: cut.map(({ link }) => link), alongside: [...new Set(along)].sort() };
  }
  throw new EnvironmentError(
    'FAULT_UNSUPPORTED',
    `No proxy lies between ${victims.join(', ')} and ${describeSide(from)} that could cut them off.`,
    {
      hint: 'Choose fewer victims, or a target with a proxy on each path between brokers, or backend: netns on Docker.',
    },
  );
};

/** @throws EnvironmentError where one of these connections goes through none of these links, and would not be cut. */
export const refuseUnproxied = (edges: readonly PartitionEdge[], links: readonly Link[]): void => {
  const open = edges.find((edge) => !links.some((link) => carries(link, edge)));
  if (open === undefined) return;
  throw new EnvironmentError(
    'FAULT_UNSUPPORTED',
    `No proxy lies between ${open.from} and ${open.to}, so what the one dials of the other cannot be cut by proxies.`,
    { hint: 'Name in from only nodes with a proxy between, or use backend: netns on Docker.' },
  );
};
