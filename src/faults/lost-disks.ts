// Disks that are taken away for good, and what was seen of them: another directory that is empty, peers whose directories are the
// same, and how much came back once the broker was started again.
import { EnvironmentError } from '../errors.ts';
import type { DirectoryIdentity, NodeDisks, NodeId, StartedTarget, StoredState } from '../targets/target.ts';
import { formatDuration, formatSize } from '../units.ts';
import type { EvidenceSample, FaultContext, HealSample } from './fault.ts';
import { LOSE_RECORDS } from './fault-params.ts';
import type { ClusterView } from './probes/cluster-metadata.ts';
import { type Scene, sampleEach } from './process-fault.ts';
import type { Victims } from './victim.ts';

const SHOWN = 3;

/** Nothing that is destroyed comes back, so that only what was made for the run may be. */
export const needEphemeral = (fault: string, { ephemeral, description }: StartedTarget): void => {
  if (ephemeral) return;
  throw new EnvironmentError(
    'FAULT_NOT_EPHEMERAL',
    `${fault} destroys what a broker has, and ${description.name} was not made for this run.`,
    { hint: 'Use a target that ackproof starts by itself.' },
  );
};

/** Partitions whose in-sync replicas are all among the victims: what they acknowledged is nowhere else. */
export const refuseLastCopies = (
  fault: string,
  { allow = [] }: FaultContext,
  { brokers }: Victims,
  { partitions }: ClusterView,
): void => {
  const ids = brokers.map(({ id }): number => id);
  const last = partitions.filter(({ inSync }) => inSync.length > 0 && inSync.every((id) => ids.includes(id)));
  if (last.length === 0 || allow.includes(LOSE_RECORDS)) return;
  const names = last.slice(0, SHOWN).map(({ topic, partition }) => `${topic}/${partition}`);
  const more = last.length > SHOWN ? ` and ${last.length - SHOWN} more` : '';
  throw new EnvironmentError(
    'FAULT_LAST_COPY',
    `${fault} would take the only copy in sync of ${names.join(', ')}${more}.`,
    { hint: `Use a replication factor above 1, or say allow: [destroy-state, ${LOSE_RECORDS}] and directoryId: kept.` },
  );
};

const contents = ({ partitions, bytes }: StoredState): string =>
  `${formatSize(bytes)} in ${partitions} ${partitions === 1 ? 'partition' : 'partitions'}`;

export class LostDisks {
  readonly #disks: NodeDisks;
  readonly #victims: readonly NodeId[];
  readonly #identity: DirectoryIdentity;
  /** Of every node, before the fault. */
  readonly #before: ReadonlyMap<NodeId, StoredState>;
  /** What each victim was first seen to have once the cluster was whole again. */
  readonly #rebuilt = new Map<NodeId, string>();

  private constructor(
    disks: NodeDisks,
    victims: readonly NodeId[],
    identity: DirectoryIdentity,
    before: ReadonlyMap<NodeId, StoredState>,
  ) {
    this.#disks = disks;
    this.#victims = victims;
    this.#identity = identity;
    this.#before = before;
  }

  /** Looks at the disks as they are. */
  static async open(disks: NodeDisks, victims: readonly NodeId[], identity: DirectoryIdentity): Promise<LostDisks> {
    const before = new Map<NodeId, StoredState>();
    for (const node of disks.nodes) before.set(node, await disks.look(node));
    return new LostDisks(disks, victims, identity, before);
  }

  /** What was there to lose. */
  get inWords(): string {
    return this.#victims
      .map((node) => {
        const was = this.#before.get(node);
        return was === undefined ? node : `${contents(was)} of ${node}`;
      })
      .join(', ');
  }

  async replace(node: NodeId): Promise<void> {
    await this.#disks.replace(node, this.#identity);
  }

  /** Each victim has another directory than before, and nothing is in it. */
  async sampleEmpty(): Promise<readonly EvidenceSample[]> {
    return await sampleEach(this.#victims, async (node) => {
      const now = await this.#disks.look(node);
      if (!this.#isAnother(node, now)) return { holds: false, seen: `the data directory of ${node} is the one it had` };
      const isEmpty = now.partitions === 0 && now.bytes === 0;
      const seen = isEmpty ? 'another one, and empty' : `another one, with ${contents(now)}`;
      return { holds: isEmpty, seen: `the data directory of ${node} is ${seen}` };
    });
  }

  /** The nodes that no fault has in hand still have the directories they had. */
  async samplePeers({ context, openedAtMs }: Scene): Promise<readonly EvidenceSample[]> {
    const struck = context.struckByOthers?.(openedAtMs);
    const peers = this.#disks.nodes.filter((node) => !this.#victims.includes(node) && struck?.has(node) !== true);
    const changed: NodeId[] = [];
    for (const node of peers) if (this.#differs(node, await this.#disks.look(node))) changed.push(node);
    if (peers.length === 0) return [];
    const seen =
      changed.length === 0
        ? `${peers.length} other data directories are the same`
        : `${changed.join(', ')} has another data directory, too`;
    return [{ kind: 'control', holds: changed.length === 0, seen }];
  }

  /** Once the cluster is whole: what came back, and how long that took since the broker was started. */
  async sampleRebuilt(tookMs: number, isWhole: boolean): Promise<readonly HealSample[]> {
    return await sampleEach(this.#victims, async (node) => {
      const told = this.#rebuilt.get(node);
      if (told !== undefined) return { holds: true, seen: told };
      const now = contents(await this.#disks.look(node));
      const seen = `${node} has ${now} again, ${formatDuration(tookMs)} after its start began`;
      if (isWhole) this.#rebuilt.set(node, seen);
      return { holds: isWhole, seen };
    });
  }

  #differs(node: NodeId, now: StoredState): boolean {
    return now.directory !== this.#before.get(node)?.directory;
  }

  #isAnother(node: NodeId, now: StoredState): boolean {
    const isNewId = now.directoryId !== this.#before.get(node)?.directoryId;
    return this.#differs(node, now) && isNewId === (this.#identity === 'new');
  }
}
