// One more broker: who it is, which partitions it gets, and what shows that it carries them. It takes the place of the leader in
// each, so that there are as many replicas as before.
import { systemClock } from '../clock.ts';
import { EnvironmentError } from '../errors.ts';
import type { BrokerNode, ProcessControl } from '../targets/target.ts';
import type { BrokerId } from '../vocabulary.ts';
import { describeLogDirs } from '../wire/log-dirs.ts';
import { type ReplicaAssignment, reassignPartitions } from '../wire/reassignment.ts';
import { CapacityWatch } from './capacity-watch.ts';
import { clusterReference } from './cluster-reference.ts';
import type { Begun, EvidenceSample, FaultContext, PreparedFault, VictimSelector } from './fault.ts';
import {
  openPartitionScene,
  orderLimit,
  type PartitionScene,
  prepareOrderFault,
  sampleUntouched,
  untouchedOf,
} from './order-fault.ts';
import { askAnyMetadata, type PartitionView } from './probes/cluster-metadata.ts';
import { requireCapability } from './victim.ts';

/** For its process to start, for others to name it, and for the order to be taken. */
const JOIN_MS = 120_000;
const POLL_MS = 100;

export interface JoinParams {
  readonly partitions?: number;
  readonly grace: number;
}

interface Join {
  readonly scene: PartitionScene;
  readonly processes: ProcessControl;
  readonly newcomer: BrokerNode;
  /** As they are to be, the newcomer first. */
  readonly moves: readonly ReplicaAssignment[];
  /** The same partitions as they were. */
  readonly before: readonly PartitionView[];
}

/** A spare broker that has no process. @throws EnvironmentError where all have one. */
const chooseNewcomer = async ({ target }: FaultContext, processes: ProcessControl): Promise<BrokerNode> => {
  const { brokers } = requireCapability(target.can.spares, 'spares', target);
  for (const broker of brokers) {
    const state = await processes.state(broker.node);
    if (state === 'stopped' || state === 'gone') return broker;
  }
  throw new EnvironmentError('JOIN_NO_SPARE', 'Every spare broker of the target runs already.', {
    hint: 'Give the target file more spareBrokers.',
  });
};

/** The named partition and those behind it, in a circle: with an even share for each broker where nobody says how many. */
const choosePartitions = (
  { cluster, place, context }: PartitionScene,
  wanted: number | undefined,
): readonly PartitionView[] => {
  const all = cluster.partitions
    .filter(({ topic }) => topic === place.topic)
    .sort((one, other) => one.partition - other.partition);
  const share = Math.max(1, Math.floor(all.length / (context.target.brokers.length + 1)));
  const first = all.findIndex(({ partition }) => partition === place.partition);
  const inOrder = [...all.slice(first), ...all.slice(0, first)];
  return inOrder.slice(0, Math.min(wanted ?? share, all.length));
};

/** The newcomer would hold the only copy, and nothing of it be left once it is stopped. @throws EnvironmentError */
const refuseLastCopies = (chosen: readonly PartitionView[]): void => {
  const single = chosen.find(({ replicas }) => replicas.length < 2);
  if (single === undefined) return;
  throw new EnvironmentError(
    'JOIN_ONLY_COPY',
    `${single.topic}/${single.partition} has one replica, and a broker that leaves again shall not hold the only copy.`,
    { hint: 'Use a replication factor above 1.' },
  );
};

const moveTo = (id: BrokerId, { topic, partition, replicas, leader }: PartitionView): ReplicaAssignment => ({
  topic,
  partition,
  replicas: [id, ...(replicas.filter((each) => each !== leader) as BrokerId[])],
});

/** Waits until others name it. */
const awaitRegistered = async ({ scene, newcomer }: Join, signal: AbortSignal): Promise<void> => {
  const { target } = scene.context;
  for (;;) {
    const view = await askAnyMetadata(target.evidenceBootstrap, signal, target.security);
    if (view.brokers.includes(newcomer.id)) return;
    await systemClock.sleep(POLL_MS, signal);
  }
};

const sampleProcess = async ({ processes, newcomer, scene }: Join, signal: AbortSignal): Promise<EvidenceSample[]> => {
  const { target } = scene.context;
  const state = await processes.state(newcomer.node);
  const view = await askAnyMetadata(target.evidenceBootstrap, signal, target.security);
  const named = view.brokers.includes(newcomer.id);
  const seen = `${newcomer.node} is ${state}, and ${named ? 'named' : 'not named'} by the others`;
  return [{ kind: 'mechanism', holds: state === 'running' && named, seen }];
};

const sampleLeads = async ({ moves, newcomer, scene }: Join, signal: AbortSignal): Promise<EvidenceSample> => {
  const { target } = scene.context;
  const { partitions } = await askAnyMetadata(target.evidenceBootstrap, signal, target.security);
  const led = moves.filter(({ topic, partition }) =>
    partitions.some((now) => now.topic === topic && now.partition === partition && now.leader === newcomer.id),
  );
  const seen = `${newcomer.node} leads ${led.length} of ${moves.length} partitions`;
  return { kind: 'effect', holds: led.length === moves.length, seen };
};

const watchOf = async (join: Join, signal: AbortSignal): Promise<CapacityWatch> => {
  const { scene, newcomer, moves } = join;
  const places = moves.map(({ topic, partition }) => ({ topic, partition }));
  const copied = async (): Promise<number> => {
    const directories = await describeLogDirs(scene.client, newcomer.id, places, { deadlineMs: 5000 });
    return directories.flatMap(({ replicas }) => replicas).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  };
  const { target } = scene.context;
  const trigger = 'its start was ordered';
  return await CapacityWatch.open({ target, broker: newcomer, partitions: places, trigger, copied }, signal);
};

const apply = async (join: Join, watch: CapacityWatch, own: AbortSignal, begun: Begun): Promise<string> => {
  const { scene, processes, newcomer, moves } = join;
  watch.begin();
  await processes.start(newcomer.node, own);
  begun(`started ${newcomer.node}`);
  await awaitRegistered(join, own);
  await reassignPartitions(scene.client, moves, orderLimit(own));
  return `started ${newcomer.node} and ordered ${moves.length} partitions to it`;
};

const planJoin = (join: Join, watch: CapacityWatch, graceMs: number): PreparedFault => {
  const { scene, newcomer, moves, before } = join;
  const { context } = scene;
  const cluster = clusterReference(context.target, scene.cluster);
  const relieved = context.target.brokers.filter(({ id }) => before.some(({ leader }) => leader === id));
  const chosen = `${newcomer.node}, to lead ${moves.map(({ partition }) => `${partition}`).join(', ')} of ${scene.name.split('/')[0] ?? ''}`;
  // What its partitions do is what the former leaders' partitions did: by these the load knows whom it is about.
  const victims = { nodes: [newcomer.node], brokers: relieved, chosen };
  return prepareOrderFault({
    fault: 'broker-join',
    scene: { ...scene, victims },
    chosen,
    longestMs: JOIN_MS,
    undo: [
      { do: 'stop-node', node: newcomer.node, graceMs, holdsNone: { cluster, broker: newcomer.id } },
      ...before.map(({ topic, partition, replicas }) => ({
        ...{ do: 'restore-replicas' as const, cluster, topic, partition, replicas },
      })),
    ],
    apply: async (own, begun) => ({ answer: await apply(join, watch, own, begun) }),
    mechanism: async (own) => await sampleProcess(join, own),
    effect: async (own) => [await sampleLeads(join, own), watch.sample()],
    control: async (own) => [
      await sampleUntouched(
        scene,
        moves,
        'their replicas',
        (was, is) => [...was.replicas].sort().join() === [...is.replicas].sort().join(),
        own,
      ),
    ],
    capacities: () => watch.times,
    close: () => watch.close(),
  });
};

/** Looks who is there and what moves; nothing is changed yet. */
export const prepareJoin = async (
  context: FaultContext,
  selector: VictimSelector,
  { partitions, grace }: JoinParams,
  signal: AbortSignal,
): Promise<PreparedFault> => {
  const { target } = context;
  const processes = requireCapability(target.can.processes, 'processes', target);
  const newcomer = await chooseNewcomer(context, processes);
  const scene = await openPartitionScene(context, selector, signal);
  try {
    const before = choosePartitions(scene, partitions);
    refuseLastCopies(before);
    const moves = before.map((each) => moveTo(newcomer.id, each));
    if (untouchedOf(scene, moves).length === 0) {
      throw new EnvironmentError('FAULT_NO_CONTROL', 'Every partition would move, and none is left to compare with.', {
        hint: 'Use a topic of more partitions, or move fewer.',
      });
    }
    const join = { scene, processes, newcomer, moves, before };
    return planJoin(join, await watchOf(join, signal), grace);
  } catch (thrown) {
    scene.client.close();
    throw thrown;
  }
};
