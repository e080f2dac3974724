// Which container each node runs in now. A container that was removed and made again is another one, and everybody who acts on the
// node must act on that.
import { InputError } from '../errors.ts';
import type { NodeId } from './target.ts';

/** A node and the container it runs in. */
export interface ContainerNode {
  readonly node: NodeId;
  readonly id: string;
}

export class ContainerRoster {
  readonly nodes: readonly NodeId[];
  readonly #ids: Map<NodeId, string>;

  constructor(nodes: readonly ContainerNode[]) {
    this.nodes = nodes.map(({ node }) => node);
    this.#ids = new Map(nodes.map(({ node, id }) => [node, id]));
  }

  /** @throws InputError for a node that is none of the target's. */
  idOf(node: NodeId): string {
    const id = this.#ids.get(node);
    if (id !== undefined) return id;
    throw new InputError('TARGET_NO_SUCH_NODE', `The target has no node named "${node}".`, {
      hint: `Its nodes: ${this.nodes.join(', ')}.`,
    });
  }

  /** From now on the node is that container. */
  replace(node: NodeId, id: string): void {
    this.#ids.set(node, id);
  }
}
