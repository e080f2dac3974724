// Moving the replicas of one partition, and what shows it: who holds it by the cluster's own word, that the new ones came in sync,
// and that the data is on their disks.
import { EnvironmentError } from '../errors.ts';
import type { BrokerId } from '../vocabulary.ts';
import { isNotServed } from '../wire/api-negotiation.ts';
import { describeLogDirs } from '../wire/log-dirs.ts';
import { WireError } from '../wire/protocol.ts';
import { ongoingReassignments, reassignPartitions } from '../wire/reassignment.ts';
import { clusterReference } from './cluster-reference.ts';
import type { EvidenceSample, FaultContext, PreparedFault, VictimSelector } from './fault.ts';
import {
  openPartitionScene,
  orderLimit,
  type PartitionScene,
  prepareOrderFault,
  sampleUntouched,
  untouchedOf,
} from './order-fault.ts';
import { describeLeadership, lookAtPartition } from './probes/partition-look.ts';

const CLUSTER_AUTHORIZATION_FAILED = 31;

export interface MoveParams {
  readonly to?: readonly number[];
  readonly keep: boolean;
}

interface Move {
  readonly to: readonly number[];
  readonly keep: boolean;
}

const sorted = (ids: readonly number[]): string => [...ids].sort((one, other) => one - other).join(', ');

/** A follower's place, or that of the only replica, goes to a broker without one, both by the seed. */
const chooseHolders = ({ context, before, cluster, name }: PartitionScene): readonly number[] => {
  const others = cluster.brokers.filter((id) => !before.replicas.includes(id)).sort((one, other) => one - other);
  if (others.length === 0) {
    throw new EnvironmentError('MOVE_UNUSABLE', `Every broker holds ${name}, so it cannot be moved.`, {
      hint: 'Use a smaller replication factor, or more brokers.',
    });
  }
  const followers = before.replicas.filter((id) => id !== before.leader);
  const leaving = context.random.pick(followers.length === 0 ? before.replicas : followers);
  const coming = context.random.pick(others);
  return before.replicas.map((id) => (id === leaving ? coming : id));
};

/** What makes no sense of a move, once the partition is known. @throws EnvironmentError */
const assertMove = ({ name, before, cluster }: PartitionScene, to: readonly number[]): void => {
  const refuse = (why: string, hint: string): never => {
    throw new EnvironmentError('MOVE_UNUSABLE', `${name} cannot be moved to brokers ${to.join(', ')}: ${why}.`, {
      hint,
    });
  };
  const unknown = to.filter((id) => !cluster.brokers.includes(id));
  if (unknown.length > 0) {
    refuse(`there is no broker ${unknown.join(', ')}`, `Name some of ${sorted(cluster.brokers)} in params.to.`);
  }
  const count = before.replicas.length;
  if (to.length !== count) refuse(`it has ${count} replicas`, `Name ${count} brokers in params.to.`);
  if (sorted(to) === sorted(before.replicas)) {
    refuse('they hold it already', 'Name another broker, or use leader-election to change only who leads.');
  }
};

const sampleHolders = async (
  { client, place, name, before }: PartitionScene,
  to: readonly number[],
  signal: AbortSignal,
): Promise<EvidenceSample> => {
  const now = await lookAtPartition(client, place, signal);
  const [ongoing] = await ongoingReassignments(client, [place], orderLimit(signal));
  const state = ongoing === undefined ? 'is held by' : 'is still moving among';
  const seen = `${name} ${state} ${now.replicas.join(', ')} (was ${before.replicas.join(', ')})`;
  return { kind: 'mechanism', holds: ongoing === undefined && now.replicas.join() === to.join(), seen };
};

const sampleInSync = async (
  { client, place, name }: PartitionScene,
  to: readonly number[],
  signal: AbortSignal,
): Promise<EvidenceSample> => {
  const now = await lookAtPartition(client, place, signal);
  const holds = sorted(now.inSync) === sorted(to) && to.includes(now.leader);
  return { kind: 'effect', holds, seen: `${name} is in sync on ${sorted(now.inSync)}, ${describeLeadership(now)}` };
};

/** Whether a question about disks is one that this cluster, or this user, gets no answer to. */
const isUntold = (thrown: unknown): boolean =>
  isNotServed(thrown) || (thrown instanceof WireError && thrown.kafkaCode === CLUSTER_AUTHORIZATION_FAILED);

/** What a broker has of it on its disks; nothing where that is not told. */
const sampleDisk = async (
  { client, place, name }: PartitionScene,
  broker: number,
  signal: AbortSignal,
): Promise<readonly EvidenceSample[]> => {
  try {
    const directories = await describeLogDirs(client, broker as BrokerId, [place], orderLimit(signal));
    const replicas = directories.flatMap((directory) => directory.replicas);
    const bytes = replicas.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const seen =
      replicas.length === 0
        ? `broker ${broker} has no log of ${name}`
        : `broker ${broker} has ${bytes} bytes of ${name}`;
    return [{ kind: 'effect', holds: replicas.length > 0, seen }];
  } catch (thrown) {
    if (isUntold(thrown)) return [];
    throw thrown;
  }
};

const planMove = (scene: PartitionScene, { to, keep }: Move): PreparedFault => {
  const { context, client, place, name, before } = scene;
  const added = to.filter((id) => !before.replicas.includes(id));
  const cluster = clusterReference(context.target, scene.cluster);
  const moved = `from brokers ${before.replicas.join(', ')} to ${to.join(', ')}`;
  return prepareOrderFault({
    fault: 'partition-reassignment',
    scene,
    chosen: `${name}, ${moved}`,
    undo: [{ do: 'restore-replicas', cluster, ...place, replicas: before.replicas, ...(keep && { keep: to }) }],
    apply: async (own) => {
      const replicas = to as readonly BrokerId[];
      await reassignPartitions(client, [{ ...place, replicas }], orderLimit(own));
      return { answer: `ordered ${name} ${moved}` };
    },
    mechanism: async (own) => [await sampleHolders(scene, to, own)],
    effect: async (own) => [
      await sampleInSync(scene, to, own),
      ...(await Promise.all(added.map(async (broker) => await sampleDisk(scene, broker, own)))).flat(),
    ],
    control: async (own) => [
      await sampleUntouched(
        scene,
        [place],
        'their replicas',
        (was, is) => sorted(was.replicas) === sorted(is.replicas),
        own,
      ),
    ],
  });
};

/** Sees whether the move makes sense; nothing is changed yet. */
export const prepareMove = async (
  context: FaultContext,
  selector: VictimSelector,
  given: MoveParams,
  signal: AbortSignal,
): Promise<PreparedFault> => {
  const scene = await openPartitionScene(context, selector, signal);
  try {
    const to = given.to ?? chooseHolders(scene);
    assertMove(scene, to);
    if (untouchedOf(scene, [scene.place]).length > 0) return planMove(scene, { to, keep: given.keep });
    throw new EnvironmentError('FAULT_NO_CONTROL', `There is no partition besides ${scene.name} to compare it with.`, {
      hint: 'Use a topic of more than one partition.',
    });
  } catch (thrown) {
    scene.client.close();
    throw thrown;
  }
};
