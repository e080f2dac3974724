// What is wrong with the sides of a partition on a target of which it is known how many nodes it has: shares that do not exist and nodes
// that are not there. Of the others that is told when the run begins.
import type { FaultSpec } from '../faults/fault-schema.ts';
import type { TargetSpec } from '../targets/target-spec.ts';

export interface SideProblem {
  /** As for all problems of a scenario, without its prefix. */
  readonly code: string;
  readonly message: string;
  /** Below the fault. */
  readonly path: readonly (string | number)[];
}

type Role = 'broker' | 'controller';
type Sizes = Readonly<Record<Role, number>>;

/** A share of fewer leaves nobody on one of the sides. */
const FEWEST = 3;

const SHARES: Readonly<Record<string, Role>> = {
  'brokers-minority': 'broker',
  'brokers-majority': 'broker',
  'controllers-minority': 'controller',
  controllers: 'controller',
};

const sizesOf = (target: TargetSpec): Sizes | undefined =>
  target.kind === 'process' ? { broker: target.brokers, controller: target.controllers } : undefined;

const shareProblems = ({ victim }: FaultSpec, sizes: Sizes): readonly SideProblem[] => {
  const role = SHARES[victim.kind];
  if (role === undefined || sizes[role] >= FEWEST) return [];
  const message = `The target has ${sizes[role]} ${role}s; a minority and a majority that both leave somebody take ${FEWEST} or more.`;
  return [{ code: `TOO_FEW_${role.toUpperCase()}S`, message, path: ['victim'] }];
};

/** A node's name is its role and a number from 1 on. */
const isThere = (node: string, sizes: Sizes): boolean => {
  const [role, number] = node.split('/');
  const count = role === 'broker' ? sizes.broker : sizes.controller;
  return Number(number) >= 1 && Number(number) <= count;
};

const nodeProblems = ({ victim, params }: FaultSpec, sizes: Sizes): readonly SideProblem[] => {
  const { from } = params;
  const named: readonly unknown[] = Array.isArray(from) ? from : [];
  const places = [
    ...(victim.kind === 'node' ? [{ node: victim.node, path: ['victim', 'node'] }] : []),
    ...named.map((node, index) => ({ node: String(node), path: ['params', 'from', index] })),
  ];
  return places
    .filter(({ node }) => !isThere(node, sizes))
    .map(({ node, path }) => {
      const message = `There is no ${node}; the target has ${sizes.broker} brokers and ${sizes.controller} controllers, each counted from 1.`;
      return { code: 'UNKNOWN_NODE', message, path };
    });
};

export const sideProblems = (fault: FaultSpec, target: TargetSpec): readonly SideProblem[] => {
  const sizes = sizesOf(target);
  return sizes === undefined ? [] : [...shareProblems(fault, sizes), ...nodeProblems(fault, sizes)];
};
