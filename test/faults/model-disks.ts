// The disks of the model's brokers: what they hold is counted, not kept. An emptied one is as full as before once its broker is back.
import type { DirectoryIdentity, NodeDisks, NodeId, StoredState } from '../../src/targets/target.ts';

const FULL = { partitions: 6, bytes: 6000 };

export class ModelDisks implements NodeDisks {
  readonly nodes: readonly NodeId[];
  readonly #stored: Map<NodeId, StoredState>;
  #made = 0;

  constructor(nodes: readonly NodeId[]) {
    this.nodes = nodes;
    this.#stored = new Map(nodes.map((node) => [node, { ...FULL, ...this.#fresh() }]));
  }

  async look(node: NodeId): Promise<StoredState> {
    const stored = this.#stored.get(node);
    if (stored === undefined) throw new Error(`The model has no disk of ${node}.`);
    return await Promise.resolve(stored);
  }

  async replace(node: NodeId, identity: DirectoryIdentity): Promise<void> {
    const before = await this.look(node);
    const fresh = this.#fresh();
    const directoryId = identity === 'kept' ? before.directoryId : fresh.directoryId;
    this.#stored.set(node, { ...fresh, directoryId, partitions: 0, bytes: 0 });
  }

  /** What its peers have is copied to it. */
  rebuild(node: NodeId): void {
    const stored = this.#stored.get(node);
    if (stored !== undefined) this.#stored.set(node, { ...stored, ...FULL });
  }

  #fresh(): Pick<StoredState, 'directory' | 'directoryId'> {
    this.#made++;
    return { directory: `directory-${this.#made}`, directoryId: `id-${this.#made}` };
  }
}
