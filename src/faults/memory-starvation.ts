// Taking the last of a container's memory until the kernel ends its process, and the proof of it: the engine told of the shortage and
// the process ended as the kernel ends one.
import { systemClock } from '../clock.ts';
import { EnvironmentError } from '../errors.ts';
import type { MemoryLimits } from '../targets/container-control.ts';
import type { NodeId } from '../targets/target.ts';
import type { ContainerScene } from './container-fault.ts';
import type { Begun, EvidenceSample, HealSample, UndoStep } from './fault.ts';
import { backToLimits, expectEnds, lowered, memoryLimitsNow, sampleEnd } from './memory-limit.ts';
import { OwnEffect } from './own-effect.ts';

/** What is left beyond what is used, bytes: far less than the node's own process has. */
const MARGIN_BYTES = 8 * 1024 ** 2;
/** The first tries may only take the file cache, and end the program that took it. */
const TRIES = 5;

class Starvation {
  readonly undo: readonly UndoStep[];
  readonly #scene: ContainerScene;
  readonly #before: ReadonlyMap<NodeId, MemoryLimits>;
  readonly #own: OwnEffect;
  #appliedAtMs = Number.POSITIVE_INFINITY;

  constructor(scene: ContainerScene, before: ReadonlyMap<NodeId, MemoryLimits>) {
    this.#scene = scene;
    this.#own = new OwnEffect(scene);
    this.#before = before;
    this.undo = backToLimits(scene, before);
  }

  async apply(signal: AbortSignal, begun: Begun): Promise<string> {
    expectEnds(this.#scene, true);
    this.#appliedAtMs = systemClock.wall();
    const nodes = [...this.#before];
    const tries = await Promise.all(
      nodes.map(async ([node, limits]) => await this.#starve(node, limits, signal, begun)),
    );
    return `left without memory: ${nodes.map(([node], index) => `${node} (try ${tries[index]})`).join(', ')}`;
  }

  async mechanism(): Promise<readonly EvidenceSample[]> {
    const samples = [...this.#before.keys()].map((node): EvidenceSample => {
      const holds = this.#scene.containers.hasTold(node, 'oom', this.#appliedAtMs);
      const seen = `the engine told of ${holds ? 'a' : 'no'} shortage of memory in ${node}`;
      return { kind: 'mechanism', holds, seen };
    });
    return await Promise.resolve(samples);
  }

  async ends(): Promise<readonly EvidenceSample[]> {
    return await Promise.all(
      [...this.#before.keys()].map(async (node) => {
        const end = await sampleEnd(this.#scene, node);
        return this.#own.of(node, end ?? { kind: 'effect', holds: false, seen: `${node} has not ended` });
      }),
    );
  }

  async healed(): Promise<readonly HealSample[]> {
    expectEnds(this.#scene, false);
    return await Promise.resolve([]);
  }

  /** At which try it ended. */
  async #starve(node: NodeId, limits: MemoryLimits, signal: AbortSignal, begun: Begun): Promise<number> {
    const { containers } = this.#scene;
    for (let tries = 1; tries <= TRIES; tries++) {
      const { memoryBytes } = await containers.usage(node, signal);
      const limit = Math.min(limits.memoryBytes, memoryBytes + MARGIN_BYTES);
      await containers.setLimits(node, lowered(limits, limit), signal);
      begun(`took memory from ${node}`);
      await containers.takeMemory(node, limit + MARGIN_BYTES, signal);
      if ((await containers.exitCode(node, signal)) !== undefined) return tries;
    }
    throw new EnvironmentError('VICTIM_SURVIVED', `${node} was left without memory ${TRIES} times, and not ended.`, {
      hint: 'See whether its process is the first of its container, and the largest in it.',
    });
  }
}

/** @throws EnvironmentError for a victim without a memory limit. */
export const openStarvation = async (scene: ContainerScene, signal: AbortSignal): Promise<Starvation> =>
  new Starvation(scene, await memoryLimitsNow(scene, signal));
