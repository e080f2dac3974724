// Nodes that die several times, and what was seen of each death: a process that was there and is not any more, another one
// every time.
import { systemClock } from '../clock.ts';
import type { NodeId, ProcessIdentity } from '../targets/target.ts';
import type { Begun, EvidenceSample } from './fault.ts';
import { type Scene, sampleEach } from './process-fault.ts';

const isSame = (one: ProcessIdentity, other: ProcessIdentity): boolean =>
  one.pid === other.pid && one.startedAt === other.startedAt;

/** All deaths of the victims of one fault. */
export class Deaths {
  readonly #scene: Scene;
  readonly #times: number;
  readonly #seen = new Map<NodeId, ProcessIdentity[]>();

  constructor(scene: Scene, times: number) {
    this.#scene = scene;
    this.#times = times;
  }

  /** Kills each victim as often as wanted and starts it in between; it is up for `intervalMs` before it dies again. */
  async bring(intervalMs: number, signal: AbortSignal, begun: Begun): Promise<void> {
    const { victims } = this.#scene;
    await Promise.all(victims.nodes.map(async (node) => await this.#bringTo(node, intervalMs, signal, begun)));
  }

  /** Whether each victim died as often as wanted, and is dead now. */
  async sample(): Promise<readonly EvidenceSample[]> {
    const { processes, victims } = this.#scene;
    return await sampleEach(victims.nodes, async (node) => {
      const seen = this.#seen.get(node) ?? [];
      const state = await processes.state(node);
      const pids = seen.map(({ pid }) => pid).join(', ');
      return {
        holds: seen.length === this.#times && state !== 'running' && state !== 'paused',
        seen: `${node} died ${seen.length} of ${this.#times} times (${pids}) and is ${state}`,
      };
    });
  }

  async #bringTo(node: NodeId, intervalMs: number, signal: AbortSignal, begun: Begun): Promise<void> {
    const { processes } = this.#scene;
    for (let death = 1; death <= this.#times; death++) {
      if (death > 1) {
        await processes.start(node, signal);
        await systemClock.sleep(intervalMs, signal);
      }
      const doomed = await processes.identity(node);
      await processes.kill(node, signal);
      begun(`killed ${node}`);
      await this.#note(node, doomed);
    }
  }

  /** Counts a process that was there before and is gone now; the same one counts once. */
  async #note(node: NodeId, doomed: ProcessIdentity | undefined): Promise<void> {
    const { processes } = this.#scene;
    const seen = this.#seen.get(node) ?? [];
    if (doomed === undefined || seen.some((other) => isSame(other, doomed))) return;
    const now = await processes.identity(node);
    if (now === undefined || !isSame(now, doomed)) this.#seen.set(node, [...seen, doomed]);
  }
}
