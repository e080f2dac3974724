// Squeezing containers into less memory, and the proof of it: the limit reads back, it was hit since, and the node is slow or ended.
import { systemClock } from '../clock.ts';
import { EnvironmentError } from '../errors.ts';
import type { MemoryLimits } from '../targets/container-control.ts';
import { limitDifferences } from '../targets/container-limits.ts';
import type { NodeId } from '../targets/target.ts';
import { formatSize } from '../units.ts';
import type { ContainerScene } from './container-fault.ts';
import type { Begun, EvidenceSample, HealSample, UndoStep } from './fault.ts';
import { backToLimits, expectEnds, lowered, memoryLimitsNow, sampleEnd } from './memory-limit.ts';
import { OwnEffect } from './own-effect.ts';
import { sampleEach } from './process-fault.ts';
import { SlowAnswers } from './slow-answers.ts';

class Squeeze {
  readonly undo: readonly UndoStep[];
  readonly #scene: ContainerScene;
  readonly #before: ReadonlyMap<NodeId, MemoryLimits>;
  readonly #limitBytes: number;
  /** Hits that were counted before. */
  readonly #hitsBefore = new Map<NodeId, number>();
  /** Nodes whose limit was hit; a container that was ended counts anew. */
  readonly #hit = new Set<NodeId>();
  readonly #answers = new SlowAnswers();
  readonly #own: OwnEffect;
  #appliedAtMs = Number.POSITIVE_INFINITY;

  constructor(scene: ContainerScene, before: ReadonlyMap<NodeId, MemoryLimits>, limitBytes: number) {
    this.#scene = scene;
    this.#own = new OwnEffect(scene);
    this.#before = before;
    this.#limitBytes = limitBytes;
    this.undo = backToLimits(scene, before);
  }

  async apply(signal: AbortSignal, begun: Begun): Promise<string> {
    const { containers } = this.#scene;
    const limit = formatSize(this.#limitBytes);
    expectEnds(this.#scene, true);
    this.#appliedAtMs = systemClock.wall();
    for (const [node, limits] of this.#before) {
      const { memoryBytes, memoryLimitHits } = await containers.usage(node, signal);
      this.#hitsBefore.set(node, memoryLimitHits);
      await containers.setLimits(node, lowered(limits, this.#limitBytes), signal).catch((cause: unknown) => {
        signal.throwIfAborted();
        throw new EnvironmentError(
          'LIMIT_REFUSED',
          `${node} uses ${formatSize(memoryBytes)}, and its memory could not be limited to ${limit}.`,
          {
            cause,
            hint: 'A kernel may refuse a limit below what it can free: ask for about what is in use, or use oom-kill.',
          },
        );
      });
      begun(`limited ${node}`);
    }
    return `limited ${[...this.#before.keys()].join(', ')} to ${limit}`;
  }

  async mechanism(): Promise<readonly EvidenceSample[]> {
    const { containers } = this.#scene;
    return await sampleEach([...this.#before.keys()], async (node) => {
      const { memoryLimitHits } = await containers.usage(node);
      const isHit = memoryLimitHits > (this.#hitsBefore.get(node) ?? Number.POSITIVE_INFINITY);
      if (isHit || containers.hasTold(node, 'oom', this.#appliedAtMs)) this.#hit.add(node);
      const [missing] = limitDifferences({ memoryBytes: this.#limitBytes }, await containers.limits(node));
      const seen = missing ?? (this.#hit.has(node) ? 'has hit its memory limit' : 'has not hit its memory limit');
      return { holds: missing === undefined && this.#hit.has(node), seen: `${node}: ${seen}` };
    });
  }

  async effect(signal: AbortSignal): Promise<readonly EvidenceSample[]> {
    const { canaries } = this.#scene;
    return await Promise.all(
      canaries.map(async (canary) => {
        const end = await sampleEnd(this.#scene, canary.node);
        return this.#own.of(canary.node, end ?? (await this.#answers.sample(canary, signal)));
      }),
    );
  }

  async healed(): Promise<readonly HealSample[]> {
    expectEnds(this.#scene, false);
    return await Promise.resolve([]);
  }
}

/** Looks at what the victims may use now. @throws EnvironmentError where that is no more than they are to be left with. */
export const openSqueeze = async (scene: ContainerScene, limitBytes: number, signal: AbortSignal): Promise<Squeeze> => {
  const before = await memoryLimitsNow(scene, signal);
  for (const [node, { memoryBytes }] of before) {
    if (memoryBytes > limitBytes) continue;
    throw new EnvironmentError(
      'VICTIM_LIMITED',
      `The container of ${node} may use ${formatSize(memoryBytes)}, so a limit of ${formatSize(limitBytes)} takes nothing from it.`,
      { hint: 'Ask for a smaller limit.' },
    );
  }
  return new Squeeze(scene, before, limitBytes);
};
