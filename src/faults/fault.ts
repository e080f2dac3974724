// What a fault is: chosen victims, an undo record that is durable before anything happens, an act, and observations that
// prove it. A fault never sees results; whether it proved anything is decided from its edges alone.
import type { z } from 'zod';
import type { Random } from '../random.ts';
import type {
  ContainerLimits,
  NetworkCut,
  NetworkEndpoint,
  PacketDisturbance,
  VolumeFill,
} from '../targets/container-control.ts';
import type {
  Address,
  CapabilityName,
  ContainerReference,
  NodeId,
  ObjectRecords,
  PathName,
  ProcessIdentity,
  SecurityReference,
  StartedTarget,
} from '../targets/target.ts';
import type { CommandCall } from '../targets/user-command.ts';
import type { CapacityStep, FaultEdge, FaultName } from '../vocabulary.ts';
import type { ProxyState } from './backends/toxiproxy.ts';

/** The classes a canary probe can end in. */
export type ProbeClass =
  | 'ok'
  | 'slow'
  | 'refused'
  | 'timeout'
  | 'reset'
  | 'eof'
  | 'dns'
  | 'auth'
  | `http:${number}`
  | `kafka:${number}`;

export interface EvidenceSample {
  readonly kind: 'mechanism' | 'effect' | 'control';
  readonly holds: boolean;
  /** What was seen, short: `pid 4711 gone`, `refused`, `broker 2 answers in 1.2 ms`. */
  readonly seen: string;
  /** Nothing that is still to come can change it: it tells of what is over. */
  readonly isFinal?: true;
}

/** A sample of the time after a fault. */
export interface HealSample extends EvidenceSample {
  /** It does not hold, and only because the answer took longer than before, in a way that this fault does not cause. */
  readonly isSlow?: boolean;
}

/** A data object that is gone for good, and the records that it held. */
export interface DestroyedObject extends ObjectRecords {
  readonly key: string;
}

/** How long a broker took to be of use. */
export interface CapacityTimes {
  readonly node: NodeId;
  /** What the times count from, in words. */
  readonly trigger: string;
  /** That it was to lead. */
  readonly partitions: number;
  /** Those that were seen, in order. */
  readonly steps: readonly { readonly step: CapacityStep; readonly afterMs: number }[];
  /** On its disks when it was in sync; absent where nobody tells. */
  readonly copiedBytes?: number;
}

/** Data only: all that a fresh process needs to put things back, without the scenario. */
export interface UndoRecord {
  readonly fault: FaultName;
  readonly steps: readonly UndoStep[];
}

/** Brokers by their addresses, and how they want to be spoken to: enough for another process to give them orders. */
export interface ClusterReference {
  /** The cluster's own id, where it tells one: an order is taken back on no other. */
  readonly clusterId?: string;
  readonly bootstrap: readonly Address[];
  readonly security?: SecurityReference;
}

/** What is put back by Kafka's own protocol. */
export type OrderStep =
  | {
      readonly do: 'restore-replicas';
      readonly cluster: ClusterReference;
      readonly topic: string;
      readonly partition: number;
      /** As they were, the preferred leader first. */
      readonly replicas: readonly number[];
      /** Where they are to stay once they have come there; absent where they are to go back. */
      readonly keep?: readonly number[];
    }
  | {
      readonly do: 'restore-settings';
      readonly cluster: ClusterReference;
      readonly broker: number;
      /** As they were set on this very broker; null where they were not. */
      readonly settings: Readonly<Record<string, string | null>>;
    }
  | { readonly do: 'delete-topic'; readonly cluster: ClusterReference; readonly topic: string };

interface ContainerPlace {
  readonly node: NodeId;
  readonly container: ContainerReference;
}

export type UndoStep =
  | OrderStep
  | { readonly do: 'start-node'; readonly node: NodeId; readonly container?: ContainerReference }
  | {
      readonly do: 'stop-node';
      readonly node: NodeId;
      readonly graceMs: number;
      /** Whose last partition must have left it before, so that no copy is stopped that is still needed. */
      readonly holdsNone?: { readonly cluster: ClusterReference; readonly broker: number };
    }
  | ({ readonly do: 'resume-process'; readonly node: NodeId } & ProcessIdentity)
  | {
      readonly do: 'end-volume-disturbance';
      /** Who serves the volumes, and where it is asked. */
      readonly node: NodeId;
      readonly admin: Address;
      readonly name: string;
    }
  | ({ readonly do: 'remove-fill'; readonly fill: VolumeFill } & ContainerPlace)
  | ({ readonly do: 'end-cut'; readonly cut: NetworkCut } & ContainerPlace)
  | ({ readonly do: 'end-disturbance'; readonly disturbance: PacketDisturbance } & ContainerPlace)
  | ({ readonly do: 'restore-limits'; readonly limits: Partial<ContainerLimits> } & ContainerPlace)
  | ({ readonly do: 'restore-endpoint'; readonly endpoint: NetworkEndpoint } & ContainerPlace)
  | {
      readonly do: 'run-command';
      /** Whom it is about, in words. */
      readonly whom: string;
      readonly heal: CommandCall;
      /** Ends with 0 once everything is as before. */
      readonly healed: CommandCall;
      /** How long the program that breaks may be at work. */
      readonly injectMs: number;
    }
  | {
      readonly do: 'remove-rules';
      /** Of an S3 fault proxy. */
      readonly admin: Address;
      /** Ids of the rules this fault adds; whatever else is there stays. */
      readonly rules: readonly string[];
    }
  | {
      readonly do: 'restore-proxy';
      readonly admin: { readonly host: string; readonly port: number };
      /** As it was. */
      readonly proxy: ProxyState;
      /** Names of the toxics this fault adds; whatever else is there is reported, never removed. */
      readonly toxics: readonly string[];
    };

/** Tells that a fault has begun to act, and what it did; only the first call counts. */
export type Begun = (answer: string) => void;

/** Ready to act; nothing has been changed yet, and of what was made for it the run knows how it goes away again (`makes`). */
export interface PreparedFault {
  readonly victims: readonly NodeId[];
  /** Broker ids among the victims. */
  readonly brokers: readonly number[];
  /** Nodes that are hit as well, although they are no victims: they can be no control of another fault. */
  readonly alongside?: readonly NodeId[];
  readonly undo: UndoRecord;
  /** How the victims were chosen, in words. */
  readonly chosen: string;
  /** What `apply` destroys for good, where it does: nothing puts that back. */
  readonly destroys?: readonly DestroyedObject[];
  /** The longest it may take to act, where that is not at once. */
  readonly longestMs?: number;
  /** How long one look at its evidence takes, where that may be long. */
  readonly lookMs?: number;
  /** The same of one look at whether it is over. */
  readonly healLookMs?: number;
  /**
   * Performs the fault. Its return proves nothing. One that takes several steps calls `begun` as soon as the first change is
   * made, or asked for where it is made bit by bit: from then on the load feels it.
   */
  apply(signal: AbortSignal, begun: Begun): Promise<{ readonly answer: string }>;
  /** One round of samples; called every 250 ms from `apply` until heal. */
  observe(signal: AbortSignal): Promise<readonly EvidenceSample[]>;
  /** Puts things back (same steps as `undo`); idempotent. */
  heal(signal: AbortSignal): Promise<void>;
  /** One round of samples that all hold once the fault is over and nothing is left behind. */
  observeHealed(signal: AbortSignal): Promise<readonly HealSample[]>;
  /** For a fault that makes brokers anew: how far each has come. */
  capacities?(): readonly CapacityTimes[];
  /** Closes the canaries' connections; called last, whatever happened. */
  close?(): void;
}

/** What a fault may ask of the run while it prepares. */
export interface FaultContext {
  readonly target: StartedTarget;
  readonly random: Random;
  readonly runId: string;
  /** Unique in the run; absent where there is only one. */
  readonly faultId?: string;
  /** Alias of the scenario (`orders`) → the topic's real name in this part of the run. */
  topicName(alias: string): string;
  /** How long it may last with all that belongs to it, ms: what ends by itself ends no earlier. Absent where nobody can tell. */
  readonly lifeMs?: number;
  /** What the scenario allows this fault, of what it needs and may be allowed. */
  readonly allow?: readonly string[];
  /**
   * Tells, before anything is made for a fault while it prepares, how that goes away again: durable when it returns. Whatever becomes
   * of the fault, whoever takes it back does that too, and last.
   */
  makes?(undo: UndoStep): Promise<void>;
  /** Nodes that other faults of the run have had in hand at any time since then, by the system clock. */
  struckByOthers?(sinceMs: number): ReadonlySet<NodeId>;
}

/** How a fault can be performed; `auto` picks the first that is usable and records it. */
export type BackendName =
  | 'command'
  | 'docker'
  | 'kafka'
  | 'netns'
  | 'object-store'
  | 'process'
  | 's3-proxy'
  | 'toxiproxy'
  | 'volume';

/** What is different of a cluster while a fault lasts, and what takes that back; parts of a sentence. */
export interface FaultChanges {
  readonly meanwhile: string;
  readonly undo: string;
}

/** What is known of a fault without any target: enough for the schema, `list` and the documents. */
export interface FaultDeclaration<P extends z.ZodRawShape = z.ZodRawShape> {
  readonly kind: FaultName;
  /** One sentence. */
  readonly summary: string;
  readonly recovery: 'healable' | 'one-shot';
  readonly requires: readonly CapabilityName[];
  /** Of these one is enough: each is another way to perform it. */
  readonly requiresOneOf?: readonly CapabilityName[];
  /** What it can be performed with as well, in the place of all of these. */
  readonly orElse?: CapabilityName;
  /** The paths that a target must have a proxy on; absent for faults that act on none, or that say so themselves. */
  paths?(params: z.infer<z.ZodObject<P>>): readonly PathName[];
  /** In order of preference. */
  readonly backends: readonly BackendName[];
  /** The selectors it accepts, the usual one first. */
  readonly victims: readonly VictimKind[];
  /** Whom it hits when the scenario names nobody; without one `victim` must be written. */
  readonly defaultVictim?: VictimSelector;
  /** `none` for a fault that ends by itself. */
  readonly duration: 'required' | 'none';
  /** `allow: [full-outage]` and the like must stand in the fault's YAML. */
  readonly needsAllow?: readonly string[];
  /** More that may stand there, for what it refuses otherwise. */
  readonly mayAllow?: readonly string[];
  /** The strict shape of `params`. */
  readonly params: P;
  /** What is wrong with parameters that fit their shape one by one but not together; a sentence. */
  problem?(params: z.infer<z.ZodObject<P>>): string | undefined;
  /** What is wrong with a victim and parameters that are right by themselves, but not together; a sentence. */
  mismatch?(victim: VictimSelector, params: z.infer<z.ZodObject<P>>): string | undefined;
  /** For whoever has to agree before it happens; absent where the summary says it all. */
  changes?(params: z.infer<z.ZodObject<P>>): FaultChanges;
}

export interface FaultDefinition<P extends z.ZodRawShape = z.ZodRawShape> extends FaultDeclaration<P> {
  /**
   * Chooses victims, takes the baseline (at least 20 quick probes for each canary) and writes down the undo. Changes nothing
   * but canary objects, and the canary topic, of which it tells `makes` before. Loads the machinery it needs itself, so that a
   * definition can be read without it.
   */
  prepare(
    context: FaultContext,
    victim: VictimSelector,
    params: z.infer<z.ZodObject<P>>,
    signal: AbortSignal,
  ): Promise<PreparedFault>;
}

export type VictimSelector =
  | { readonly kind: 'leaderOf' | 'followerOf' | 'followersOf'; readonly topic: string; readonly partition: number }
  | { readonly kind: 'broker'; readonly id: number }
  | { readonly kind: 'controller' }
  /** So many that the rest is no quorum, the leading one among them. */
  | { readonly kind: 'controllers' }
  /** The leading one and so many that they are no majority. */
  | { readonly kind: 'controllers-minority' }
  | { readonly kind: 'brokers-minority' | 'brokers-majority' }
  /** Any node, by its name in the target. */
  | { readonly kind: 'node'; readonly node: NodeId }
  | { readonly kind: 'random'; readonly count: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'object-store' | 'volume' };
export type VictimKind = VictimSelector['kind'];

/** What happened to a fault. */
export interface JournalEdge {
  readonly at: number;
  readonly wall: string;
  readonly id: string;
  readonly fault: FaultName;
  readonly edge: FaultEdge;
  readonly by: 'run' | 'watchdog' | 'heal';
  readonly victims: readonly NodeId[];
  readonly brokers: readonly number[];
  readonly undo?: UndoRecord;
  /** Wall-clock milliseconds after which the watchdog undoes the fault by itself. */
  readonly expires?: number;
  readonly evidence?: readonly (EvidenceSample & { readonly at: number })[];
  readonly reason?: string;
}

/**
 * One line of journal.ndjson, fsynced before the call it announces. `preparing` announces what is made before there is an intent;
 * `discarded` tells that it was taken away without one. They are no edges of a fault, and no timeline has them.
 */
export interface JournalLine extends Omit<JournalEdge, 'edge'> {
  readonly edge: FaultEdge | 'preparing' | 'discarded';
}
