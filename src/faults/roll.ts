// A roll over all brokers: each is stopped in order and started again, healthy before the next, and what was seen of it.
import { systemClock } from '../clock.ts';
import { DeadlineError } from '../errors.ts';
import type { Begun, EvidenceSample } from './fault.ts';
import { sampleWholeness } from './leadership.ts';
import { type Stop, sampleStop, stopNode } from './orderly-stop.ts';
import type { Scene } from './process-fault.ts';

const POLL_MS = 50;

export interface RollParams {
  readonly grace: number;
  readonly waitHealthy: number;
  readonly interval: number;
}

/** One roll over all brokers and what was seen of it. */
export class Roll {
  readonly #scene: Scene;
  readonly #order: readonly string[];
  readonly #stops = new Map<string, Stop>();
  readonly #back: string[] = [];
  #mostDown = 0;

  constructor(scene: Scene, order: readonly string[]) {
    this.#scene = scene;
    this.#order = order;
  }

  async run({ grace, waitHealthy, interval }: RollParams, signal: AbortSignal, begun: Begun): Promise<void> {
    for (const [index, node] of this.#order.entries()) {
      if (index > 0) await systemClock.sleep(interval, signal);
      this.#stops.set(node, await stopNode(this.#scene, node, grace, signal, begun));
      await this.control();
      await this.#scene.processes.start(node, signal);
      await this.#awaitHealth(node, waitHealthy, signal);
      this.#back.push(node);
    }
  }

  async mechanism(): Promise<readonly EvidenceSample[]> {
    const { processes, identities } = this.#scene;
    const renewed: string[] = [];
    for (const node of this.#back) {
      if ((await processes.identity(node))?.pid !== identities.get(node)?.pid) renewed.push(node);
    }
    const cycled: EvidenceSample = {
      kind: 'mechanism',
      holds: renewed.length === this.#order.length,
      seen: `${renewed.length} of ${this.#order.length} brokers restarted (${renewed.join(', ')})`,
    };
    return [cycled, ...this.#samples('mechanism')];
  }

  effect(): readonly EvidenceSample[] {
    const moved = this.#samples('effect');
    const isDone = this.#back.length === this.#order.length;
    const none: EvidenceSample = { kind: 'effect', holds: false, seen: 'no broker led anything that could move' };
    if (isDone) return moved.length === 0 ? [none] : moved;
    return [{ kind: 'effect', holds: false, seen: `${this.#back.length} brokers are done` }, ...moved];
  }

  /** Looks now, too: two brokers down at once would be another fault. */
  async control(): Promise<readonly EvidenceSample[]> {
    let down = 0;
    for (const node of this.#order) if ((await this.#scene.processes.state(node)) !== 'running') down++;
    this.#mostDown = Math.max(this.#mostDown, down);
    return [{ kind: 'control', holds: this.#mostDown <= 1, seen: `at most ${this.#mostDown} broker down at a time` }];
  }

  #samples(kind: EvidenceSample['kind']): readonly EvidenceSample[] {
    return [...this.#stops].flatMap(([node, stop]) => sampleStop(node, stop)).filter((sample) => sample.kind === kind);
  }

  async #awaitHealth(node: string, waitMs: number, signal: AbortSignal): Promise<void> {
    const { context, cluster } = this.#scene;
    const started = systemClock.now();
    for (;;) {
      const sample = await sampleWholeness(context.target, cluster, signal);
      if (sample.holds) return;
      const waited = systemClock.now() - started;
      if (waited > waitMs)
        throw new DeadlineError(`the cluster to be whole after the restart of ${node}`, waited, sample.seen);
      await systemClock.sleep(POLL_MS, signal);
    }
  }
}
