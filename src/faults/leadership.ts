// What the rest of the cluster makes of a broker that is gone: it is not named any more and what it led has another leader of a
// later epoch. And what it must make of one that is back.
import { systemClock } from '../clock.ts';
import type { BrokerNode, StartedTarget } from '../targets/target.ts';
import type { EvidenceSample, FaultContext } from './fault.ts';
import { askAnyMetadata, type ClusterView, type PartitionView } from './probes/cluster-metadata.ts';

const keyOf = (partition: PartitionView): string => `${partition.topic}/${partition.partition}`;

/** A leader of a later epoch elsewhere; with one replica there is nobody else, so nobody leads. */
const hasMoved = (was: PartitionView, now: PartitionView, gone: readonly number[]): boolean => {
  if (now.leader >= 0) return !gone.includes(now.leader) && now.epoch > was.epoch;
  return was.replicas.length <= 1;
};

/** The partitions that `ids` led and that still are where they were. */
export const notMoved = (before: ClusterView, now: ClusterView, ids: readonly number[]): readonly string[] => {
  const current = new Map(now.partitions.map((partition) => [keyOf(partition), partition]));
  return before.partitions
    .filter((partition) => ids.includes(partition.leader))
    .filter((partition) => {
      const after = current.get(keyOf(partition));
      return after !== undefined && !hasMoved(partition, after, ids);
    })
    .map(keyOf);
};

/** How many partitions `ids` led. */
export const ledBy = (view: ClusterView, ids: readonly number[]): number =>
  view.partitions.filter((partition) => ids.includes(partition.leader)).length;

/** The brokers that are not hit. */
export const askable = (target: StartedTarget, hit: readonly BrokerNode[]): readonly BrokerNode[] =>
  target.brokers.filter((broker) => !hit.some((each) => each.node === broker.node));

/** Whether the others have noticed that brokers are gone: not in metadata any more, and what they led is led elsewhere. */
export class AbsenceWatch {
  readonly #context: FaultContext;
  readonly #hit: readonly BrokerNode[];
  readonly #before: ClusterView;
  #wasShown = false;

  constructor(context: FaultContext, hit: readonly BrokerNode[], before: ClusterView) {
    this.#context = context;
    this.#hit = hit;
    this.#before = before;
  }

  /** One round; where other faults have silenced everybody who could be asked, what was shown before still counts. */
  async sample(signal: AbortSignal): Promise<readonly EvidenceSample[]> {
    const { target } = this.#context;
    const others = askable(target, this.#hit);
    if (others.length === 0) return [];
    try {
      const addresses = others.map(({ direct }) => direct);
      const samples = this.#samplesOf(await askAnyMetadata(addresses, signal, target.security));
      if (samples.every(({ holds }) => holds)) this.#wasShown = true;
      return samples;
    } catch (thrown) {
      const struck = this.#context.struckByOthers?.(systemClock.now());
      if (signal.aborted || !others.every(({ node }) => struck?.has(node) === true)) throw thrown;
      const seen = `nobody is left to ask, and it was ${this.#wasShown ? '' : 'not '}shown before`;
      return [{ kind: 'effect', holds: this.#wasShown, seen }];
    }
  }

  #samplesOf(now: ClusterView): readonly EvidenceSample[] {
    const ids = this.#hit.map((broker) => broker.id);
    const named = ids.filter((id) => now.brokers.includes(id));
    const stuck = notMoved(this.#before, now, ids);
    const led = ledBy(this.#before, ids);
    return [
      {
        kind: 'effect',
        holds: named.length === 0,
        seen:
          named.length === 0
            ? `metadata names no broker ${ids.join(', ')}`
            : `metadata still names broker ${named.join(', ')}`,
      },
      {
        kind: 'effect',
        holds: stuck.length === 0,
        seen:
          stuck.length === 0
            ? `${led} led partitions have moved`
            : `${stuck.length} of ${led} partitions have not moved`,
      },
    ];
  }
}

/** Healthy again: every broker is named, every partition has a leader and as many in-sync replicas as before. */
export const sampleWholeness = async (
  target: StartedTarget,
  before: ClusterView,
  signal: AbortSignal,
): Promise<EvidenceSample> => {
  const now = await askAnyMetadata(target.evidenceBootstrap, signal, target.security);
  const missing = before.brokers.filter((id) => !now.brokers.includes(id));
  const current = new Map(now.partitions.map((partition) => [keyOf(partition), partition]));
  const ill = before.partitions.filter((was) => {
    const is = current.get(keyOf(was));
    return is !== undefined && (is.leader < 0 || is.inSync.length < was.inSync.length);
  });
  const troubles = [
    ...(missing.length === 0 ? [] : [`broker ${missing.join(', ')} is not registered`]),
    ...(ill.length === 0 ? [] : [`${ill.length} partitions without a leader or a full set of replicas`]),
  ];
  return {
    kind: 'control',
    holds: troubles.length === 0,
    seen: troubles.length === 0 ? 'all brokers registered, every partition led' : troubles.join('; '),
  };
};
