// Faults of the packets that a node sends: what they share. The kernel disturbs a share of them on every network of the node's
// container; its own counters prove it, and that segments had to be sent again, or came twice or in another order, is told by the
// kernels of the peers. Clients notice no more than answers that are late now and then.
import { systemClock } from '../clock.ts';
import { InternalError } from '../errors.ts';
import type { DisturbanceState, PacketDisturbance, PacketFate } from '../targets/container-control.ts';
import type { NodeId } from '../targets/target.ts';
import { type ContainerScene, openContainerScene } from './container-fault.ts';
import { CounterTrail } from './counter-trail.ts';
import type { Begun, EvidenceSample, FaultContext, PreparedFault, UndoStep, VictimSelector } from './fault.ts';
import { toxicPrefix } from './fault-names.ts';
import { OwnEffect } from './own-effect.ts';
import type { PacketParams } from './packet-params.ts';
import { prepareProcessFault, sampleEach } from './process-fault.ts';
import { isQuick } from './slow-answers.ts';

/** Within this a disturbed node must have sent something, and something must have come of it, ms. */
const RISES_WITHIN_MS = 10_000;

export type PacketFault = 'packet-corrupt' | 'packet-duplicate' | 'packet-loss' | 'packet-reorder';

const HOW: Readonly<Record<PacketFault, PacketFate>> = {
  'packet-corrupt': 'corrupt',
  'packet-duplicate': 'duplicate',
  'packet-loss': 'loss',
  'packet-reorder': 'reorder',
};

type Counter = 'resent' | 'twice' | 'outOfOrder';

/** What a disturbance makes the victim's own kernel count, and how many of the packets disturbed must show in it. */
const CONSEQUENCES: Readonly<
  Record<PacketFate, { readonly counter: Counter; readonly words: string; readonly leastShare: number }>
> = {
  // Not every packet carries data, and only a segment with data is sent again or told to have come twice.
  corrupt: { counter: 'resent', words: 'segments sent again', leastShare: 0.1 },
  duplicate: { counter: 'twice', words: 'segments told to have come twice', leastShare: 0.1 },
  loss: { counter: 'resent', words: 'segments sent again', leastShare: 0.1 },
  // A packet can only overtake another one that is on its way at the time.
  reorder: { counter: 'outOfOrder', words: 'segments told to have come in another order', leastShare: 0 },
};

/** So many times what is counted a second without a disturbance is more than chance. */
const TIMES_MORE = 2;
/** The kernel keeps shares as fractions of 2^32, and tells them in a few digits. */
const SHARE_TOLERANCE = 0.01;

const isAsked = (shares: DisturbanceState['inForce'][number], how: PacketFate, share: number): boolean =>
  Object.keys(shares).length === 1 && Math.abs((shares[how] ?? 0) - share) <= SHARE_TOLERANCE * share;

interface TimedState extends DisturbanceState {
  /** By the system clock. */
  readonly atMs: number;
}

const lookNow = async ({ containers }: ContainerScene, node: NodeId, signal?: AbortSignal): Promise<TimedState> => {
  const state = await containers.disturbanceState(node, signal);
  return { ...state, atMs: systemClock.now() };
};

/** One that is counted within a moment is no rate. */
const LEAST_PERIOD_MS = 1000;

const perSecond = (from: TimedState, to: TimedState, counter: Counter): number =>
  ((to[counter] - from[counter]) * 1000) / Math.max(LEAST_PERIOD_MS, to.atMs - from.atMs);

const inWords = (shares: DisturbanceState['inForce'][number]): string =>
  Object.entries(shares)
    .map(([fate, share]) => `${fate} of ${+(share * 100).toFixed(4)}%`)
    .join(', ');

class Disturbing {
  readonly undo: readonly UndoStep[];
  readonly #scene: ContainerScene;
  readonly #disturbances: ReadonlyMap<NodeId, PacketDisturbance>;
  readonly #before: ReadonlyMap<NodeId, TimedState>;
  /** Right before the first packet was disturbed. */
  readonly #began = new Map<NodeId, TimedState>();
  readonly #packets = new Map<NodeId, CounterTrail>();
  readonly #told = new Map<NodeId, CounterTrail>();
  readonly #own: OwnEffect;

  constructor(
    scene: ContainerScene,
    disturbances: ReadonlyMap<NodeId, PacketDisturbance>,
    before: ReadonlyMap<NodeId, TimedState>,
  ) {
    this.#scene = scene;
    this.#own = new OwnEffect(scene);
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
      this.#told.set(node, new CounterTrail(systemClock));
    }
  }

  async apply(signal: AbortSignal, begun: Begun): Promise<string> {
    await Promise.all(
      [...this.#disturbances].map(async ([node, disturbance]) => {
        this.#began.set(node, await this.#look(node, signal));
        await this.#scene.containers.disturb(node, disturbance, signal);
        begun(`disturbs what ${node} sends`);
      }),
    );
    const [first] = this.#disturbances.values();
    return `${first?.how ?? 'nothing'} of ${(first?.share ?? 0) * 100}% of what ${[...this.#disturbances.keys()].join(', ')} sends`;
  }

  /** The kernel's own: each interface disturbed as was asked, packets passing, and of a loss that they are dropped. */
  async mechanism(): Promise<readonly EvidenceSample[]> {
    return await sampleEach([...this.#disturbances.keys()], async (node) => {
      const now = await this.#scene.containers.disturbanceState(node);
      const { how, share } = this.#disturbanceOf(node);
      const other = now.inForce.find((shares) => !isAsked(shares, how, share));
      if (other !== undefined)
        return { holds: false, seen: `${node} has ${inWords(other)}, not ${inWords({ [how]: share })}` };
      const isLoss = how === 'loss';
      const trail = this.#packets.get(node);
      trail?.note(isLoss ? now.dropped : now.packets);
      const rises = trail?.roseWithin(RISES_WITHIN_MS) === true;
      const what = isLoss ? `dropped ${now.dropped} of ${now.packets} packets` : `passed ${now.packets} packets`;
      const seen = `${node}: ${now.interfaces} interfaces ${what}${rises ? '' : ', no more of late'}`;
      return { holds: now.interfaces > 0 && rises, seen };
    });
  }

  /** What comes of this very disturbance: as many as so many packets must give, and clearly more a second than before. */
  async effect(): Promise<readonly EvidenceSample[]> {
    return await Promise.all(
      [...this.#disturbances.keys()].map(async (node) => this.#own.of(node, await this.#comesOfIt(node))),
    );
  }

  async #comesOfIt(node: NodeId): Promise<EvidenceSample> {
    const now = await this.#look(node);
    const { how, share } = this.#disturbanceOf(node);
    const { counter, words, leastShare } = CONSEQUENCES[how];
    const trail = this.#told.get(node);
    trail?.note(now[counter]);
    const began = this.#began.get(node);
    const before = this.#before.get(node);
    if (began === undefined || before === undefined)
      return { kind: 'effect', holds: false, seen: `${node}: not begun` };
    const more = now[counter] - began[counter];
    const disturbed = how === 'loss' ? now.dropped : now.packets * share;
    const usual = perSecond(before, began, counter);
    const isMore = more > 0 && perSecond(began, now, counter) > TIMES_MORE * usual;
    return {
      kind: 'effect',
      holds: isMore && more >= leastShare * disturbed && trail?.roseWithin(RISES_WITHIN_MS) === true,
      seen: `${node}: ${more} ${words}, of about ${Math.round(disturbed)} packets disturbed; ${usual.toFixed(1)} a second before`,
    };
  }

  async #look(node: NodeId, signal?: AbortSignal): Promise<TimedState> {
    return await lookNow(this.#scene, node, signal);
  }

  #disturbanceOf(node: NodeId): PacketDisturbance {
    const disturbance = this.#disturbances.get(node);
    if (disturbance !== undefined) return disturbance;
    throw new InternalError('PACKETS_UNKNOWN', `${node} was not to be disturbed.`);
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
  const before = new Map<NodeId, TimedState>();
  for (const node of victims.nodes) {
    await containers.refuseUndisturbable(node, context.runId, signal);
    const name = `${toxicPrefix(context)}-${HOW[fault]}-${node.replace('/', '-')}`;
    const shares = { share: percent / 100, correlation: correlation / 100 };
    disturbances.set(node, { name, runId: context.runId, how: HOW[fault], ...shares });
    before.set(node, await lookNow(scene, node, signal));
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
