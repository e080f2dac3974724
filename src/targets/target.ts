// What a target is to the rest of ackproof: addresses, what can be done to its nodes and links, and where its evidence is.
// A target offers only what it can really do; an absent capability is refused at validation, never skipped.
import type { Address, BrokerId, EvidenceState, StorageItem } from '../vocabulary.ts';
import type { ConnectionSecurity } from '../wire/connection-security.ts';
import type { ContainerControl } from './container-control.ts';
import type { SecuritySpec } from './external-spec.ts';
import type { SignableRequest } from './s3-signature.ts';
import type { SecretReference } from './spec-fields.ts';

export type { Address } from '../vocabulary.ts';

/** `broker/1`, `controller/1`, `object-store`, `volume`: unique within a target. */
export type NodeId = string;

/** A container by the engine that runs it. */
export interface ContainerReference {
  /** The engine's endpoint: `unix:///var/run/docker.sock`, `tcp://host:2376`. */
  readonly engine: string;
  /** The whole id, 64 hexadecimal digits. */
  readonly id: string;
}

/**
 * A process as /proc knows it; `startedAt` (clock ticks since boot) tells a reused pid from the one that was meant. Of a container
 * it is its first process as the engine tells it, and `startedAt` is in wall-clock milliseconds.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: number;
  readonly container?: ContainerReference;
}

export interface BrokerNode {
  readonly id: BrokerId;
  readonly node: NodeId;
  /** What clients are told to use: the proxied address where there is a proxy. */
  readonly advertised: Address;
  /** The unadvertised listener for evidence; equal to `advertised` where a target has none. */
  readonly direct: Address;
}

/** A controller that is a process of its own and answers Kafka's protocol. */
export interface ControllerNode {
  readonly id: number;
  readonly node: NodeId;
  readonly direct: Address;
}

export type PathName = 'client' | 'internal' | 'controller' | 's3-data' | 's3-wal' | 'wal';

/** What is spoken on a path, which decides how it is probed. */
export type LinkProtocol = 'kafka' | 's3' | 'http';

/** One proxied connection path: the proxy `name` at the admin API `admin` listens for one node on one path. */
export interface Link {
  readonly path: PathName;
  /** The node the path belongs to: the dialled broker on `client`, the dialling broker elsewhere. */
  readonly speaks: LinkProtocol;
  readonly node: NodeId;
  /** Whom the node dials, where it has a path of its own to each: a broker on `internal`, a controller on `controller`. */
  readonly peer?: NodeId;
  /** Other nodes whose connections to that peer it carries as well. */
  readonly shared?: readonly NodeId[];
  readonly admin: Address;
  readonly proxy: string;
  readonly listen: Address;
  readonly upstream: Address;
}

export interface Links {
  readonly all: readonly Link[];
  /**
   * Ends the process behind a control API that answers nobody any more, and starts it with the proxies that it had at first; returns
   * once it answers. What else it carried is cut as well, and the target tells it as restarted. Absent where it is not ours.
   */
  restart?(admin: Address): Promise<void>;
}

/** Where a node dials the object store, through a listener of an S3 fault proxy (docs/s3-proxy.md). */
export interface StoreEndpoint {
  readonly path: 's3-data' | 's3-wal';
  readonly node: NodeId;
  /** The proxy's admin API. */
  readonly admin: Address;
  /** The listener's name in it. */
  readonly listener: string;
  /** What the node dials: the listener itself, or a link in front of it. */
  readonly listen: Address;
}

/** The object store's answers to single requests can be changed by rules. */
export interface StoreProxies {
  readonly all: readonly StoreEndpoint[];
}

/** `stopped`: ended by us, or never started; `gone`: its process ended by itself. Both can be started. */
export type NodeState = 'running' | 'stopped' | 'paused' | 'gone';

/** Signals to a node's process; every call returns once the operating system, or the engine, shows the new state (deadline inside). */
export interface ProcessControl {
  readonly nodes: readonly NodeId[];
  identity(node: NodeId): Promise<ProcessIdentity | undefined>;
  /** Read from the operating system, or the engine, at the time of the call. */
  state(node: NodeId): Promise<NodeState>;
  kill(node: NodeId, signal: AbortSignal): Promise<ProcessIdentity>;
  /** SIGTERM and wait for the exit, at most `graceMs`. */
  terminate(node: NodeId, graceMs: number, signal: AbortSignal): Promise<{ readonly exitCode: number | undefined }>;
  /** SIGSTOP, SIGCONT. */
  pause(node: NodeId, signal: AbortSignal): Promise<ProcessIdentity>;
  resume(node: NodeId, signal: AbortSignal): Promise<void>;
  /** Starts a stopped node with its own command, ports and directory, and waits until it says it is ready. */
  start(node: NodeId, signal: AbortSignal): Promise<ProcessIdentity>;
}

/** What a node has on its disk, read from the file system. */
export interface StoredState {
  /** Another one for a directory that was made anew, also at the same place. */
  readonly directory: string;
  /** As the directory says of itself. */
  readonly directoryId: string;
  /** Partitions of topics, and what the segments of their logs hold. */
  readonly partitions: number;
  readonly bytes: number;
}

/** Whether a new disk says that it is another one, or still calls itself what the lost one did. */
export type DirectoryIdentity = 'new' | 'kept';

/** The disks of nodes, which can be taken away for good. */
export interface NodeDisks {
  readonly nodes: readonly NodeId[];
  look(node: NodeId): Promise<StoredState>;
  /** Puts an empty one, as a first start finds it, in the place of that of a node that does not run. Nothing brings the old one back. */
  replace(node: NodeId, identity: DirectoryIdentity): Promise<void>;
}

export interface StoredObject {
  readonly key: string;
  readonly bytes: number;
}

/** One finished request as the object store itself logged it. */
export interface StoreRequest {
  /** Wall-clock milliseconds when it arrived. */
  readonly at: number;
  readonly durationMs: number;
  readonly listener: 'data' | 'wal' | 'direct';
  readonly method: string;
  /** `PutObject`, `GetObject` …, where the store says what it took the request for. */
  readonly operation?: string;
  readonly key: string;
  /** Bytes asked for, both ends included, when the request had a Range. */
  readonly range?: { readonly first: number; readonly last: number };
  readonly status: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** `broker/1` …, as the caller named itself. */
  readonly client?: string;
  /** False when the connection ended before the whole answer was handed over. */
  readonly complete: boolean;
}

/** The records one data object holds; `endOffset` is the offset after the last one. */
export interface ObjectRecords {
  /** 22 characters of base64url, as Kafka prints a topic id. */
  readonly topicId: string;
  readonly partition: number;
  readonly baseOffset: number;
  readonly endOffset: number;
}

/** One object that the target's own index names. */
export interface IndexedObject extends ObjectRecords {
  readonly key: string;
}

/** Something the record has to say of the storage under test, and where that is known from. */
export interface StorageFact {
  readonly item: StorageItem;
  readonly state: EvidenceState;
  readonly detail: string;
}

/** The object store seen with the harness's own credentials, by a path of its own. */
export interface ObjectStoreAccess {
  readonly bucket: string;
  readonly dataPrefix: string;
  /** Absent where no write-ahead log is in the store. */
  readonly walPrefix?: string;
  list(prefix: string, signal: AbortSignal): Promise<readonly StoredObject[]>;
  put(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  get(key: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
  remove(key: string, signal: AbortSignal): Promise<void>;
  /** Headers that sign a request as the harness's own, whatever address it is sent to; absent where the store checks nobody. */
  sign?(request: SignableRequest): Readonly<Record<string, string>>;
  /** Bytes `first` to `last`, both included; undefined where there is no such object. */
  getRange?(key: string, first: number, last: number, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** Every object that the target's own index names; absent where the target shows none. */
  indexed?(signal: AbortSignal): Promise<readonly IndexedObject[]>;
  /** Requests finished since `sinceWallMs`, in order of completion; absent where the store keeps no request log. */
  requests?(sinceWallMs: number, signal: AbortSignal): Promise<readonly StoreRequest[]>;
  /** The records a data object holds, by its key; absent where the naming is not known. */
  describeKey?(key: string): ObjectRecords | undefined;
}

/** More than so many objects of somebody else's store are not listed. */
export const MOST_LISTED = 100_000;

/** An object store that somebody else's cluster uses, looked at with credentials of ackproof's own; evidence, and no fault's to change. */
export interface ObjectListing {
  readonly bucket: string;
  readonly prefix: string;
  /** @throws EnvironmentError (exit 69) where it cannot be listed. */
  assertListable(signal: AbortSignal): Promise<void>;
  /** Every object below the prefix, the first 100,000 of them. */
  list(signal: AbortSignal): Promise<readonly StoredObject[]>;
  /** Bytes `first` to `last`, both included; undefined where there is no such object. */
  getRange(key: string, first: number, last: number, signal: AbortSignal): Promise<Uint8Array | undefined>;
}

/** The end of a partition that a broker's own disk holds: reads from `from` on need no object store. */
export interface LocalPart {
  /** 22 characters of base64url, as Kafka prints a topic id. */
  readonly topicId: string;
  readonly partition: number;
  readonly from: number;
}

/** Makes the next reads come from the object store, not from any broker's memory or disk. */
export interface Cooling {
  /** Resolves once that is so for all that can be in the store, with what cannot: a log's active segment, for one. */
  cool(signal: AbortSignal): Promise<readonly LocalPart[]>;
}

/** What one broker says about its reads and its memory, counted since its process started. */
export interface BrokerStats {
  /** Bytes of fetched records that came from memory. */
  readonly cacheBytes: number;
  /** … from the write-ahead log. */
  readonly walBytes: number;
  /** … from data objects. */
  readonly objectBytes: number;
  /** Acknowledged and not yet in a data object. */
  readonly backlogBytes: number;
  /** Held in memory just now. */
  readonly cachedBytes: number;
  /** Partitions it was given and cannot serve yet. */
  readonly recovering: number;
}

/** Statistics of every broker that has a running process. */
export interface BrokerStatsAccess {
  read(signal: AbortSignal): Promise<readonly { readonly node: NodeId; readonly stats: BrokerStats }[]>;
}

/** Volumes with the write-ahead log, whose I/O whoever serves them can be asked to disturb. */
export interface VolumeIo {
  /** Who serves them. */
  readonly node: NodeId;
  /** Where that one is asked, past every proxy. */
  readonly admin: Address;
  /** One directory for all brokers; else each has volumes of its own, `broker-<id>-…`. */
  readonly isShared: boolean;
}

/** How brokers want to be spoken to, as a target file says it: secrets are named in it and looked up by whoever connects. */
export interface SecurityReference {
  readonly spec: SecuritySpec;
  /** Absolute; the files that `spec` names are looked up from here. */
  readonly folder: string;
}

/** The cluster takes orders by Kafka's own protocol: replicas moved, leaders elected, settings of brokers changed. */
export interface Administration {
  /** The cluster's own id, so that no order is given or taken back by mistake on another one; absent where it tells none. */
  readonly clusterId?: string;
  /** What another process needs to give orders, too; absent where addresses are enough. */
  readonly security?: SecurityReference;
}

/** Brokers that are no part of the cluster yet: whoever starts one lets it join. */
export interface Spares {
  /** None of them is among the target's brokers. */
  readonly brokers: readonly BrokerNode[];
}

/** What programs get beside their words: texts, and secrets by their names. */
export type CommandEnvironment = Readonly<Record<string, string | SecretReference>>;

/** Programs that perform a fault, prove it and take it back; lists of words, the program first. */
export interface UserCommand {
  readonly inject: readonly string[];
  readonly confirm: readonly string[];
  readonly heal: readonly string[];
  readonly healed: readonly string[];
  readonly env: CommandEnvironment;
  /** For each of them. */
  readonly timeoutMs: number;
}

/** Programs of whoever runs the cluster, by the fault they perform or by a name of their own. */
export interface UserCommands {
  /** Absolute; they run in it, and files are looked up from it. */
  readonly folder: string;
  readonly named: Readonly<Record<string, UserCommand>>;
}

/** Each one optional: a target offers what it can do. */
export interface Capabilities {
  readonly administration?: Administration;
  readonly commands?: UserCommands;
  readonly processes?: ProcessControl;
  readonly containers?: ContainerControl;
  readonly disks?: NodeDisks;
  readonly links?: Links;
  readonly objectStore?: ObjectStoreAccess;
  readonly storeProxy?: StoreProxies;
  readonly cooling?: Cooling;
  readonly brokerStats?: BrokerStatsAccess;
  readonly spares?: Spares;
  readonly volumeIo?: VolumeIo;
}
export type CapabilityName = keyof Capabilities;

export interface TargetDescription {
  readonly kind: string;
  readonly name: string;
  /** Versions, settings and defects that decide what was tested, as ordered name → value. */
  readonly fingerprint: Readonly<Record<string, string>>;
}

/** A time in which nobody told what became of the parts of a target, in wall-clock milliseconds. */
export interface Unwatched {
  readonly fromMs: number;
  /** Absent while it lasts. */
  readonly toMs?: number;
  readonly why: string;
}

/** A target that serves. Disposing ends what we started and leaves alone what we did not. */
export interface StartedTarget extends AsyncDisposable {
  readonly kind: string;
  /** Whether it was made for this run and may be destroyed with it. */
  readonly ephemeral: boolean;
  /** Names the outcome profile (src/outcomes.ts), which decides which error codes are definite. */
  readonly profile: string;
  /** For load: the advertised (proxied) addresses. */
  readonly bootstrap: readonly Address[];
  /** For evidence: direct addresses. */
  readonly evidenceBootstrap: readonly Address[];
  /** How every connection to a broker is made, by load and evidence alike; absent: plain, without a login. Never written down. */
  readonly security?: ConnectionSecurity | undefined;
  readonly brokers: readonly BrokerNode[];
  /** What a run on it is locked by, where it is others' as well and has no cluster id of its own to be told by. */
  readonly lockedAs?: string;
  /** Controllers that can be asked by themselves; absent where brokers are controllers too, or where they are not known. */
  readonly controllers?: readonly ControllerNode[];
  /** How long a broker may be silent before others lead what it led, ms; absent where that is not known. */
  readonly sessionMs?: number;
  readonly can: Capabilities;
  readonly objectListing?: ObjectListing;
  /** The write-ahead log, where it is in a bucket, or at an endpoint, of its own; beside `objectListing` only. */
  readonly walListing?: ObjectListing;
  /** What is known of its storage; absent where it is known of nothing, or where it has none but the disks of its brokers. */
  readonly storage?: readonly StorageFact[];
  readonly description: TargetDescription;
  /** Log files, absolute, by node. */
  readonly logs: readonly { readonly node: NodeId; readonly file: string }[];
  /** Parts of ours that ended by themselves at any time, proxies and store included; absent where nothing is ours. */
  casualties?(): readonly NodeId[];
  /** Times in which nobody told what became of its parts; absent where they are watched in another way. */
  unwatched?(): readonly Unwatched[];
  /** Proxies of ours that hung, and were started again. */
  restartedProxies?(): readonly NodeId[];
}

export interface StartOptions {
  readonly runId: string;
  /** The run directory; a target writes below `logs/` and its own working folder only. */
  readonly runDirectory: string;
  /** The folder of the target file, from which the files it names are looked up; absent where there is no file. */
  readonly specFolder?: string;
  readonly defects: readonly string[];
  readonly signal: AbortSignal;
}
