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
    throw new EnvironmentError('VICTIM_UNKNOWN', `${count} brokers were to be hit, the target has ${brokers.length}.`);
  }
  const victims = context.random.shuffle(brokers).slice(0, count).sort(byNode);
  return victimsOf(victims, `${victims.map((victim) => victim.node).join(', ')}, by the seed`);
};

/** A node that is no broker, by the beginning of its name. */
const soleNode = (target: StartedTarget, prefix: string): Victims => {
  const node = target.can.processes?.nodes.find((each) => each === prefix || each.startsWith(`${prefix}/`));
  if (node !== undefined) return { nodes: [node], brokers: [], chosen: `${node}, the only one` };
  throw new EnvironmentError('VICTIM_UNKNOWN', `The target has no ${prefix} that ackproof can act on.`);
};

/** The controller that leads the quorum, where there are several. */
const activeController = async (target: StartedTarget, signal: AbortSignal): Promise<Victims> => {
  const { controllers = [] } = target;
  if (controllers.length === 0) return soleNode(target, 'controller');
  const id = await askQuorumLeader(controllers, signal);
  const found = controllers.find((each) => each.id === id);
  if (found !== undefined) return { nodes: [found.node], brokers: [], chosen: `${found.node}, which leads the quorum` };
  throw new EnvironmentError('VICTIM_UNKNOWN', `Controller ${id} leads the quorum, and the target has no such node.`);
};

/** The leading controller and, by the seed, as many others as make a majority: what is left cannot elect anybody. */
const controllerMajority = async (context: FaultContext, signal: AbortSignal): Promise<Victims> => {
  const { target, random, allow = [] } = context;
  if (!allow.includes(QUORUM_LOSS)) {
    throw new EnvironmentError('FAULT_QUORUM_LOSS', 'The fault would leave the controllers without a majority.', {
      hint: `Add ${QUORUM_LOSS} to its allow, or hit {controller: leader} only.`,
    });
  }
  const { controllers = [] } = target;
  const leader = await activeController(target, signal);
  const others = controllers.filter(({ node }) => !leader.nodes.includes(node)).map(({ node }) => node);
  const majority = Math.floor(controllers.length / 2) + 1;
  if (others.length === 0 || majority === controllers.length) {
    throw new EnvironmentError(
      'VICTIM_UNKNOWN',
      'The target has too few controllers to hit a majority and spare one.',
      {
        hint: 'Use a target of three controllers or more.',
      },
    );
  }
  const nodes = [...leader.nodes, ...random.shuffle(others.sort()).slice(0, majority - 1)].sort();
  return { nodes, brokers: [], chosen: `${nodes.join(', ')}, a majority with ${leader.nodes.join(', ')}, which leads` };
};

/** Resolves a selector now. Same seed, same cluster: same victims. */
export const resolveVictims = async (
  context: FaultContext,
  selector: VictimSelector,
  signal: AbortSignal,
): Promise<Victims> => {
  const { target } = context;
  switch (selector.kind) {
    case 'all':
      return victimsOf([...target.brokers].sort(byNode), 'every broker');
    case 'broker':
      return victimsOf([brokerOf(target, selector.id)], `broker ${selector.id}, by its id`);
    case 'random':
      return randomBrokers(context, selector.count);
    case 'controller':
      return await activeController(target, signal);
    case 'controllers':
      return await controllerMajority(context, signal);
    case 'object-store':
      return soleNode(target, 'object-store');
    case 'leaderOf': {
      const led = await ledPartition(context, selector.topic, selector.partition, signal);
      const chosen = `broker ${led.leader}, the leader of ${selector.topic}/${selector.partition} in epoch ${led.epoch}`;
      return victimsOf([brokerOf(target, led.leader)], chosen);
    }
    case 'followerOf': {
      const led = await ledPartition(context, selector.topic, selector.partition, signal);
      return oneFollowerOf(context, led, selector.topic);
    }
    case 'followersOf': {
      const led = await ledPartition(context, selector.topic, selector.partition, signal);
      return everyFollowerOf(context, led, selector.topic);
    }
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
