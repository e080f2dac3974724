// The containers of the model cluster, as far as faults ask: limits that make a node slow, and networks that a node can be taken out
// of. What is restored is kept field by field, so that a way back that leaves something out is seen.
import { systemClock } from '../../src/clock.ts';
import { EnvironmentError } from '../../src/errors.ts';
import type {
  ContainerControl,
  ContainerLimits,
  ContainerUsage,
  CutState,
  Dialled,
  DisturbanceLeft,
  DisturbanceState,
  FillState,
  LogVolume,
  NetworkCut,
  NetworkEndpoint,
  PacketDisturbance,
  PacketFate,
  PacketFilter,
  ToldAddress,
  VolumeFill,
} from '../../src/targets/container-control.ts';
import type { ContainerReference, NodeId } from '../../src/targets/target.ts';

/** A node as its container treats it. */
export interface ContainedNode {
  /** How much later it answers. */
  delayMs: number;
  /** Whether its log takes no write. */
  isFull: boolean;
  listen(): Promise<void>;
  die(): Promise<void>;
}

const MIB = 1024 ** 2;
/** What a node uses of its memory. */
const IN_USE_BYTES = 300 * MIB;
/** Below this a node is ended, not only slow. */
const NEEDED_BYTES = 200 * MIB;
const CAPACITY_BYTES = 64 * MIB;
/** Far beyond what an answer takes on a busy machine. */
const THROTTLED_MS = 400;

const orAll = (limit: number): number => (limit === 0 ? Number.POSITIVE_INFINITY : limit);

const LIMITS: ContainerLimits = {
  memoryBytes: 512 * MIB,
  memorySwapBytes: 1024 * MIB,
  cpuQuotaUs: 0,
  cpuPeriodUs: 100_000,
  nanoCpus: 0,
};

const CALM = { interfaces: 0, inForce: [], packets: 0, dropped: 0, resent: 0, twice: 0, outOfOrder: 0 };
const SENT_AGAIN: ReadonlySet<PacketFate> = new Set(['corrupt', 'loss']);

const endpointOf = (node: NodeId): NetworkEndpoint => ({
  networkId: `network of ${node}`,
  network: `m-${node.replace('/', '-')}`,
  aliases: [node.replace('/', '-')],
  links: [],
  driverOptions: {},
  fixedAddresses: {},
  address: '10.0.0.2',
  macAddress: '02:42:0a:00:00:02',
  sinceMs: 1,
});

/** What the cluster does with a node for its container. */
export interface ContainerHost {
  /** It cannot be reached any more. */
  lost(node: NodeId): void;
  /** It can be reached again. */
  back(node: NodeId): void;
  /** Its process is ended. */
  end(node: NodeId): Promise<void>;
  hasProcess(node: NodeId): boolean;
}

export class ModelContainers implements ContainerControl {
  readonly #nodes: () => ReadonlyMap<NodeId, ContainedNode>;
  readonly #acts: string[];
  readonly #host: ContainerHost;
  readonly #limits = new Map<NodeId, ContainerLimits>();
  readonly #endpoints = new Map<NodeId, NetworkEndpoint[]>();
  readonly #fills = new Map<NodeId, VolumeFill>();
  readonly #told: { readonly node: NodeId; readonly action: string; readonly wallMs: number }[] = [];
  /** Nodes whose end is somebody's doing. */
  readonly expected = new Set<NodeId>();
  readonly #disturbances = new Map<NodeId, PacketDisturbance>();
  readonly #cuts = new Map<NodeId, NetworkCut>();
  #packets = 0;
  #periods = 0;
  #hits = 0;
  /** Whether the log's volume has a size of its own. */
  isCapped = true;
  /** Whether the kernel ends a node, rather than a program in its container. */
  endsNodes = true;
  /** Whether the kernel counts the periods in which a throttled container waits, and the packets that pass. */
  counts = true;
  /** Whether the kernel can disturb packets. */
  hasNetem = true;
  /** Whether containers may change their packet filters. */
  hasPacketFilter = true;
  /** Where one node is told to dial another one. */
  tells: (from: NodeId, to: NodeId) => readonly ToldAddress[] = () => [];
  /** What each packet filter holds before anybody changes it. */
  filterRules: readonly string[] = ['-P INPUT ACCEPT', '-P OUTPUT ACCEPT'];
  /** Whether rules that are in force keep connections from being made. */
  filtersConnections = true;
  /** Whether anything comes of packets that are disturbed. */
  peersNotice = true;
  /** The share of packets that is disturbed, where it is another one than was asked for. */
  shareInForce: number | undefined;
  /** Segments that are sent again for another reason, from one look to the next. */
  resentAnyway = 0;
  #resent = 0;

  constructor(nodes: () => ReadonlyMap<NodeId, ContainedNode>, acts: string[], host: ContainerHost) {
    this.#nodes = nodes;
    this.#acts = acts;
    this.#host = host;
  }

  get nodes(): readonly NodeId[] {
    return [...this.#nodes().keys()];
  }

  reference(node: NodeId): ContainerReference {
    return { engine: 'model', id: node };
  }

  async limits(node: NodeId): Promise<ContainerLimits> {
    return await Promise.resolve(this.#limits.get(node) ?? LIMITS);
  }

  async setLimits(node: NodeId, limits: Partial<ContainerLimits>): Promise<void> {
    this.#acts.push(`limit ${node}`);
    const now = { ...(await this.limits(node)), ...limits };
    this.#limits.set(node, now);
    const memoryBytes = orAll(now.memoryBytes);
    const isShort = memoryBytes < IN_USE_BYTES;
    const contained = this.#nodes().get(node);
    if (contained !== undefined) contained.delayMs = now.cpuQuotaUs > 0 || isShort ? THROTTLED_MS : 0;
    if (memoryBytes < NEEDED_BYTES) await this.#end(node);
  }

  async usage(node: NodeId): Promise<ContainerUsage> {
    const { cpuQuotaUs, memoryBytes } = await this.limits(node);
    if (cpuQuotaUs > 0 && this.counts) this.#periods++;
    if (orAll(memoryBytes) < IN_USE_BYTES && this.counts) this.#hits++;
    return { throttledPeriods: this.#periods, memoryBytes: IN_USE_BYTES, memoryLimitHits: this.#hits };
  }

  async exitCode(node: NodeId): Promise<number | undefined> {
    return await Promise.resolve(this.#host.hasProcess(node) ? undefined : 137);
  }

  hasTold(node: NodeId, action: string, sinceMs: number): boolean {
    return this.#told.some((edge) => edge.node === node && edge.action === action && edge.wallMs >= sinceMs);
  }

  expectEnd(node: NodeId, isExpected: boolean): void {
    if (isExpected) this.expected.add(node);
    else this.expected.delete(node);
  }

  async takeMemory(node: NodeId): Promise<void> {
    this.#acts.push(`take memory of ${node}`);
    await this.#end(node);
  }

  async logVolume(): Promise<LogVolume | undefined> {
    return await Promise.resolve({ directory: '/data', isCapped: this.isCapped });
  }

  async fill(node: NodeId, fill: VolumeFill): Promise<void> {
    this.#acts.push(`fill ${node}`);
    this.#fills.set(node, fill);
    await this.#setFull(node, true);
  }

  async fillState(node: NodeId): Promise<FillState> {
    const fill = this.#fills.get(node);
    return await Promise.resolve({ freeBytes: fill?.leaveBytes ?? CAPACITY_BYTES, isThere: fill !== undefined });
  }

  async removeFill(node: NodeId): Promise<void> {
    this.#acts.push(`empty ${node}`);
    this.#fills.delete(node);
    await this.#setFull(node, false);
  }

  async #setFull(node: NodeId, isFull: boolean): Promise<void> {
    const contained = this.#nodes().get(node);
    if (contained !== undefined) contained.isFull = isFull;
    await Promise.resolve();
  }

  async #end(node: NodeId): Promise<void> {
    this.#told.push({ node, action: 'oom', wallMs: systemClock.wall() });
    if (this.endsNodes && this.#host.hasProcess(node)) await this.#host.end(node);
  }

  async refuseUndisturbable(): Promise<void> {
    if (this.hasNetem) return await Promise.resolve();
    throw new EnvironmentError('NETEM_MISSING', 'The kernel of the Docker engine has no netem (sch_netem).');
  }

  async disturb(node: NodeId, disturbance: PacketDisturbance): Promise<void> {
    this.#acts.push(`${disturbance.how} of ${node}`);
    this.#disturbances.set(node, disturbance);
    await Promise.resolve();
  }

  async disturbanceState(node: NodeId): Promise<DisturbanceState> {
    const disturbance = this.#disturbances.get(node);
    this.#resent += this.resentAnyway;
    if (disturbance === undefined) return await Promise.resolve({ ...CALM, resent: this.#resent });
    const { how, share } = disturbance;
    if (this.counts) this.#packets += 10;
    const disturbed = this.#packets * share;
    const noticed = this.peersNotice ? disturbed : 0;
    return await Promise.resolve({
      interfaces: 1,
      inForce: [{ [how]: this.shareInForce ?? share }],
      packets: this.#packets,
      dropped: how === 'loss' ? disturbed : 0,
      resent: this.#resent + (SENT_AGAIN.has(how) ? noticed : 0),
      twice: how === 'duplicate' ? noticed : 0,
      outOfOrder: how === 'reorder' ? noticed : 0,
    });
  }

  async disturbanceLeft(node: NodeId): Promise<DisturbanceLeft> {
    const held = this.#disturbances.has(node) ? 1 : 0;
    return await Promise.resolve({ interfaces: held, holders: held });
  }

  async endDisturbance(node: NodeId): Promise<void> {
    this.#acts.push(`calm ${node}`);
    this.#disturbances.delete(node);
    await Promise.resolve();
  }

  async listening(): Promise<readonly number[]> {
    return await Promise.resolve([9092]);
  }

  async toldToDial(from: NodeId, to: NodeId): Promise<readonly ToldAddress[]> {
    return await Promise.resolve(this.tells(from, to));
  }

  async packetFilter(): Promise<PacketFilter & Pick<NetworkCut, 'rules' | 'sinceMs'>> {
    if (!this.hasPacketFilter) throw new EnvironmentError('IPTABLES_NOT_THERE', 'The image model has no iptables.');
    return await Promise.resolve({ program: 'iptables', image: 'model', rules: this.filterRules, sinceMs: 1 });
  }

  async connectFrom(node: NodeId, cut: NetworkCut): Promise<CutState['answers']> {
    return (await this.cutState(node, cut, [])).answers;
  }

  async cut(node: NodeId, cut: NetworkCut): Promise<void> {
    this.#acts.push(`cut ${node} off from ${cut.peers.map((peer) => peer.node).join(', ')}`);
    this.#cuts.set(node, cut);
    await Promise.resolve();
  }

  async cutState(node: NodeId, { peers }: NetworkCut, others: readonly Dialled[]): Promise<CutState> {
    const held = this.#cuts.get(node)?.peers.map((peer) => peer.node) ?? [];
    if (this.counts) this.#packets++;
    const answerOf = (to: NodeId): CutState['answers'][string] =>
      held.includes(to) && this.filtersConnections ? 'timeout' : 'ok';
    return await Promise.resolve({
      dropped: Object.fromEntries(held.map((to) => [to, this.#packets])),
      answers: Object.fromEntries([...peers, ...others].map((to) => [to.node, answerOf(to.node)])),
    });
  }

  async cutLeft(node: NodeId): Promise<readonly string[]> {
    const cut = this.#cuts.get(node);
    return await Promise.resolve(cut === undefined ? [] : [`"-N ${cut.chain}" was not there`]);
  }

  async endCut(node: NodeId): Promise<void> {
    this.#acts.push(`join ${node}`);
    this.#cuts.delete(node);
    await Promise.resolve();
  }

  async endpoints(node: NodeId): Promise<readonly NetworkEndpoint[]> {
    return await Promise.resolve(this.#endpoints.get(node) ?? [endpointOf(node)]);
  }

  async disconnect(node: NodeId, networkId: string): Promise<void> {
    this.#acts.push(`disconnect ${node}`);
    const left = (await this.endpoints(node)).filter((each) => each.networkId !== networkId);
    this.#endpoints.set(node, left);
    if (left.length > 0) return;
    await this.#nodes().get(node)?.die();
    this.#host.lost(node);
  }

  async connect(node: NodeId, endpoint: NetworkEndpoint): Promise<void> {
    this.#acts.push(`connect ${node}`);
    const others = (await this.endpoints(node)).filter((each) => each.networkId !== endpoint.networkId);
    const wasOut = others.length === 0;
    this.#endpoints.set(node, [...others, endpoint]);
    if (!wasOut) return;
    await this.#nodes().get(node)?.listen();
    this.#host.back(node);
  }

  /** Whether it is out of every network. */
  isIsolated(node: NodeId): boolean {
    return this.#endpoints.get(node)?.length === 0;
  }
}

/** Control that does some things in another way. */
export const altered = (containers: ContainerControl, changes: Partial<ContainerControl>): ContainerControl =>
  new Proxy(containers, {
    get: (of, name) => {
      const value: unknown = Reflect.get(name in changes ? changes : of, name);
      return typeof value === 'function' ? (value.bind(of) as unknown) : value;
    },
  });
