// Who a fault hits. Leadership is asked on the evidence listeners when the fault is prepared, some seconds before it acts, and once
// more right before that (still-chosen.ts); random choices come from a seeded stream, and what was chosen is told in words, so that a
// rerun can be compared.
import { systemClock } from '../clock.ts';
import { EnvironmentError } from '../errors.ts';
import type { BrokerNode, NodeId, StartedTarget } from '../targets/target.ts';
import type { FaultContext, VictimSelector } from './fault.ts';
import { QUORUM_LOSS } from './fault-params.ts';
import { askAnyMetadata, type PartitionView } from './probes/cluster-metadata.ts';
import { askQuorumLeader } from './probes/quorum.ts';

/** What to do where nobody can be chosen. */
const OTHER_VICTIM =
  'Choose another victim, or see that the target has it and that it is well before the fault begins.';

export interface Victims {
  readonly nodes: readonly NodeId[];
  /** Those of them that are brokers. */
  readonly brokers: readonly BrokerNode[];
  readonly chosen: string;
}

const LEADER_WAIT_MS = 5000;
const LEADER_POLL_MS = 100;

const byNode = (one: BrokerNode, other: BrokerNode): number => one.id - other.id;

const victimsOf = (brokers: readonly BrokerNode[], chosen: string): Victims => ({
  nodes: brokers.map((broker) => broker.node),
  brokers,
  chosen,
});

const brokerOf = (target: StartedTarget, id: number): BrokerNode => {
  const found = target.brokers.find((broker) => broker.id === id);
  if (found !== undefined) return found;
  const known = target.brokers.map((broker) => broker.id).join(', ');
  throw new EnvironmentError('VICTIM_UNKNOWN', `There is no broker ${id}; the target has ${known}.`, {
    hint: 'Name one of these in the scenario, or choose by leaderOf.',
  });
};

/** The partition once somebody leads it. */
const ledPartition = async (
  context: FaultContext,
  alias: string,
  partition: number,
  signal: AbortSignal,
): Promise<PartitionView> => {
  const topic = context.topicName(alias);
  const until = systemClock.now() + LEADER_WAIT_MS;
  for (;;) {
    const view = await askAnyMetadata(context.target.evidenceBootstrap, signal, context.target.security);
    const found = view.partitions.find((each) => each.topic === topic && each.partition === partition);
    if (found !== undefined && found.leader >= 0) return found;
    if (systemClock.now() > until) {
      const seen = found === undefined ? 'does not exist' : 'has no leader';
      throw new EnvironmentError(
        'VICTIM_UNKNOWN',
        `Partition ${alias}/${partition} ${seen}, so nobody can be chosen by it.`,
        { hint: OTHER_VICTIM },
      );
    }
    await systemClock.sleep(LEADER_POLL_MS, signal);
  }
};

/** The in-sync followers, sorted; at least one. */
const followersOf = (partition: PartitionView, alias: string): readonly number[] => {
  const followers = partition.inSync.filter((id) => id !== partition.leader).sort((one, other) => one - other);
  if (followers.length === 0) {
    throw new EnvironmentError('VICTIM_UNKNOWN', `Partition ${alias}/${partition.partition} has no in-sync follower.`, {
      hint: 'Use a replication factor above 1, or choose by leaderOf.',
    });
  }
  return followers;
};

const oneFollowerOf = (context: FaultContext, partition: PartitionView, alias: string): Victims => {
  const id = context.random.pick(followersOf(partition, alias));
  const chosen = `broker ${id}, a follower of ${alias}/${partition.partition} (led by ${partition.leader})`;
  return victimsOf([brokerOf(context.target, id)], chosen);
};

const everyFollowerOf = ({ target }: FaultContext, partition: PartitionView, alias: string): Victims => {
  const ids = followersOf(partition, alias);
  const chosen = `brokers ${ids.join(', ')}, the followers of ${alias}/${partition.partition} (led by ${partition.leader})`;
  return victimsOf(
    ids.map((id) => brokerOf(target, id)),
    chosen,
  );
};

const randomBrokers = (context: FaultContext, count: number): Victims => {
  const brokers = [...context.target.brokers].sort(byNode);
  if (count > brokers.length) {
    throw new EnvironmentError('VICTIM_UNKNOWN', `${count} brokers were to be hit, the target has ${brokers.length}.`, {
      hint: OTHER_VICTIM,
    });
  }
  const victims = context.random.shuffle(brokers).slice(0, count).sort(byNode);
  return victimsOf(victims, `${victims.map((victim) => victim.node).join(', ')}, by the seed`);
};

/** A node that is no broker, by the beginning of its name. */
const soleNode = (target: StartedTarget, prefix: string): Victims => {
  const node = target.can.processes?.nodes.find((each) => each === prefix || each.startsWith(`${prefix}/`));
  if (node !== undefined) return { nodes: [node], brokers: [], chosen: `${node}, the only one` };
  throw new EnvironmentError('VICTIM_UNKNOWN', `The target has no ${prefix} that ackproof can act on.`, {
    hint: OTHER_VICTIM,
  });
};

/** The controller that leads the quorum, where there are several. */
const activeController = async (target: StartedTarget, signal: AbortSignal): Promise<Victims> => {
  const { controllers = [] } = target;
  if (controllers.length === 0) return soleNode(target, 'controller');
  const id = await askQuorumLeader(controllers, signal);
  const found = controllers.find((each) => each.id === id);
  if (found !== undefined) return { nodes: [found.node], brokers: [], chosen: `${found.node}, which leads the quorum` };
  throw new EnvironmentError('VICTIM_UNKNOWN', `Controller ${id} leads the quorum, and the target has no such node.`, {
    hint: OTHER_VICTIM,
  });
};

/** How many are a minority and a majority of so many. */
const sharesOf = (count: number) => ({ minority: Math.floor((count - 1) / 2), majority: Math.floor(count / 2) + 1 });

const tooFew = (what: string, share: string): EnvironmentError =>
  new EnvironmentError('VICTIM_UNKNOWN', `The target has too few ${what} to hit a ${share} and spare one.`, {
    hint: `Use a target of three ${what} or more.`,
  });

/** The leading controller and, by the seed, as many others as are no majority yet. */
const controllerMinority = async ({ target, random }: FaultContext, signal: AbortSignal): Promise<Victims> => {
  const { controllers = [] } = target;
  const leader = await activeController(target, signal);
  const { minority } = sharesOf(controllers.length);
  if (minority === 0) throw tooFew('controllers', 'minority');
  const others = controllers.map(({ node }) => node).filter((node) => !leader.nodes.includes(node));
  const nodes = [...leader.nodes, ...random.shuffle(others.sort()).slice(0, minority - 1)].sort();
  return { nodes, brokers: [], chosen: `${nodes.join(', ')}, a minority with ${leader.nodes.join(', ')}, which leads` };
};

const shareOfBrokers = ({ target, random }: FaultContext, share: 'minority' | 'majority'): Victims => {
  const count = sharesOf(target.brokers.length)[share];
  if (count === 0 || count === target.brokers.length) throw tooFew('brokers', share);
  const victims = random
    .shuffle([...target.brokers].sort(byNode))
    .slice(0, count)
    .sort(byNode);
  return victimsOf(victims, `${victims.map(({ node }) => node).join(', ')}, a ${share} of the brokers, by the seed`);
};

/** A node by its name. */
const namedNode = (target: StartedTarget, node: NodeId): Victims => {
  const broker = target.brokers.find((each) => each.node === node);
  if (broker !== undefined) return victimsOf([broker], `${node}, by its name`);
  if (target.controllers?.some((each) => each.node === node) === true) {
    return { nodes: [node], brokers: [], chosen: `${node}, by its name` };
  }
  const known = [...target.brokers, ...(target.controllers ?? [])].map((each) => each.node).join(', ');
  throw new EnvironmentError('VICTIM_UNKNOWN', `There is no node ${node}; the target has ${known}.`, {
    hint: OTHER_VICTIM,
  });
};

/** The leading controller and, by the seed, as many others as make a majority: what is left cannot elect anybody. */
const controllerMajority = async (context: FaultContext, signal: AbortSignal): Promise<Victims> => {
  const { target, random, allow = [] } = context;
  if (!allow.includes(QUORUM_LOSS)) {
    throw new EnvironmentError('FAULT_QUORUM_LOSS', 'The fault would take the majority of the controllers away.', {
      hint: `Add ${QUORUM_LOSS} to its allow, or hit {controller: leader} only.`,
    });
  }
  const { controllers = [] } = target;
  const leader = await activeController(target, signal);
  const others = controllers.filter(({ node }) => !leader.nodes.includes(node)).map(({ node }) => node);
  const { majority } = sharesOf(controllers.length);
  if (others.length === 0 || majority === controllers.length) throw tooFew('controllers', 'majority');
  const nodes = [...leader.nodes, ...random.shuffle(others.sort()).slice(0, majority - 1)].sort();
  return { nodes, brokers: [], chosen: `${nodes.join(', ')}, a majority with ${leader.nodes.join(', ')}, which leads` };
};

/** The leading one, and so many others. */
const controllersBy = async (
  kind: 'controller' | 'controllers' | 'controllers-minority',
  context: FaultContext,
  signal: AbortSignal,
): Promise<Victims> => {
  if (kind === 'controller') return await activeController(context.target, signal);
  return await (kind === 'controllers' ? controllerMajority : controllerMinority)(context, signal);
};

/** Those that a partition of a topic tells of. */
const victimsByPartition = async (
  context: FaultContext,
  { kind, topic, partition }: Extract<VictimSelector, { readonly partition: number }>,
  signal: AbortSignal,
): Promise<Victims> => {
  const led = await ledPartition(context, topic, partition, signal);
  if (kind === 'followerOf') return oneFollowerOf(context, led, topic);
  if (kind === 'followersOf') return everyFollowerOf(context, led, topic);
  const chosen = `broker ${led.leader}, the leader of ${topic}/${partition} in epoch ${led.epoch}`;
  return victimsOf([brokerOf(context.target, led.leader)], chosen);
};

type ControllerSelector = Extract<VictimSelector, { readonly kind: `controller${string}` }>;

const isOfControllers = (selector: VictimSelector): selector is ControllerSelector =>
  selector.kind.startsWith('controller');

/** Resolves a selector now. Same seed, same cluster: same victims. */
export const resolveVictims = async (
  context: FaultContext,
  selector: VictimSelector,
  signal: AbortSignal,
): Promise<Victims> => {
  const { target } = context;
  if ('partition' in selector) return await victimsByPartition(context, selector, signal);
  if (selector.kind === 'brokers-minority') return shareOfBrokers(context, 'minority');
  if (selector.kind === 'brokers-majority') return shareOfBrokers(context, 'majority');
  if (isOfControllers(selector)) return await controllersBy(selector.kind, context, signal);
  switch (selector.kind) {
    case 'all':
      return victimsOf([...target.brokers].sort(byNode), 'every broker');
    case 'broker':
      return victimsOf([brokerOf(target, selector.id)], `broker ${selector.id}, by its id`);
    case 'random':
      return randomBrokers(context, selector.count);
    case 'node':
      return namedNode(target, selector.node);
    case 'object-store':
    case 'volume':
      return soleNode(target, selector.kind);
  }
};

/** A capability that the fault's declaration requires. @throws EnvironmentError when the target lacks it. */
export const requireCapability = <T>(capability: T | undefined, name: string, target: StartedTarget): T => {
  if (capability !== undefined) return capability;
  throw new EnvironmentError('FAULT_UNSUPPORTED', `The target ${target.description.name} offers no ${name}.`, {
    hint: 'Choose another fault, or a target that offers it (`ackproof list targets`).',
  });
};

/** The victims of a fault of connections. @throws EnvironmentError also when the target has no links to act on. */
export const resolveLinkVictims = async (
  context: FaultContext,
  selector: VictimSelector,
  signal: AbortSignal,
): Promise<Victims> => {
  requireCapability(context.target.can.links, 'links', context.target);
  return await resolveVictims(context, selector, signal);
};

/** Taking every broker down at once is a fault of its own, with its own permission. */
export const refuseFullOutage = (fault: string, victims: Victims, brokersInAll: number): void => {
  if (victims.brokers.length === 0 || victims.brokers.length < brokersInAll) return;
  throw new EnvironmentError('FAULT_FULL_OUTAGE', `${fault} would take every broker of the cluster down at once.`, {
    hint: 'Use all-brokers-kill with allow: [full-outage], or a cluster with more brokers.',
  });
};
