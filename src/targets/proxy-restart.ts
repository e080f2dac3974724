// Proxies of a target's own that are ended and started again because they answer nobody any more, and which of them were.
import { InternalError } from '../errors.ts';
import type { NodeProcess } from './node-process.ts';
import type { Address, NodeId } from './target.ts';

export class ProxyRestarts {
  /** By their names, in the order in which it was done. */
  readonly done: NodeId[] = [];
  readonly #processes: readonly NodeProcess[];
  readonly #admins: readonly Address[];

  /** `admins`: the control API of each process, in the same order. */
  constructor(processes: readonly NodeProcess[], admins: readonly Address[]) {
    this.#processes = processes;
    this.#admins = admins;
  }

  /** Returns once it serves the proxies that it was started with at first. */
  async restart({ host, port }: Address): Promise<void> {
    const index = this.#admins.findIndex((admin) => admin.host === host && admin.port === port);
    const found = this.#processes[index];
    if (found === undefined) throw new InternalError('TARGET_NO_PROXY', `No proxy of ours is at ${host}:${port}.`);
    this.done.push(found.command.node);
    if (found.identity !== undefined) await found.kill();
    await found.start();
  }
}
