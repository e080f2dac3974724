// A partition by the packet filters of containers: each node that dials somebody on the other side gets rules of its own, which drop
// what the two would say to each other on those connections. Counters of these rules prove it, connections tried from the node's own
// network show it, and others tried from there, as from here, show that nothing else is cut.

import { createHash } from 'node:crypto';
import { systemClock } from '../clock.ts';
import { EnvironmentError } from '../errors.ts';
import type { ContainerControl, CutState, Dialled, NetworkCut } from '../targets/container-control.ts';
import { CHAIN_PREFIX } from '../targets/network-cut-rules.ts';
import type { NodeId, StartedTarget } from '../targets/target.ts';
import { type Control, directControl, sampleControl } from './controls.ts';
import { CounterTrail } from './counter-trail.ts';
import { describePlaces, dialledFrom, refuseOtherWays, strayHost } from './dialled.ts';
import type { Begun, EvidenceSample, FaultContext, HealSample, PreparedFault, UndoStep } from './fault.ts';
import { toxicPrefix } from './fault-names.ts';
import { edgesAcross, type PartitionEdge } from './partition-sides.ts';
import { openScene, prepareProcessFault, type Scene, sampleBystanders } from './process-fault.ts';
import type { Victims } from './victim.ts';

/** Within this something must have been dropped of what each node and each of its peers said, ms. */
const RISES_WITHIN_MS = 10_000;

export interface PacketPartition {
  readonly context: FaultContext;
  readonly containers: ContainerControl;
  readonly victims: Victims;
  readonly edges: readonly PartitionEdge[];
  readonly others: readonly NodeId[];
  /** In words. */
  readonly from: string;
}

/** One node's part of it. */
interface NodeCut {
  readonly node: NodeId;
  readonly cut: NetworkCut;
  /** Whom it dials as well, and must still reach. */
  readonly spared: readonly Dialled[];
  /** By the node that is dialled. */
  readonly trails: ReadonlyMap<NodeId, CounterTrail>;
}

/** What a look at one node sees. */
interface CutSeen extends CutState {
  /** Addresses by which its peers can be dialled past the rules. */
  readonly stray: ReadonlyMap<NodeId, string>;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** At most 28 characters, and the same for all cuts of a run to begin with. */
const chainPrefixOf = (runId: string): string => `${CHAIN_PREFIX}${digest(runId)}-`;

/** @throws EnvironmentError where another run has left a chain. */
const refuseLeftover = (node: NodeId, rules: readonly string[], runId: string): void => {
  const left = rules.find(
    (rule) => rule.startsWith(`-N ${CHAIN_PREFIX}`) && !rule.startsWith(`-N ${chainPrefixOf(runId)}`),
  );
  if (left === undefined) return;
  throw new EnvironmentError('FAULT_LEFT', `${node} has the chain ${left.slice(3)}: a partition was left behind.`, {
    hint: 'Put it back first: ackproof heal --all, or start that container anew.',
  });
};

/** One node that a dialler reaches beside those it is cut off from, if there is any. */
const sparedBy = async (
  { context, containers, victims, others }: PacketPartition,
  node: NodeId,
  signal: AbortSignal,
): Promise<readonly Dialled[]> => {
  const { brokers, controllers = [] } = context.target;
  const isVictim = victims.nodes.includes(node);
  const struck = context.struckByOthers?.(systemClock.now());
  const free = [...brokers, ...controllers]
    .map((each) => each.node)
    .filter((each) => each !== node && struck?.has(each) !== true)
    .filter((each) => (isVictim ? !others.includes(each) : !victims.nodes.includes(each)));
  for (const edge of edgesAcross([node], free, 'outgoing')) {
    const dialled = await dialledFrom(context.target, containers, edge, signal);
    if (dialled !== undefined) return [dialled];
  }
  return [];
};

const peersOf = async (
  { context, containers, edges }: PacketPartition,
  node: NodeId,
  signal: AbortSignal,
): Promise<readonly Dialled[]> => {
  const found: Dialled[] = [];
  for (const edge of edges.filter(({ from }) => from === node)) {
    const dialled = await dialledFrom(context.target, containers, edge, signal);
    if (dialled === undefined) {
      throw new EnvironmentError(
        'FAULT_NO_PATH',
        `${node} has no way to ${edge.to}: they share no network, and no proxy lies between them.`,
        { hint: 'Choose victims that share a network with the other side, or let proxies do it: backend: toxiproxy.' },
      );
    }
    await refuseOtherWays(context.target, containers, edge, dialled, signal);
    found.push(dialled);
  }
  return found;
};

/** @throws EnvironmentError where one cannot be reached already: that it cannot be reached later would prove nothing. */
const refuseUnreached = (node: NodeId, peers: readonly Dialled[], answers: CutState['answers']): void => {
  const dead = peers.find((peer) => answers[peer.node] !== 'ok');
  if (dead === undefined) return;
  const where = describePlaces(dead.places);
  const how = answers[dead.node] ?? 'no answer';
  throw new EnvironmentError('FAULT_NO_PATH', `${node} does not reach ${dead.node} at ${where} as it is: ${how}.`, {
    hint: 'See whether that node runs, or begin the fault later.',
  });
};

const openCut = async (partition: PacketPartition, node: NodeId, signal: AbortSignal): Promise<NodeCut> => {
  const { context, containers } = partition;
  const { runId, faultId = 'fault' } = context;
  const filter = await containers.packetFilter(node, runId, signal);
  refuseLeftover(node, filter.rules, runId);
  const peers = await peersOf(partition, node, signal);
  const name = `${toxicPrefix(context)}-${faultId}-cut-${node.replace('/', '-')}-${digest(JSON.stringify(peers))}`;
  const cut: NetworkCut = { ...filter, name, runId, chain: `${chainPrefixOf(runId)}${digest(name)}`, peers };
  const spared = await sparedBy(partition, node, signal);
  const reached = [...peers, ...spared];
  refuseUnreached(node, reached, await containers.connectFrom(node, { ...cut, peers: reached }, signal));
  return { node, cut, spared, trails: new Map(peers.map((peer) => [peer.node, new CounterTrail(systemClock)])) };
};

class Cutting {
  readonly undo: readonly UndoStep[];
  readonly #partition: PacketPartition;
  readonly #scene: Scene;
  readonly #cuts: readonly NodeCut[];
  /** From here to the victims. */
  readonly #ways: readonly Control[];
  /** What the last look at each node saw. */
  #seen = new Map<NodeId, CutSeen>();
  #signal: AbortSignal | undefined;
  #isJoined = false;

  constructor(partition: PacketPartition, scene: Scene, cuts: readonly NodeCut[], ways: readonly Control[]) {
    this.#partition = partition;
    this.#scene = scene;
    this.#cuts = cuts;
    this.#ways = ways;
    const { containers } = partition;
    this.undo = cuts.map(({ node, cut }) => ({ do: 'end-cut', node, container: containers.reference(node), cut }));
  }

  async apply(signal: AbortSignal, begun: Begun): Promise<string> {
    await Promise.all(
      this.#cuts.map(async ({ node, cut }) => {
        await this.#partition.containers.cut(node, cut, signal);
        begun(`cut ${node} off`);
      }),
    );
    return `cut off ${this.#cuts.map(({ node, cut }) => `${node} from ${cut.peers.map((peer) => peer.node).join(', ')}`).join('; ')}`;
  }

  /** Looks anew; connections from each node to those it is cut off from get no answer. */
  async effect(signal: AbortSignal): Promise<readonly EvidenceSample[]> {
    this.#signal = signal;
    const { containers } = this.#partition;
    const looks = this.#cuts.map(async ({ node, cut, spared }) => {
      const state = await containers.cutState(node, cut, spared, signal);
      const stray = new Map<NodeId, string>();
      for (const peer of cut.peers) {
        const host = await strayHost(containers, { from: node, to: peer.node }, peer, signal);
        if (host !== undefined) stray.set(peer.node, host);
      }
      return [node, { ...state, stray }] as const;
    });
    this.#seen = new Map(await Promise.all(looks));
    return this.#cuts.flatMap(({ node, cut }) =>
      cut.peers.map((peer): EvidenceSample => {
        const answer = this.#seen.get(node)?.answers[peer.node] ?? 'nobody could try';
        return { kind: 'effect', holds: answer === 'timeout', seen: `${node} dials ${peer.node}: ${answer}` };
      }),
    );
  }

  /** The kernel's own: packets to and from each of them are dropped, wherever it can be dialled by now. */
  mechanism(): readonly EvidenceSample[] {
    return this.#cuts.flatMap(({ node, trails }) =>
      [...trails].map(([peer, trail]): EvidenceSample => {
        const dropped = this.#seen.get(node)?.dropped[peer];
        if (dropped === undefined)
          return { kind: 'mechanism', holds: false, seen: `${node}: the rules are not in force` };
        trail.note(dropped);
        const stray = this.#seen.get(node)?.stray.get(peer);
        if (stray !== undefined)
          return {
            kind: 'mechanism',
            holds: false,
            seen: `${node}: ${peer} is at ${stray} now, where nothing is dropped`,
          };
        const rises = trail.roseWithin(RISES_WITHIN_MS);
        const seen = `${node}: dropped ${dropped} packets to and from ${peer}${rises ? '' : ', no more of late'}`;
        return { kind: 'mechanism', holds: rises, seen };
      }),
    );
  }

  /** Of the same round as the effect. */
  async control(): Promise<readonly EvidenceSample[]> {
    const signal = this.#signal ?? new AbortController().signal;
    const spared = this.#cuts.flatMap(({ node, spared: others }) =>
      others.map((other): EvidenceSample => {
        const answer = this.#seen.get(node)?.answers[other.node] ?? 'nobody could try';
        return { kind: 'control', holds: answer === 'ok', seen: `${node} dials ${other.node}: ${answer}` };
      }),
    );
    const ways = await Promise.all(this.#ways.map(async (way) => await sampleControl(way, signal)));
    return [...spared, ...ways, ...(await sampleBystanders(this.#scene))];
  }

  /** Whoever was cut off reaches the others again; seen once, that is enough. */
  async healed(signal: AbortSignal): Promise<readonly HealSample[]> {
    if (this.#isJoined) return [{ kind: 'effect', holds: true, seen: 'each node reached its peers again' }];
    const { containers } = this.#partition;
    const looks = await Promise.all(
      this.#cuts.map(async ({ node, cut }) => [node, cut, await containers.connectFrom(node, cut, signal)] as const),
    );
    const samples = looks.flatMap(([node, cut, answers]) =>
      cut.peers.map((peer): HealSample => {
        const answer = answers[peer.node] ?? 'no answer';
        return { kind: 'effect', holds: answer === 'ok', seen: `${node} dials ${peer.node}: ${answer}` };
      }),
    );
    this.#isJoined = samples.every(({ holds }) => holds);
    return samples;
  }
}

const waysTo = async (target: StartedTarget, victims: Victims, signal: AbortSignal): Promise<readonly Control[]> => {
  const direct = [...target.brokers, ...(target.controllers ?? [])].filter(({ node }) => victims.nodes.includes(node));
  const ways: Control[] = [];
  for (const node of direct) ways.push(await directControl(node, target, signal));
  return ways;
};

/** @throws EnvironmentError where nothing can drop packets there, or nothing is to be dropped. */
export const preparePacketPartition = async (
  partition: PacketPartition,
  signal: AbortSignal,
): Promise<PreparedFault> => {
  const { context, victims, edges, from } = partition;
  if (edges.length === 0) {
    throw new EnvironmentError(
      'FAULT_UNSUPPORTED',
      `Nobody of ${from} and ${victims.nodes.join(', ')} dials the other.`,
      { hint: 'Choose another victim, another `from`, or direction: both.' },
    );
  }
  const chosen = `${victims.chosen}, cut off from ${from} by packet filters`;
  const scene = await openScene('network-partition', context, { ...victims, chosen }, signal);
  const diallers = [...new Set(edges.map((edge) => edge.from))];
  const cuts = await Promise.all(diallers.map(async (node) => await openCut(partition, node, signal)));
  const cutting = new Cutting(partition, scene, cuts, await waysTo(context.target, victims, signal));
  return prepareProcessFault({
    fault: 'network-partition',
    scene,
    undo: cutting.undo,
    looksOnce: true,
    apply: async (own, begun) => ({ answer: await cutting.apply(own, begun) }),
    mechanism: async () => await Promise.resolve(cutting.mechanism()),
    effect: async (own) => await cutting.effect(own),
    control: async () => await cutting.control(),
    healed: async (own) => await cutting.healed(own),
  });
};
