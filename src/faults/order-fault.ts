// Faults that are orders to the cluster by Kafka's own protocol: what they share. A fault says what it orders and what shows that
// the order was carried out; the client, the undo, what nobody touched and the proof of healing are here.
import { systemClock } from '../clock.ts';
import { EnvironmentError, InternalError } from '../errors.ts';
import type { StartedTarget } from '../targets/target.ts';
import { ClusterClient } from '../wire/cluster-client.ts';
import type { CallOptions, TopicPartition } from '../wire/evidence-calls.ts';
import { ongoingReassignments } from '../wire/reassignment.ts';
import type {
  Begun,
  CapacityTimes,
  EvidenceSample,
  FaultContext,
  HealSample,
  PreparedFault,
  UndoRecord,
  UndoStep,
  VictimSelector,
} from './fault.ts';
import { healError } from './heal-stack.ts';
import { sampleWholeness } from './leadership.ts';
import { askAnyMetadata, type ClusterView, type PartitionView } from './probes/cluster-metadata.ts';
import { lookAtPartition, type PartitionLook } from './probes/partition-look.ts';
import { leftOf, performUndo, reachOf } from './undo.ts';
import { requireCapability, resolveVictims, type Victims } from './victim.ts';

const ORDER_DEADLINE_MS = 10_000;

/** The cluster before the order. */
export interface OrderScene {
  readonly context: FaultContext;
  readonly victims: Victims;
  readonly client: ClusterClient;
  readonly cluster: ClusterView;
  /** By the system clock. */
  readonly openedAtMs: number;
}

/** One partition that is to be changed. */
export interface PartitionScene extends OrderScene {
  readonly place: TopicPartition;
  /** As the scenario names it: `orders/0`. */
  readonly name: string;
  readonly before: PartitionLook;
}

/** How long an order may take, and who may end it. */
export const orderLimit = (signal: AbortSignal): CallOptions => ({ deadlineMs: ORDER_DEADLINE_MS, signal });

/** Looks at what an order fault compares with later; close its client. */
export const openOrderScene = async (
  context: FaultContext,
  selector: VictimSelector,
  signal: AbortSignal,
): Promise<OrderScene> => {
  const { target } = context;
  requireCapability(target.can.administration, 'administration', target);
  const openedAtMs = systemClock.now();
  const victims = await resolveVictims(context, selector, signal);
  const cluster = await askAnyMetadata(target.evidenceBootstrap, signal, target.security);
  const client = new ClusterClient({
    bootstrap: target.evidenceBootstrap,
    clientId: 'ackproof-fault',
    security: target.security,
  });
  return { context, victims, client, cluster, openedAtMs };
};

const assertAtRest = async ({ client, name, place }: Omit<PartitionScene, 'before'>, signal: AbortSignal) => {
  const ongoing = await ongoingReassignments(client, [place], orderLimit(signal));
  if (ongoing.length === 0) return;
  throw new EnvironmentError('PARTITION_MOVES', `${name} is being moved to other brokers by somebody else.`, {
    hint: 'Let that come to its end, or choose another partition.',
  });
};

/** The same for a partition, by its leader. */
export const openPartitionScene = async (
  context: FaultContext,
  selector: VictimSelector,
  signal: AbortSignal,
): Promise<PartitionScene> => {
  if (selector.kind !== 'leaderOf') throw new InternalError('FAULT_NO_PARTITION', 'A partition was to be named.');
  const opened = await openOrderScene(context, selector, signal);
  const place = { topic: context.topicName(selector.topic), partition: selector.partition };
  const scene = { ...opened, place, name: `${selector.topic}/${selector.partition}` };
  try {
    await assertAtRest(scene, signal);
    return { ...scene, before: await lookAtPartition(scene.client, place, signal) };
  } catch (thrown) {
    scene.client.close();
    throw thrown;
  }
};

/** Right before an order: that the replicas to be put back are still those that hold it. @throws EnvironmentError */
export const assertSameReplicas = async (scene: PartitionScene, signal: AbortSignal): Promise<void> => {
  const { client, place, name, before } = scene;
  await assertAtRest(scene, signal);
  const { replicas } = await lookAtPartition(client, place, signal);
  if (replicas.join() === before.replicas.join()) return;
  throw new EnvironmentError(
    'PARTITION_MOVED',
    `${name} is held by brokers ${replicas.join(', ')} now, and by ${before.replicas.join(', ')} when it was looked at: somebody else has moved it.`,
    { hint: 'Give orders while nobody else does, or choose another partition.' },
  );
};

/**
 * The partitions that nobody has a reason to change: not those of the order, none that another fault has in hand, and none that
 * the cluster may give back to its preferred leader.
 */
export const untouchedOf = (
  { context, cluster, openedAtMs }: OrderScene,
  ordered: readonly TopicPartition[],
): readonly PartitionView[] => {
  const struck = context.struckByOthers?.(openedAtMs);
  const isStruck = (id: number): boolean => {
    const node = context.target.brokers.find((broker) => broker.id === id)?.node;
    return node !== undefined && struck?.has(node) === true;
  };
  const isOrdered = ({ topic, partition }: PartitionView): boolean =>
    ordered.some((place) => place.topic === topic && place.partition === partition);
  return cluster.partitions.filter(
    (each) => !isOrdered(each) && each.leader === each.replicas[0] && !each.replicas.some(isStruck),
  );
};

/** Whether those are still as they were, in the sense of `isSame`; `what` stays, in words. */
export const sampleUntouched = async (
  scene: OrderScene,
  ordered: readonly TopicPartition[],
  what: string,
  isSame: (was: PartitionView, is: PartitionView) => boolean,
  signal: AbortSignal,
): Promise<EvidenceSample> => {
  const { target } = scene.context;
  const untouched = untouchedOf(scene, ordered);
  const now = await askAnyMetadata(target.evidenceBootstrap, signal, target.security);
  const changed = untouched.filter((was) => {
    const is = now.partitions.find((each) => each.topic === was.topic && each.partition === was.partition);
    return is !== undefined && !isSame(was, is);
  });
  const names = changed.map(({ topic, partition }) => `${topic}/${partition}`).join(', ');
  return {
    kind: 'control',
    holds: untouched.length > 0 && changed.length === 0,
    seen:
      changed.length === 0 ? `${untouched.length} other partitions keep ${what}` : `${names}: not ${what} of before`,
  };
};

export interface OrderPlan {
  readonly fault: UndoRecord['fault'];
  readonly scene: OrderScene;
  readonly chosen: string;
  readonly undo: readonly UndoStep[];
  readonly longestMs?: number;
  capacities?(): readonly CapacityTimes[];
  close?(): void;
  /** Sees right before the order that what `undo` puts back is still what is there. @throws EnvironmentError where it is not. */
  assertUnchanged?(signal: AbortSignal): Promise<void>;
  apply(signal: AbortSignal, begun: Begun): Promise<{ readonly answer: string }>;
  mechanism(signal: AbortSignal): Promise<readonly EvidenceSample[]>;
  effect(signal: AbortSignal): Promise<readonly EvidenceSample[]>;
  control(signal: AbortSignal): Promise<readonly EvidenceSample[]>;
  /** What more must hold once it is over. */
  healed?(signal: AbortSignal): Promise<readonly HealSample[]>;
}

/** What is put back as it was before the order; without an order somebody else's would be undone by it. */
const PUTS_BACK: ReadonlySet<UndoStep['do']> = new Set(['restore-replicas', 'restore-settings']);

class OrderFault implements PreparedFault {
  readonly victims: PreparedFault['victims'];
  readonly brokers: PreparedFault['brokers'];
  readonly chosen: string;
  readonly undo: UndoRecord;
  readonly longestMs?: number;
  readonly #plan: OrderPlan;
  #isOrdered = false;

  constructor(plan: OrderPlan) {
    const { victims } = plan.scene;
    this.#plan = plan;
    this.victims = victims.nodes;
    this.brokers = victims.brokers.map((broker) => broker.id);
    this.chosen = plan.chosen;
    this.undo = { fault: plan.fault, steps: plan.undo };
    if (plan.longestMs !== undefined) this.longestMs = plan.longestMs;
  }

  async apply(signal: AbortSignal, begun: Begun): Promise<{ readonly answer: string }> {
    await this.#plan.assertUnchanged?.(signal);
    this.#isOrdered = true;
    return await this.#plan.apply(signal, begun);
  }

  async observe(signal: AbortSignal): Promise<readonly EvidenceSample[]> {
    const plan = this.#plan;
    return (await Promise.all([plan.mechanism(signal), plan.effect(signal), plan.control(signal)])).flat();
  }

  async heal(signal: AbortSignal): Promise<void> {
    const error = healError(await performUndo([this.#ownUndo], reachOf(this.#target), signal));
    if (error !== undefined) throw error;
  }

  async observeHealed(signal: AbortSignal): Promise<readonly HealSample[]> {
    const left = await leftOf(this.#ownUndo, reachOf(this.#target));
    const seen = left.length === 0 ? 'every order was taken back' : left.map(({ what }) => what).join('; ');
    return [
      { kind: 'mechanism', holds: left.length === 0, seen },
      // Of what nobody ordered, nothing is to be made whole.
      ...(this.#isOrdered ? [await sampleWholeness(this.#target, this.#plan.scene.cluster, signal)] : []),
      ...((await this.#plan.healed?.(signal)) ?? []),
    ];
  }

  capacities(): readonly CapacityTimes[] {
    return this.#plan.capacities?.() ?? [];
  }

  close(): void {
    this.#plan.close?.();
    this.#plan.scene.client.close();
  }

  get #ownUndo(): UndoRecord {
    if (this.#isOrdered) return this.undo;
    return { ...this.undo, steps: this.undo.steps.filter((step) => !PUTS_BACK.has(step.do)) };
  }

  get #target(): StartedTarget {
    return this.#plan.scene.context.target;
  }
}

export const prepareOrderFault = (plan: OrderPlan): PreparedFault => new OrderFault(plan);
