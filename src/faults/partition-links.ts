// Which links lie between the two sides of a partition. Pure: the sides come from the victims, the links from the target.
import { EnvironmentError } from '../errors.ts';
import type { Link, NodeId, StartedTarget } from '../targets/target.ts';

export type PartitionDirection = 'both' | 'outgoing' | 'incoming';
export type PartitionSide = 'brokers' | 'controllers' | 'everybody';

const isBetween = (link: Link, victims: readonly NodeId[], direction: PartitionDirection): boolean => {
  const { node, peer } = link;
  if (peer === undefined || node === peer) return false;
  const goesOut = victims.includes(node) && !victims.includes(peer);
  const comesIn = victims.includes(peer) && !victims.includes(node);
  return (goesOut && direction !== 'incoming') || (comesIn && direction !== 'outgoing');
};

/**
 * The links between `victims` and the other side; at least one.
 * @throws EnvironmentError where the target has no path between the two that could be cut.
 */
export const linksAcross = (
  target: StartedTarget,
  victims: readonly NodeId[],
  direction: PartitionDirection,
  from: PartitionSide,
): readonly Link[] => {
  const paths: readonly Link['path'][] =
    from === 'everybody' ? ['internal', 'controller'] : [from === 'brokers' ? 'internal' : 'controller'];
  const links = (target.can.links?.all ?? []).filter(
    (link) => paths.includes(link.path) && isBetween(link, victims, direction),
  );
  if (links.length > 0) return links;
  throw new EnvironmentError(
    'FAULT_UNSUPPORTED',
    `Nothing lies between ${victims.join(', ')} and ${from} that could be cut.`,
    {
      hint: 'Choose fewer victims, or a target with a proxy on each path between brokers.',
    },
  );
};
