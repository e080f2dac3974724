// Every broker in turn, stopped in order and started again, each healthy before the next. It ends by itself; its evidence is
// gathered on the way and holds as a whole only when the last broker is back.
import { z } from 'zod';
import { systemClock } from '../clock.ts';
import { DeadlineError } from '../errors.ts';
import type { EvidenceSample, FaultDefinition } from './fault.ts';
import { sampleWholeness } from './leadership.ts';
import { type Stop, sampleStop, stopNode } from './orderly-stop.ts';
import { openScene, prepareProcessFault, type Scene, startAgain } from './process-fault.ts';
import { durationField } from './unit-fields.ts';
import { resolveVictims } from './victim.ts';

const params = {
  order: z.enum(['ascending', 'random']).prefault('ascending'),
  interval: durationField({ max: '10m' }).prefault('500ms'),
  grace: durationField({ min: '100ms', max: '5m' }).prefault('10s'),
  waitHealthy: durationField({ min: '1s', max: '10m' }).prefault('20s'),
};

const POLL_MS = 50;
const START_MS = 10_000;

interface RollParams {
  readonly grace: number;
  readonly waitHealthy: number;
  readonly interval: number;
}

/** One roll over all brokers and what was seen of it. */
class Roll {
  readonly #scene: Scene;
  readonly #order: readonly string[];
  readonly #stops = new Map<string, Stop>();
  readonly #back: string[] = [];
  #mostDown = 0;

  constructor(scene: Scene, order: readonly string[]) {
    this.#scene = scene;
    this.#order = order;
  }

  async run({ grace, waitHealthy, interval }: RollParams, signal: AbortSignal): Promise<void> {
    for (const [index, node] of this.#order.entries()) {
      if (index > 0) await systemClock.sleep(interval, signal);
      this.#stops.set(node, await stopNode(this.#scene, node, grace, signal));
      this.control();
      await this.#scene.processes.start(node, signal);
      await this.#awaitHealth(node, waitHealthy, signal);
      this.#back.push(node);
    }
  }

  mechanism(): readonly EvidenceSample[] {
    const { processes, identities } = this.#scene;
    const renewed = this.#back.filter((node) => processes.identity(node)?.pid !== identities.get(node)?.pid);
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
  control(): readonly EvidenceSample[] {
    const down = this.#order.filter((node) => this.#scene.processes.state(node) !== 'running').length;
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

export const rollingRestart = {
  kind: 'rolling-restart',
  summary: 'Stops and starts every broker, one after the other, each healthy before the next.',
  recovery: 'healable',
  requires: ['processes'],
  backends: ['process'],
  victims: ['all'],
  defaultVictim: { kind: 'all' },
  duration: 'none',
  params,
  prepare: async (context, selector, given, signal) => {
    const victims = await resolveVictims(context, selector, signal);
    const scene = await openScene('rolling-restart', context, victims, signal, { bringsControls: true });
    const order = given.order === 'random' ? context.random.shuffle(victims.nodes) : victims.nodes;
    const roll = new Roll(scene, order);
    return prepareProcessFault({
      fault: 'rolling-restart',
      scene: { ...scene, victims: { ...victims, chosen: `every broker, in the order ${order.join(', ')}` } },
      undo: startAgain(victims),
      longestMs: order.length * (given.grace + START_MS + given.waitHealthy + given.interval),
      apply: async (own) => {
        await roll.run(given, own);
        return { answer: `restarted ${order.join(', ')}` };
      },
      mechanism: () => roll.mechanism(),
      effect: async () => await Promise.resolve(roll.effect()),
      control: () => roll.control(),
    });
  },
} satisfies FaultDefinition<typeof params>;
