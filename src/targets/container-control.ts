// What can be done to the containers that nodes run in, beyond ending and freezing them: how much they may use, their places in
// networks, what they keep their log on. Types only; containers are the nodes' own, never a proxy's.
import type { ContainerReference, NodeId } from './target.ts';

export interface CpuLimits {
  /** CPU time in each period, µs; 0: no limit. */
  readonly cpuQuotaUs: number;
  readonly cpuPeriodUs: number;
  /** The same limit as it is told in billionths of a CPU; 0 where it is told as a quota, or where there is none. */
  readonly nanoCpus: number;
}

export interface MemoryLimits {
  /** 0: no limit. */
  readonly memoryBytes: number;
  /** Memory and swap together; 0 where nothing was said of it, −1 for no limit. */
  readonly memorySwapBytes: number;
}

export interface ContainerLimits extends CpuLimits, MemoryLimits {}

/** Counters of a container since it was started. */
export interface ContainerUsage {
  /** Periods in which it had to wait because its CPU quota was used up (`nr_throttled`). */
  readonly throttledPeriods: number;
  /** In use now, files that are held in memory included. */
  readonly memoryBytes: number;
  /** How often it ran against its memory limit. */
  readonly memoryLimitHits: number;
}

/** A container's place in one network: what was asked for, and what the engine made of it. */
export interface NetworkEndpoint {
  readonly networkId: string;
  /** For people. */
  readonly network: string;
  /** Names it was given there, sorted; without the short id, which the engine adds by itself. */
  readonly aliases: readonly string[];
  readonly links: readonly string[];
  readonly driverOptions: Readonly<Record<string, string>>;
  /** Addresses that were asked for (`IPv4Address` …); empty where the engine chose. */
  readonly fixedAddresses: Readonly<Record<string, string>>;
  /** Empty while the container does not run. */
  readonly address: string;
  /** Empty while the container does not run. */
  readonly macAddress: string;
  /** When the container was started last, wall-clock milliseconds: addresses that the engine chose last no longer. */
  readonly sinceMs: number;
}

/** Where a node keeps its log. */
export interface LogVolume {
  readonly directory: string;
  /** Whether it can be filled without filling anything else: a volume whose size is a limit of its own. */
  readonly isCapped: boolean;
}

export interface FillState {
  readonly freeBytes: number;
  /** The file, or whoever writes it. */
  readonly isThere: boolean;
}

/** A file that keeps a volume full: how much it leaves, and what it and the container that writes it are called. */
export interface VolumeFill {
  /** Unique on the engine, and the file's own name begins with a dot and this. */
  readonly name: string;
  readonly runId: string;
  readonly directory: string;
  readonly leaveBytes: number;
}

/** What may become of a packet. */
export type PacketFate = 'corrupt' | 'duplicate' | 'loss' | 'reorder';

/** What becomes of some of the packets that a node sends. */
export interface PacketDisturbance {
  /** Unique on the engine: the container that holds it carries it as a label. */
  readonly name: string;
  readonly runId: string;
  readonly how: PacketFate;
  /** Of all packets, 0 to 1. */
  readonly share: number;
  /** How much the fate of one packet depends on that of the one before, 0 to 1. */
  readonly correlation: number;
}

export interface DisturbanceState {
  /** How many of its interfaces are disturbed. */
  readonly interfaces: number;
  /** For each of them the shares that are in force by the kernel's word, 0 to 1. */
  readonly inForce: readonly Readonly<Partial<Record<PacketFate, number>>>[];
  /** Packets that passed there, and those that were dropped. */
  readonly packets: number;
  readonly dropped: number;
  /** What its kernel counts of the segments it sends: sent again, told by a peer to have come twice, or in another order. */
  readonly resent: number;
  readonly twice: number;
  readonly outOfOrder: number;
}

/** Where a node is dialled. */
export interface DialledPlace {
  readonly host: string;
  /** At least one; connections are tried with the first. */
  readonly ports: readonly number[];
}

/** Whom a node dials, and everywhere it could. */
export interface Dialled {
  readonly node: NodeId;
  readonly places: readonly DialledPlace[];
}

/** Where Kafka on a node dials another one by its settings. */
export interface ToldAddress {
  /** `host:port`. */
  readonly written: string;
  /** IPv4 addresses that the name stands for where it is dialled; none where it means nothing there. */
  readonly hosts: readonly string[];
  readonly port: number;
  /** Whether whoever answers there may be another controller just as well. */
  readonly isAnyController?: boolean;
}

/** What drops packets in the network of a container: a program, and the image of the helper that runs it. */
export interface PacketFilter {
  readonly program: string;
  readonly image: string;
}

/** Connections from one node that get nowhere. */
export interface NetworkCut extends PacketFilter {
  /** Unique on the engine: the container that holds it carries it as a label. */
  readonly name: string;
  readonly runId: string;
  /** Of the rules; at most 28 characters. */
  readonly chain: string;
  readonly peers: readonly Dialled[];
  /** The whole filter before, in iptables' own words. */
  readonly rules: readonly string[];
  /** When the container was started that had these rules, wall-clock milliseconds: another start has none of them. */
  readonly sinceMs: number;
}

/** How an attempt to connect ended. */
export type ConnectAnswer = 'ok' | 'refused' | 'timeout';

export interface CutState {
  /** Packets to and from each of those that are dialled; empty where the rules are not all in force. */
  readonly dropped: Readonly<Record<NodeId, number>>;
  /** The best that came of all places of a node. */
  readonly answers: Readonly<Record<NodeId, ConnectAnswer>>;
}

/** What is left of a disturbance. */
export interface DisturbanceLeft {
  /** Interfaces of the node that are still disturbed. */
  readonly interfaces: number;
  /** Containers beside it that hold the disturbance. */
  readonly holders: number;
}

export interface ContainerControl {
  readonly nodes: readonly NodeId[];
  reference(node: NodeId): ContainerReference;
  limits(node: NodeId, signal?: AbortSignal): Promise<ContainerLimits>;
  /** Sets the given limits, whatever they are now; returns once the engine shows them. */
  setLimits(node: NodeId, limits: Partial<ContainerLimits>, signal: AbortSignal): Promise<void>;
  usage(node: NodeId, signal?: AbortSignal): Promise<ContainerUsage>;
  /** In the order in which the engine tells them. */
  endpoints(node: NodeId, signal?: AbortSignal): Promise<readonly NetworkEndpoint[]>;
  /** Returns once the engine shows no endpoint in that network; none before is fine. */
  disconnect(node: NodeId, networkId: string, signal: AbortSignal): Promise<void>;
  /** How its process ended; undefined while it has one. */
  exitCode(node: NodeId, signal?: AbortSignal): Promise<number | undefined>;
  /** Whether the engine told of this (`oom`, `die` …) since then, in wall-clock milliseconds. */
  hasTold(node: NodeId, action: string, sinceMs: number): boolean;
  /** From now on the end of its process is our doing; or no longer. */
  expectEnd(node: NodeId, isExpected: boolean): void;
  /** Runs a program in it that takes so much memory, until that program or another one in it is ended. */
  takeMemory(node: NodeId, bytes: number, signal: AbortSignal): Promise<void>;
  /** Where its log is: the directory, and the volume that holds it; absent where neither is known. */
  logVolume(node: NodeId, signal: AbortSignal): Promise<LogVolume | undefined>;
  /** Keeps the volume full from a container of its own beside it; returns once it is. */
  fill(node: NodeId, fill: VolumeFill, signal: AbortSignal): Promise<void>;
  /** Free bytes in the volume, and whether anything of the fill is there. */
  fillState(node: NodeId, fill: VolumeFill, signal?: AbortSignal): Promise<FillState>;
  /** Ends the filling and removes its file; nothing to remove is fine. */
  removeFill(node: NodeId, fill: VolumeFill, signal: AbortSignal): Promise<void>;
  /** @throws EnvironmentError where no packets can be disturbed there. */
  refuseUndisturbable(node: NodeId, runId: string, signal: AbortSignal): Promise<void>;
  /** Disturbs what the node sends on every network; returns once it does. */
  disturb(node: NodeId, disturbance: PacketDisturbance, signal: AbortSignal): Promise<void>;
  disturbanceState(node: NodeId, signal?: AbortSignal): Promise<DisturbanceState>;
  /** Asked of paused nodes, and of those that do not run, as well. */
  disturbanceLeft(node: NodeId, disturbance: PacketDisturbance, signal?: AbortSignal): Promise<DisturbanceLeft>;
  /** None before is fine. */
  endDisturbance(node: NodeId, disturbance: PacketDisturbance, signal: AbortSignal): Promise<void>;
  /** TCP ports of a node that others can dial. */
  listening(node: NodeId, signal: AbortSignal): Promise<readonly number[]>;
  /** Everywhere Kafka on `from` dials `to` by their settings. @throws EnvironmentError where these do not tell. */
  toldToDial(from: NodeId, to: NodeId, signal: AbortSignal): Promise<readonly ToldAddress[]>;
  /** Its filter as it is, and what can change it. @throws EnvironmentError where nothing can. */
  packetFilter(
    node: NodeId,
    runId: string,
    signal: AbortSignal,
  ): Promise<PacketFilter & Pick<NetworkCut, 'rules' | 'sinceMs'>>;
  /** How connections from a node to others end, while nothing is cut. */
  connectFrom(node: NodeId, cut: NetworkCut, signal: AbortSignal): Promise<CutState['answers']>;
  /** Drops what the node and those of the cut would say to each other on connections that it dials; returns once it does. */
  cut(node: NodeId, cut: NetworkCut, signal: AbortSignal): Promise<void>;
  /** What has become of a cut, and of connections from there to `others`, too. */
  cutState(node: NodeId, cut: NetworkCut, others: readonly Dialled[], signal?: AbortSignal): Promise<CutState>;
  /** How its filter differs from what it was before the cut; nothing when it is as it was. */
  cutLeft(node: NodeId, cut: NetworkCut, signal?: AbortSignal): Promise<readonly string[]>;
  /** None before is fine. */
  endCut(node: NodeId, cut: NetworkCut, signal: AbortSignal): Promise<void>;
  /** Makes the endpoint what it was, also where there is another one now; returns once the engine shows it. */
  connect(node: NodeId, endpoint: NetworkEndpoint, signal: AbortSignal): Promise<void>;
}
