// The two sides of a partition: the victims, and those they are cut off from. Who dials whom in Kafka: brokers dial brokers and
// controllers, controllers dial controllers, and nobody else dials anybody. Pure.
import type { NodeId } from '../targets/target.ts';
import type { VictimSelector } from './fault.ts';

/** Seen from the victims: what they dial, what dials them, or both. */
export const PARTITION_DIRECTIONS = ['both', 'outgoing', 'incoming'] as const;
export type PartitionDirection = (typeof PARTITION_DIRECTIONS)[number];

/** Every node of a kind, or nodes by their names. */
export const PARTITION_GROUPS = ['brokers', 'controllers', 'everybody'] as const;
export type PartitionSide = (typeof PARTITION_GROUPS)[number] | readonly NodeId[];

const isBroker = (node: NodeId): boolean => node.startsWith('broker/');
const isController = (node: NodeId): boolean => node === 'controller' || node.startsWith('controller/');

export const isOfSide = (node: NodeId, side: PartitionSide): boolean => {
  if (typeof side !== 'string') return side.includes(node);
  if (side === 'everybody') return isBroker(node) || isController(node);
  return side === 'brokers' ? isBroker(node) : isController(node);
};

export const describeSide = (side: PartitionSide): string => (typeof side === 'string' ? side : side.join(', '));

const dials = (from: NodeId, to: NodeId): boolean =>
  isController(from) ? isController(to) : isController(to) || isBroker(to);

/** Connections of one node to another, by who dials. */
export interface PartitionEdge {
  readonly from: NodeId;
  readonly to: NodeId;
}

/** All connections between `victims` and `others` that are cut. */
export const edgesAcross = (
  victims: readonly NodeId[],
  others: readonly NodeId[],
  direction: PartitionDirection,
): readonly PartitionEdge[] =>
  victims.flatMap((victim) =>
    others.flatMap((other): PartitionEdge[] => [
      ...(direction !== 'incoming' && dials(victim, other) ? [{ from: victim, to: other }] : []),
      ...(direction !== 'outgoing' && dials(other, victim) ? [{ from: other, to: victim }] : []),
    ]),
  );

const isOfControllers = ({ kind }: VictimSelector): boolean => kind.startsWith('controller');

const victimName = (victim: VictimSelector): NodeId | undefined => {
  if (victim.kind === 'node') return victim.node;
  return victim.kind === 'broker' ? `broker/${victim.id}` : undefined;
};

/** What a list of names cannot be for such a victim; a sentence. */
const impossibleNames = (victim: VictimSelector, names: readonly NodeId[]): string | undefined => {
  const name = victimName(victim);
  if (name !== undefined && names.includes(name)) return `${name} cannot be cut off from itself; leave it out of from.`;
  if (!['brokers-minority', 'brokers-majority', 'random'].includes(victim.kind)) return undefined;
  return 'Nodes that are drawn could be those of from; name the victim, or write from: brokers, controllers or everybody.';
};

/** What cannot be cut, whatever the target; a sentence. */
export const impossibleSides = (
  victim: VictimSelector,
  direction: PartitionDirection,
  from: PartitionSide,
): string | undefined => {
  if (from === 'everybody') return undefined;
  const ofNames = typeof from === 'string' ? undefined : impossibleNames(victim, from);
  if (ofNames !== undefined) return ofNames;
  const areControllers = isOfControllers(victim) || isController(victimName(victim) ?? '');
  // One of each kind stands for all of them.
  const others = typeof from === 'string' ? [from === 'controllers' ? 'controller/0' : 'broker/0'] : from;
  if (edgesAcross([areControllers ? 'controller/-' : 'broker/-'], others, direction).length > 0) return undefined;
  return areControllers
    ? 'controllers dial no brokers, so nothing outgoing could be cut; use incoming or both.'
    : 'controllers dial no brokers, so nothing incoming could be cut; use outgoing or both.';
};
