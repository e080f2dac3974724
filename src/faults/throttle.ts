// Throttling containers, and the proof of it: the kernel's count of periods in which they had to wait goes on rising, and a new
// connection takes clearly longer than it did, now and then. A container waits only while it wants more than its share, so that
// both are looked for over a few rounds.
import { systemClock } from '../clock.ts';
import { EnvironmentError } from '../errors.ts';
import type { ContainerLimits, CpuLimits } from '../targets/container-control.ts';
import { cpuLimitsOf, limitDifferences } from '../targets/container-limits.ts';
import type { NodeId } from '../targets/target.ts';
import type { ContainerScene } from './container-fault.ts';
import { CounterTrail } from './counter-trail.ts';
import type { Begun, EvidenceSample, HealSample, UndoStep } from './fault.ts';
import { OwnEffect } from './own-effect.ts';
import { sampleEach } from './process-fault.ts';
import { SlowAnswers } from './slow-answers.ts';

/** The kernel takes no shorter share of a period, µs. */
const LEAST_QUOTA_US = 1000;
/** Within this a throttled container must have waited at least once, ms. */
const RISES_WITHIN_MS = 3000;
/** Within this a container that is free again must not have waited, ms. */
const STILL_FOR_MS = 300;

const shareOf = ({ nanoCpus, cpuQuotaUs, cpuPeriodUs }: CpuLimits): number => {
  if (nanoCpus > 0) return nanoCpus / 1e9;
  return cpuQuotaUs > 0 ? cpuQuotaUs / cpuPeriodUs : Number.POSITIVE_INFINITY;
};

/** The limit in the form in which the container has one already; the engine refuses to mix them. */
const throttled = (was: ContainerLimits, share: number): Partial<CpuLimits> =>
  was.nanoCpus > 0
    ? { nanoCpus: Math.round(share * 1e9) }
    : { cpuQuotaUs: Math.max(LEAST_QUOTA_US, Math.round(share * was.cpuPeriodUs)) };

class Throttle {
  readonly undo: readonly UndoStep[];
  readonly #scene: ContainerScene;
  readonly #wanted: ReadonlyMap<NodeId, Partial<CpuLimits>>;
  /** Those that were never throttled before. */
  readonly #unlimited: readonly NodeId[];
  readonly #trails = new Map<NodeId, CounterTrail>();
  readonly #answers = new SlowAnswers();
  readonly #own: OwnEffect;

  constructor(scene: ContainerScene, before: ReadonlyMap<NodeId, ContainerLimits>, share: number) {
    this.#scene = scene;
    this.#own = new OwnEffect(scene);
    this.#wanted = new Map([...before].map(([node, limits]) => [node, throttled(limits, share)]));
    this.#unlimited = [...before].flatMap(([node, limits]) => (shareOf(limits) === Infinity ? [node] : []));
    this.undo = [...before].map(([node, limits]) => ({
      do: 'restore-limits',
      node,
      container: scene.containers.reference(node),
      limits: cpuLimitsOf(limits),
    }));
    for (const node of before.keys()) this.#trails.set(node, new CounterTrail(systemClock));
  }

  async apply(signal: AbortSignal, begun: Begun): Promise<string> {
    const done: string[] = [];
    for (const [node, limits] of this.#wanted) {
      await this.#scene.containers.setLimits(node, limits, signal);
      begun(`throttled ${node}`);
      done.push(`${node} (${Object.entries(limits).flat().join(' ')})`);
    }
    return `throttled ${done.join(', ')}`;
  }

  async mechanism(): Promise<readonly EvidenceSample[]> {
    const { containers } = this.#scene;
    return await sampleEach([...this.#wanted.keys()], async (node) => {
      const [missing] = limitDifferences(this.#wanted.get(node) ?? {}, await containers.limits(node));
      const count = await this.#count(node);
      const rises = this.#trailOf(node).roseWithin(RISES_WITHIN_MS);
      const seen = `${node} was throttled in ${count} periods${rises ? '' : ', no more of late'}`;
      return { holds: missing === undefined && rises, seen: missing === undefined ? seen : `${node}: ${missing}` };
    });
  }

  async effect(signal: AbortSignal): Promise<readonly EvidenceSample[]> {
    return await Promise.all(
      this.#scene.canaries.map(async (canary) => this.#own.of(canary.node, await this.#answers.sample(canary, signal))),
    );
  }

  /** One that had no limit before does not wait any more. */
  async healed(): Promise<readonly HealSample[]> {
    return await sampleEach(this.#unlimited, async (node) => {
      const count = await this.#count(node);
      const holds = this.#trailOf(node).stoodFor(STILL_FOR_MS);
      return { holds, seen: `${node} was throttled in ${count} periods${holds ? ', no more of late' : ''}` };
    });
  }

  async #count(node: NodeId): Promise<number> {
    const { throttledPeriods } = await this.#scene.containers.usage(node);
    this.#trailOf(node).note(throttledPeriods);
    return throttledPeriods;
  }

  #trailOf(node: NodeId): CounterTrail {
    const trail = this.#trails.get(node) ?? new CounterTrail(systemClock);
    this.#trails.set(node, trail);
    return trail;
  }
}

/** Looks at what the victims may use now. @throws EnvironmentError where that is no more than they are to be left with. */
export const openThrottle = async (
  scene: ContainerScene,
  quotaPercent: number,
  signal: AbortSignal,
): Promise<Throttle> => {
  const { containers, victims } = scene;
  const share = quotaPercent / 100;
  const before = new Map<NodeId, ContainerLimits>();
  for (const node of victims.nodes) {
    const limits = await containers.limits(node, signal);
    if (shareOf(limits) <= share) {
      throw new EnvironmentError(
        'VICTIM_LIMITED',
        `The container of ${node} may use ${shareOf(limits)} of a CPU, so a quota of ${quotaPercent}% takes nothing from it.`,
        { hint: 'Ask for a smaller quota.' },
      );
    }
    before.set(node, limits);
  }
  return new Throttle(scene, before, share);
};
