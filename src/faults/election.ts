// An election by order, and what shows it. A canary topic has two partitions on the brokers of the victim's partition: one is
// elected along with it and takes writes from the new leader only; the other nobody touches, and the old leader still takes its own.
import { systemClock } from '../clock.ts';
import { EnvironmentError } from '../errors.ts';
import type { Address, BrokerNode } from '../targets/target.ts';
import type { BrokerId } from '../vocabulary.ts';
import { electPreferredLeaders } from '../wire/leader-election.ts';
import { reassignPartitions } from '../wire/reassignment.ts';
import { CanaryTopic } from './canary-topic.ts';
import { clusterReference } from './cluster-reference.ts';
import type { EvidenceSample, FaultContext, HealSample, PreparedFault, ProbeClass, VictimSelector } from './fault.ts';
import {
  assertSameReplicas,
  openPartitionScene,
  orderLimit,
  type PartitionScene,
  prepareOrderFault,
  sampleUntouched,
} from './order-fault.ts';
import { PATIENT_MS, takeBaseline } from './probes/baseline.ts';
import { askAnyMetadata } from './probes/cluster-metadata.ts';
import { describeLeadership, lookAtPartition, type PartitionLook } from './probes/partition-look.ts';
import { describeProbe } from './probes/probe.ts';

/** The canary's partitions. */
const ELECTED = 0;
const UNTOUCHED = 1;
const NOT_LEADER: ProbeClass = 'kafka:6';
const CANARY_DEADLINE_MS = 2000;

interface Election extends PartitionScene {
  readonly oldLeader: BrokerNode;
  readonly newLeader: BrokerNode;
  /** The replicas in the order that makes the new leader the preferred one. */
  readonly order: readonly BrokerId[];
  readonly canary: CanaryTopic;
}

/** An in-sync follower, by the seed. */
const chooseLeader = ({ context, before, name }: PartitionScene): BrokerNode => {
  const followers = context.target.brokers
    .filter(({ id }) => id !== before.leader && before.inSync.includes(id) && before.replicas.includes(id))
    .sort((one, other) => one.id - other.id);
  if (followers.length > 0) return context.random.pick(followers);
  throw new EnvironmentError('VICTIM_UNKNOWN', `${name} has no in-sync follower that could lead it.`, {
    hint: 'Use a replication factor above 1, or begin the fault later.',
  });
};

const openElection = async (scene: PartitionScene, signal: AbortSignal): Promise<Election> => {
  const { context, before, victims } = scene;
  const [oldLeader] = victims.brokers;
  if (oldLeader === undefined)
    throw new EnvironmentError('VICTIM_UNKNOWN', `Nobody leads ${scene.name}.`, {
      hint: 'See that every partition has a leader before the fault begins.',
    });
  const newLeader = chooseLeader(scene);
  const startingWith = (id: number): BrokerId[] => [id, ...before.replicas.filter((each) => each !== id)] as BrokerId[];
  const asNow = startingWith(before.leader);
  const { target } = context;
  const canary = await CanaryTopic.create(context, [oldLeader], signal, [asNow, asNow]);
  for (const partition of [ELECTED, UNTOUCHED]) await canary.awaitTaken(partition, oldLeader.advertised, signal);
  await takeBaseline(
    `a write to ${oldLeader.node}`,
    async () => await canary.produce(UNTOUCHED, oldLeader.advertised, CANARY_DEADLINE_MS, signal),
  );
  // With the canary in it, so that there is always a partition that nobody touches.
  const cluster = await askAnyMetadata(target.evidenceBootstrap, signal, target.security);
  return { ...scene, cluster, oldLeader, newLeader, order: startingWith(newLeader.id), canary };
};

const sampleWrite = async (
  { canary }: Election,
  kind: EvidenceSample['kind'],
  what: string,
  partition: number,
  address: Address,
  wanted: ProbeClass,
  signal: AbortSignal,
): Promise<EvidenceSample> => {
  const result = await canary.produce(partition, address, PATIENT_MS, signal);
  return { kind, holds: result.class === wanted, seen: `${what}: ${describeProbe(result)}` };
};

const sampleLeadership = async (
  { client, place, name, before, newLeader }: Election,
  signal: AbortSignal,
): Promise<EvidenceSample> => {
  const now = await lookAtPartition(client, place, signal);
  const seen = `${name} is ${describeLeadership(now)} (was ${describeLeadership(before)})`;
  return { kind: 'mechanism', holds: now.leader === newLeader.id && now.epoch > before.epoch, seen };
};

/** For how long a partition has had one leader, in one epoch. */
class Steadiness {
  #last: PartitionLook | undefined;
  #sinceMs = 0;

  heldMs(now: PartitionLook): number {
    const nowMs = systemClock.now();
    const isSame = this.#last?.leader === now.leader && this.#last.epoch === now.epoch;
    if (!isSame || now.leader < 0) this.#sinceMs = nowMs;
    this.#last = now;
    return nowMs - this.#sinceMs;
  }
}

const sampleSteadiness = async (
  { client, place, name }: Election,
  steadiness: Steadiness,
  stableForMs: number,
  signal: AbortSignal,
): Promise<HealSample> => {
  const now = await lookAtPartition(client, place, signal);
  const heldMs = steadiness.heldMs(now);
  const seen = `${name} is ${describeLeadership(now)} for ${Math.round(heldMs)} of ${stableForMs} ms`;
  return { kind: 'effect', holds: now.leader >= 0 && heldMs >= stableForMs, seen };
};

const planElection = (election: Election, stableForMs: number): PreparedFault => {
  const { context, client, place, name, before, victims, oldLeader, newLeader, order, canary } = election;
  const ordered = [place, { topic: canary.name, partition: ELECTED }];
  const cluster = clusterReference(context.target, election.cluster);
  const steadiness = new Steadiness();
  return prepareOrderFault({
    fault: 'leader-election',
    scene: election,
    chosen: `${victims.chosen}; broker ${newLeader.id} is to lead it`,
    undo: [{ do: 'restore-replicas', cluster, ...place, replicas: before.replicas }],
    assertUnchanged: async (own) => await assertSameReplicas(election, own),
    apply: async (own, begun) => {
      await reassignPartitions(
        client,
        ordered.map((each) => ({ ...each, replicas: order })),
        orderLimit(own),
      );
      begun(`broker ${newLeader.id} is the preferred leader of ${name}`);
      await electPreferredLeaders(client, ordered, orderLimit(own));
      return { answer: `an election was held in ${name}` };
    },
    mechanism: async (own) => [await sampleLeadership(election, own)],
    effect: async (own) => {
      const write = async (to: BrokerNode, what: string, wanted: ProbeClass): Promise<EvidenceSample> =>
        await sampleWrite(
          election,
          'effect',
          `a write to ${what} leader, ${to.node}`,
          ELECTED,
          to.advertised,
          wanted,
          own,
        );
      return await Promise.all([write(newLeader, 'the new', 'ok'), write(oldLeader, 'the former', NOT_LEADER)]);
    },
    control: async (own) => {
      const what = `a write to what ${oldLeader.node} still leads`;
      return await Promise.all([
        sampleWrite(election, 'control', what, UNTOUCHED, oldLeader.advertised, 'ok', own),
        sampleUntouched(election, ordered, 'the leader epoch', (was, is) => was.epoch === is.epoch, own),
      ]);
    },
    healed: async (own) => [await sampleSteadiness(election, steadiness, stableForMs, own)],
  });
};

/** Chooses the new leader and makes the canary; the partition itself is not changed yet. */
export const prepareElection = async (
  context: FaultContext,
  selector: VictimSelector,
  stableForMs: number,
  signal: AbortSignal,
): Promise<PreparedFault> => {
  const scene = await openPartitionScene(context, selector, signal);
  try {
    return planElection(await openElection(scene, signal), stableForMs);
  } catch (thrown) {
    scene.client.close();
    throw thrown;
  }
};
