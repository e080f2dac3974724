// Nodes that cannot reach each other, while clients reach all of them: what is said between the victims and the other side vanishes,
// on connections of one direction or of both. What is lost is told by silence only, as in a network that drops packets. Proxies do it
// where one lies on each path that is cut, else the packet filters of the nodes' containers (docs/decisions/0011).
import { z } from 'zod';
import type { PathName } from '../targets/target.ts';
import { backendOf } from './backend-choice.ts';
import type { FaultDefinition } from './fault.ts';
import { QUORUM_LOSS } from './fault-params.ts';
import { impossibleSides, PARTITION_DIRECTIONS, PARTITION_GROUPS, type PartitionSide } from './partition-sides.ts';
import { nodeNameField } from './victim-schema.ts';

const params = {
  /** Seen from the victims: what they dial, what dials them, or both. */
  direction: z.enum(PARTITION_DIRECTIONS).prefault('both'),
  /** Whom they are cut off from: every node of a kind, or nodes by their names. */
  from: z
    .union([z.enum(PARTITION_GROUPS), z.array(nodeNameField()).min(1, 'Name at least one node.')], {
      error: 'Write brokers, controllers, everybody, or nodes by their names: [broker/2, controller/1].',
    })
    .prefault('everybody')
    .meta({ examples: ['brokers', 'controllers', 'everybody', ['broker/2', 'controller/1']] }),
};

/** The paths between brokers and such a side, in one direction or the other. */
const pathsTo = (from: PartitionSide): readonly PathName[] => {
  if (from === 'everybody') return ['internal', 'controller'];
  const isOf = (kind: string): boolean =>
    typeof from === 'string' ? from === `${kind}s` : from.some((node) => node.startsWith(kind));
  return [...(isOf('broker') ? (['internal'] as const) : []), ...(isOf('controller') ? (['controller'] as const) : [])];
};

export const networkPartition = {
  kind: 'network-partition',
  summary:
    'Cuts brokers or controllers off from other brokers, from controllers, or from both, in one direction or in both; clients still reach them. A proxy that a broker shares with the controller of its machine cuts off both.',
  recovery: 'healable',
  requires: ['links'],
  paths: ({ from }) => pathsTo(from),
  backends: ['toxiproxy', 'netns'],
  victims: [
    'leaderOf',
    'followerOf',
    'followersOf',
    'broker',
    'random',
    'brokers-minority',
    'brokers-majority',
    'controller',
    'controllers-minority',
    'controllers',
    'node',
  ],
  duration: 'required',
  mayAllow: [QUORUM_LOSS],
  params,
  changes: () => ({
    meanwhile:
      'the proxies between the two sides, or the packet filters of the nodes that dial, by a chain of its own and from a container beside each',
    undo: 'each proxy is made what it was, field by field; the chain goes, and every other rule is compared with what it was',
  }),
  mismatch: (victim, { direction, from }) => impossibleSides(victim, direction, from),
  prepare: async (context, selector, given, signal) => {
    const { preparePartition } = await import('./partition.ts');
    return await preparePartition(context, selector, { ...given, backend: backendOf(given) }, signal);
  },
} satisfies FaultDefinition<typeof params>;
