// Faults of the packets that a node sends: what they share. The kernel disturbs a share of them on every network of the node's
// container; its own counters prove it, and that segments had to be sent again, or came twice or in another order, is told by the
// kernels of the peers. Clients notice no more than answers that are late now and then.
import { systemClock } from '../clock.ts';
import type { DisturbanceState, PacketDisturbance } from '../targets/container-control.ts';
import type { NodeId } from '../targets/target.ts';
import { type ContainerScene, openContainerScene } from './container-fault.ts';
import { CounterTrail } from './counter-trail.ts';
import type { Begun, EvidenceSample, FaultContext, PreparedFault, UndoStep, VictimSelector } from './fault.ts';
import { toxicPrefix } from './fault-names.ts';
import type { PacketParams } from './packet-params.ts';
import { prepareProcessFault, sampleEach } from './process-fault.ts';
import { isQuick } from './slow-answers.ts';

/** Within this a disturbed node must have sent something, and something must have come of it, ms. */
const RISES_WITHIN_MS = 10_000;

type PacketFault = 'packet-corrupt' | 'packet-duplicate' | 'packet-loss' | 'packet-reorder';

const HOW: Readonly<Record<PacketFault, PacketDisturbance['how']>> = {
  'packet-corrupt': 'corrupt',
  'packet-duplicate': 'duplicate',
  'packet-loss': 'loss',
  'packet-reorder': 'reorder',
};

class Disturbing {
  readonly undo: readonly UndoStep[];
  readonly #scene: ContainerScene;
  readonly #disturbances: ReadonlyMap<NodeId, PacketDisturbance>;
  readonly #before: ReadonlyMap<NodeId, DisturbanceState>;
  readonly #packets = new Map<NodeId, CounterTrail>();
  readonly #repeated = new Map<NodeId, CounterTrail>();

  constructor(
    scene: ContainerScene,
    disturbances: ReadonlyMap<NodeId, PacketDisturbance>,
    before: ReadonlyMap<NodeId, DisturbanceState>,
  ) {
    this.#scene = scene;
    this.#disturbances = disturbances;
    this.#before = before;
    this.undo = [...disturbances].map(([node, disturbance]) => ({
      do: 'end-disturbance',
      node,
      container: scene.containers.reference(node),
      disturbance,
    }));
    for (const node of disturbances.keys()) {
      this.#packets.set(node, new CounterTrail(systemClock));
      this.#repeated.set(node, new CounterTrail(systemClock));
    }
  }

  async apply(signal: AbortSignal, begun: Begun): Promise<string> {
    await Promise.all(
      [...this.#disturbances].map(async ([node, disturbance]) => {
        await this.#scene.containers.disturb(node, disturbance, signal);
        begun(`disturbs what ${node} sends`);
      }),
    );
    const [first] = this.#disturbances.values();
    return `${first?.how ?? 'nothing'} of ${(first?.share ?? 0) * 100}% of what ${[...this.#disturbances.keys()].join(', ')} sends`;
  }

  /** The kernel's own: each interface disturbed, packets passing, and of a loss that they are dropped. */
  async mechanism(): Promise<readonly EvidenceSample[]> {
    return await sampleEach([...this.#disturbances.keys()], async (node) => {
      const now = await this.#scene.containers.disturbanceState(node);
      const isLoss = this.#disturbances.get(node)?.how === 'loss';
      const trail = this.#packets.get(node);
      trail?.note(isLoss ? now.dropped : now.packets);
      const rises = trail?.roseWithin(RISES_WITHIN_MS) === true;
      const what = isLoss ? `dropped ${now.dropped} of ${now.packets} packets` : `passed ${now.packets} packets`;
      const seen = `${node}: ${now.interfaces} interfaces ${what}${rises ? '' : ', no more of late'}`;
      return { holds: now.interfaces > 0 && rises, seen };
    });
  }

  /** What peers told: segments sent again, come twice or in another order, more of them than before. */
  async effect(): Promise<readonly EvidenceSample[]> {
    return await Promise.all(
      [...this.#disturbances.keys()].map(async (node): Promise<EvidenceSample> => {
        const { repeated } = await this.#scene.containers.disturbanceState(node);
        const trail = this.#repeated.get(node);
        trail?.note(repeated);
        const more = repeated - (this.#before.get(node)?.repeated ?? 0);
        const seen = `${node}: ${more} segments sent again, or told to have come twice or in another order`;
        return { kind: 'effect', holds: more > 0 && trail?.roseWithin(RISES_WITHIN_MS) === true, seen };
      }),
    );
  }
}

/** @throws EnvironmentError where the kernel or the image has not what it takes. */
const openDisturbing = async (
  fault: PacketFault,
  scene: ContainerScene,
  { percent, correlation }: PacketParams,
  signal: AbortSignal,
): Promise<Disturbing> => {
  const { context, containers, victims } = scene;
  const disturbances = new Map<NodeId, PacketDisturbance>();
  const before = new Map<NodeId, DisturbanceState>();
  for (const node of victims.nodes) {
    await containers.refuseUndisturbable(node, context.runId, signal);
    const name = `${toxicPrefix(context)}-${HOW[fault]}-${node.replace('/', '-')}`;
    const shares = { share: percent / 100, correlation: correlation / 100 };
    disturbances.set(node, { name, runId: context.runId, how: HOW[fault], ...shares });
    before.set(node, await containers.disturbanceState(node, signal));
  }
  return new Disturbing(scene, disturbances, before);
};

export const preparePacketFault = async (
  fault: PacketFault,
  context: FaultContext,
  selector: VictimSelector,
  params: PacketParams,
  signal: AbortSignal,
): Promise<PreparedFault> => {
  const scene = await openContainerScene(fault, context, selector, signal);
  const disturbing = await openDisturbing(fault, scene, params, signal);
  return prepareProcessFault({
    fault,
    scene,
    undo: disturbing.undo,
    apply: async (own, begun) => ({ answer: await disturbing.apply(own, begun) }),
    mechanism: async () => await disturbing.mechanism(),
    effect: async () => await disturbing.effect(),
    controlBound: isQuick,
  });
};
