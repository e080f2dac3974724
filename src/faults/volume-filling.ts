// Filling log volumes, and the proof of it: no more than the rest is free, and a write of the canary's is refused for want of storage,
// or the broker has ended for it.
import { systemClock } from '../clock.ts';
import { EnvironmentError, InternalError } from '../errors.ts';
import type { VolumeFill } from '../targets/container-control.ts';
import type { BrokerNode, NodeId } from '../targets/target.ts';
import { formatSize } from '../units.ts';
import { CanaryTopic } from './canary-topic.ts';
import type { ContainerScene } from './container-fault.ts';
import type { Begun, EvidenceSample, HealSample, UndoStep } from './fault.ts';
import { toxicPrefix } from './fault-names.ts';
import { expectEnds } from './memory-limit.ts';
import { OwnEffect } from './own-effect.ts';
import { PATIENT_MS } from './probes/baseline.ts';
import { describeProbe, ProbeFailure, type ProbeResult } from './probes/probe.ts';
import { sampleEach, startAgain } from './process-fault.ts';

/** KAFKA_STORAGE_ERROR. */
const STORAGE_ERROR = 'kafka:56';
/** A little less than a block of the file system may always be free, bytes. */
const SLACK_BYTES = 64 * 1024;
/** A broker that was refused a write ends within this, ms. */
const ENDS_WITHIN_MS = 3000;
const LOOK_EVERY_MS = 100;

class Filling {
  readonly undo: readonly UndoStep[];
  readonly #scene: ContainerScene;
  readonly #fills: ReadonlyMap<NodeId, VolumeFill>;
  readonly #freeBefore: ReadonlyMap<NodeId, number>;
  readonly #topic: CanaryTopic;
  /** Brokers that were refused a write, after which they are bound to end. */
  readonly #refused = new Set<NodeId>();
  readonly #own: OwnEffect;

  constructor(
    scene: ContainerScene,
    fills: ReadonlyMap<NodeId, VolumeFill>,
    freeBefore: ReadonlyMap<NodeId, number>,
    topic: CanaryTopic,
  ) {
    this.#scene = scene;
    this.#own = new OwnEffect(scene);
    this.#fills = fills;
    this.#freeBefore = freeBefore;
    this.#topic = topic;
    const emptied = [...fills].map(
      ([node, fill]): UndoStep => ({ do: 'remove-fill', node, container: scene.containers.reference(node), fill }),
    );
    this.undo = [...startAgain(scene), ...emptied];
  }

  async apply(signal: AbortSignal, begun: Begun): Promise<string> {
    expectEnds(this.#scene, true);
    await Promise.all(
      [...this.#fills].map(async ([node, fill]) => {
        begun(`fills ${fill.directory} of ${node}`);
        await this.#scene.containers.fill(node, fill, signal);
      }),
    );
    return `filled ${[...this.#fills].map(([node, { directory }]) => `${directory} of ${node}`).join(', ')}`;
  }

  async mechanism(): Promise<readonly EvidenceSample[]> {
    return await sampleEach([...this.#fills.keys()], async (node) => {
      const fill = this.#fillOf(node);
      const { freeBytes } = await this.#scene.containers.fillState(node, fill);
      const isFull = freeBytes <= fill.leaveBytes + SLACK_BYTES;
      return { holds: isFull, seen: `${formatSize(freeBytes)} of ${fill.directory} of ${node} are free` };
    });
  }

  async effect(signal: AbortSignal): Promise<readonly EvidenceSample[]> {
    const { brokers } = this.#scene.victims;
    return await Promise.all(
      brokers.map(async (broker) => this.#own.of(broker.node, await this.#write(broker, signal))),
    );
  }

  /** One that was refused a write is still about to end: started before that, it would stay down. */
  async awaitEnds(signal: AbortSignal): Promise<void> {
    const until = systemClock.now() + ENDS_WITHIN_MS;
    const runs = async (node: NodeId): Promise<boolean> =>
      (await this.#scene.containers.exitCode(node, signal)) === undefined;
    for (const node of this.#refused) {
      while (systemClock.now() < until && (await runs(node))) await systemClock.sleep(LOOK_EVERY_MS, signal);
    }
  }

  /** The space is back, but for what was logged meanwhile. */
  async healed(signal: AbortSignal): Promise<readonly HealSample[]> {
    expectEnds(this.#scene, false);
    return await sampleEach([...this.#fills.keys()], async (node) => {
      const fill = this.#fillOf(node);
      const { freeBytes, isThere } = await this.#scene.containers.fillState(node, fill, signal);
      const had = this.#freeBefore.get(node) ?? 0;
      const isBack = !isThere && freeBytes > fill.leaveBytes + (had - fill.leaveBytes) / 2;
      return { holds: isBack, seen: `${formatSize(freeBytes)} of ${fill.directory} of ${node} are free` };
    });
  }

  #fillOf(node: NodeId): VolumeFill {
    const fill = this.#fills.get(node);
    if (fill !== undefined) return fill;
    throw new InternalError('FILL_UNKNOWN', `${node} was not to be filled.`);
  }

  async #write(broker: BrokerNode, signal: AbortSignal): Promise<EvidenceSample> {
    const { node } = broker;
    const exitCode = await this.#scene.containers.exitCode(node, signal);
    if (exitCode !== undefined) {
      return { kind: 'effect', holds: exitCode !== 0, seen: `${node} ended by itself, with ${exitCode}` };
    }
    const answer = await this.#answerOf(broker, signal);
    if (answer.class === STORAGE_ERROR) this.#refused.add(node);
    return {
      kind: 'effect',
      holds: answer.class === STORAGE_ERROR,
      seen: `a write to ${node}: ${describeProbe(answer)}`,
    };
  }

  async #answerOf(broker: BrokerNode, signal: AbortSignal): Promise<ProbeResult> {
    try {
      return (await this.#topic.write(broker, broker.direct, PATIENT_MS, signal)).answer;
    } catch (thrown) {
      if (thrown instanceof ProbeFailure) return { class: thrown.class, ms: 0 };
      throw thrown;
    }
  }
}

const capped = async (scene: ContainerScene, node: NodeId, signal: AbortSignal): Promise<string> => {
  const volume = await scene.containers.logVolume(node, signal);
  if (volume?.isCapped === true) return volume.directory;
  const what =
    volume === undefined
      ? `nobody can tell which one directory ${node} keeps its log in`
      : `${volume.directory} of ${node} has no size of its own, so that filling it would fill the disk of its host`;
  throw new EnvironmentError('VOLUME_NOT_CAPPED', `disk-full is not performed: ${what}.`, {
    hint: 'Keep its log on a volume with a size, as docker-compose.yml of ackproof does (driver_opts: type tmpfs, o size=…).',
  });
};

/** @throws EnvironmentError for a volume that is not capped, or that has no more free than is to be left. */
export const openFilling = async (scene: ContainerScene, leaveBytes: number, signal: AbortSignal): Promise<Filling> => {
  const { context, victims, containers } = scene;
  const fills = new Map<NodeId, VolumeFill>();
  const freeBefore = new Map<NodeId, number>();
  for (const node of victims.nodes) {
    const directory = await capped(scene, node, signal);
    const name = `${toxicPrefix(context)}-fill-${node.replace('/', '-')}`;
    const fill = { name, runId: context.runId, directory, leaveBytes };
    const { freeBytes } = await containers.fillState(node, fill, signal);
    if (freeBytes <= leaveBytes) {
      throw new EnvironmentError('VOLUME_FULL', `${directory} of ${node} has ${formatSize(freeBytes)} free already.`, {
        hint: `Leave less than ${formatSize(leaveBytes)}.`,
      });
    }
    fills.set(node, fill);
    freeBefore.set(node, freeBytes);
  }
  const topic = await CanaryTopic.create(context, victims.brokers, signal);
  return new Filling(scene, fills, freeBefore, topic);
};
