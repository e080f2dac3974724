// Faults of processes: what killing, stopping and pausing share. A fault says how it acts, what it promises and how the way
// back begins; baselines, bystanders, samples and the proof of healing are here.
import { systemClock } from '../clock.ts';
import { EnvironmentError } from '../errors.ts';
import type { NodeId, ProcessControl, ProcessIdentity } from '../targets/target.ts';
import {
  type Control,
  directControl,
  needControls,
  noteBusyness,
  sampleControl,
  storeControl,
  tellingControls,
} from './controls.ts';
import type {
  Begun,
  CapacityTimes,
  EvidenceSample,
  FaultContext,
  HealSample,
  PreparedFault,
  ProbeClass,
  UndoRecord,
  UndoStep,
} from './fault.ts';
import { healError } from './heal-stack.ts';
import { sampleWholeness } from './leadership.ts';
import { type NodeCanary, openNodeCanary } from './node-canary.ts';
import { type Baseline, isAsBefore, isWell, PATIENT_MS, probeDeadlineMs } from './probes/baseline.ts';
import { Busyness } from './probes/busyness.ts';
import { askAnyMetadata, type ClusterView } from './probes/cluster-metadata.ts';
import { describeProbe, type ProbeResult } from './probes/probe.ts';
import { leftOf, performUndo, reachOf } from './undo.ts';
import { requireCapability, type Victims } from './victim.ts';

/** The victim and its surroundings as they were before the fault. */
export interface Scene {
  readonly context: FaultContext;
  readonly processes: ProcessControl;
  readonly victims: Victims;
  readonly canaries: readonly NodeCanary[];
  readonly controls: readonly Control[];
  readonly identities: ReadonlyMap<NodeId, ProcessIdentity>;
  /** Nodes that ran, rather than being stopped or frozen by another fault. */
  readonly running: ReadonlySet<NodeId>;
  /** By the system clock. */
  readonly openedAtMs: number;
  readonly cluster: ClusterView;
}

/** How far a cluster has come back. */
export interface Recovery {
  /** Since the victims began to be put back. */
  readonly tookMs: number;
  /** All brokers and their partitions are as before. */
  readonly isWhole: boolean;
}

export interface ProcessFaultPlan {
  readonly fault: UndoRecord['fault'];
  readonly scene: Scene;
  readonly undo: readonly UndoStep[];
  readonly longestMs?: number;
  apply(signal: AbortSignal, begun: Begun): Promise<{ readonly answer: string }>;
  mechanism(): Promise<readonly EvidenceSample[]>;
  effect(signal: AbortSignal): Promise<readonly EvidenceSample[]>;
  /** In the place of the look at bystanders, beside their canaries. */
  control?(): Promise<readonly EvidenceSample[]>;
  /** What counts as well for the canaries of bystanders. */
  controlBound?(probe: ProbeResult, baseline: Baseline): boolean;
  /** Awaits what the fault is still about to do of itself, so that it is not undone too early. */
  beforeHeal?(signal: AbortSignal): Promise<void>;
  /** What more is done for the victims once they run again. */
  afterUndo?(signal: AbortSignal): Promise<void>;
  capacities?(): readonly CapacityTimes[];
  close?(): void;
  /** Nothing is looked for any more once nothing was left: for looks that take long at what cannot come back by itself. */
  readonly looksOnce?: boolean;
  /** What else must hold once it is over. */
  healed?(signal: AbortSignal, recovery: Recovery): Promise<readonly HealSample[]>;
}

const MOST_CONTROL_NODES = 2;

/** Nodes that run and are in no fault's hand; brokers first, since what another fault has stopped can be no control. */
const openControls = async (
  context: FaultContext,
  victims: Victims,
  running: ReadonlySet<NodeId>,
  signal: AbortSignal,
): Promise<readonly Control[]> => {
  const { brokers, controllers = [] } = context.target;
  const struck = context.struckByOthers?.(systemClock.now());
  const canTell = ({ node }: { readonly node: NodeId }): boolean =>
    running.has(node) && !victims.nodes.includes(node) && struck?.has(node) !== true;
  const others = brokers.some(canTell) ? brokers.filter(canTell) : controllers.filter(canTell);
  const controls: Control[] = [];
  for (const node of others.slice(0, MOST_CONTROL_NODES))
    controls.push(await directControl(node, context.target, signal));
  if (controls.length > 0 || victims.nodes.includes('object-store')) return controls;
  const store = await storeControl(context.target, context.runId, signal);
  return store === undefined ? [] : [store];
};

/** Looks at everything a process fault compares with later. `bringsControls`: the fault has a control of its own. */
export const openScene = async (
  fault: UndoRecord['fault'],
  context: FaultContext,
  victims: Victims,
  signal: AbortSignal,
  options: { readonly bringsControls?: boolean } = {},
): Promise<Scene> => {
  const { target, runId } = context;
  const processes = requireCapability(target.can.processes, 'processes', target);
  const identities = new Map<NodeId, ProcessIdentity>();
  const openedAtMs = systemClock.now();
  const running = new Set<NodeId>();
  for (const node of processes.nodes) {
    const identity = await processes.identity(node);
    if (identity !== undefined) identities.set(node, identity);
    if (identity !== undefined && (await processes.state(node)) === 'running') running.add(node);
  }
  for (const node of victims.nodes) {
    if (running.has(node)) continue;
    throw new EnvironmentError('VICTIM_NOT_RUNNING', `${node} does not run, so ${fault} has nothing to hit.`, {
      hint: 'Look at its log for how it ended, or begin the fault later.',
    });
  }
  const canaries: NodeCanary[] = [];
  for (const node of victims.nodes) canaries.push(await openNodeCanary(node, target, runId, signal));
  const found = await openControls(context, victims, running, signal);
  const controls = options.bringsControls === true ? found : needControls(found, fault);
  const cluster = await askAnyMetadata(target.evidenceBootstrap, signal, target.security);
  return { context, processes, victims, canaries, controls, identities, running, openedAtMs, cluster };
};

/** One sample of the mechanism for each node, one after the other. */
export const sampleEach = async (
  nodes: readonly NodeId[],
  look: (node: NodeId) => Promise<Omit<EvidenceSample, 'kind'>>,
): Promise<readonly EvidenceSample[]> => {
  const samples: EvidenceSample[] = [];
  for (const node of nodes) samples.push({ kind: 'mechanism', ...(await look(node)) });
  return samples;
};

/** Nodes that ran and are no victims still run as the processes they were. */
export const sampleBystanders = async (scene: Scene): Promise<readonly EvidenceSample[]> => {
  const { processes, victims, identities, running, context, openedAtMs } = scene;
  const struck = context.struckByOthers?.(openedAtMs);
  const others = [...running].filter((node) => !victims.nodes.includes(node) && struck?.has(node) !== true);
  if (others.length === 0) return [];
  const changed: NodeId[] = [];
  for (const node of others) {
    const now = await processes.identity(node);
    const was = identities.get(node);
    const isSame = now?.pid === was?.pid && now?.startedAt === was?.startedAt;
    if (!isSame || (await processes.state(node)) !== 'running') changed.push(node);
  }
  const seen =
    changed.length === 0 ? `${others.length} other processes unchanged` : `${changed.join(', ')} changed too`;
  return [{ kind: 'control', holds: changed.length === 0, seen }];
};

/** New connections to each victim end in one of `classes`. */
export const sampleNodes = async (
  scene: Scene,
  classes: readonly ProbeClass[],
  signal: AbortSignal,
): Promise<readonly EvidenceSample[]> =>
  await Promise.all(
    scene.canaries.map(async (canary): Promise<EvidenceSample> => {
      const result = await canary.probe(probeDeadlineMs(canary.baseline, classes), signal);
      return {
        kind: 'effect',
        holds: classes.includes(result.class),
        seen: `new connection to ${canary.node}: ${describeProbe(result)}`,
      };
    }),
  );

/** How a connection to a dead process ends: refused, or, behind a proxy that still listens, closed at once. */
export const DEAD: readonly ProbeClass[] = ['refused', 'eof', 'reset'];

class ProcessFault implements PreparedFault {
  readonly victims: PreparedFault['victims'];
  readonly brokers: PreparedFault['brokers'];
  readonly chosen: string;
  readonly undo: UndoRecord;
  readonly longestMs?: number;
  readonly #plan: ProcessFaultPlan;
  readonly #busyness = new Busyness();
  /** By the system clock. */
  #healingSince: number | undefined;
  #isClean = false;

  constructor(plan: ProcessFaultPlan) {
    const { victims } = plan.scene;
    this.#plan = plan;
    this.victims = victims.nodes;
    this.brokers = victims.brokers.map((broker) => broker.id);
    this.chosen = victims.chosen;
    this.undo = { fault: plan.fault, steps: plan.undo };
    if (plan.longestMs !== undefined) this.longestMs = plan.longestMs;
  }

  async apply(signal: AbortSignal, begun: Begun): Promise<{ readonly answer: string }> {
    return await this.#plan.apply(signal, begun);
  }

  async observe(signal: AbortSignal): Promise<readonly EvidenceSample[]> {
    const { scene } = this.#plan;
    const bound = this.#plan.controlBound?.bind(this.#plan) ?? isWell;
    const [effect, ...controls] = await Promise.all([
      this.#plan.effect(signal),
      ...this.#controls().map(async (control) => await sampleControl(control, signal, bound)),
    ]);
    const more = (await this.#plan.control?.()) ?? (await sampleBystanders(scene));
    return [...(await this.#plan.mechanism()), ...effect, ...controls, ...more];
  }

  async heal(signal: AbortSignal): Promise<void> {
    // Whatever comes of it, the way back is taken.
    await this.#plan.beforeHeal?.(signal).catch(() => undefined);
    this.#healingSince ??= systemClock.now();
    const error = healError(await performUndo([this.undo], reachOf(this.#plan.scene.context.target), signal));
    if (error !== undefined) throw error;
    await this.#plan.afterUndo?.(signal);
  }

  async observeHealed(signal: AbortSignal): Promise<readonly HealSample[]> {
    const { scene } = this.#plan;
    const isKnown = this.#isClean && this.#plan.looksOnce === true;
    const left = isKnown ? [] : await leftOf(this.undo, reachOf(scene.context.target));
    this.#isClean = left.length === 0;
    const residue: HealSample = {
      kind: 'mechanism',
      holds: left.length === 0,
      seen: left.length === 0 ? 'nothing is left behind' : left.map((each) => each.what).join('; '),
    };
    const whole = await sampleWholeness(scene.context.target, scene.cluster, signal);
    const tookMs = systemClock.now() - (this.#healingSince ?? systemClock.now());
    const samples: HealSample[] = [
      residue,
      ...(await this.#runs()),
      whole,
      ...((await this.#plan.healed?.(signal, { tookMs, isWhole: whole.holds })) ?? []),
    ];
    await noteBusyness(this.#busyness, this.#controls(), signal);
    // One after the other, as the baseline was taken: probes must not slow each other down.
    for (const canary of scene.canaries) {
      const result = await canary.probe(PATIENT_MS, signal);
      const holds = isAsBefore(result, canary.baseline, this.#busyness.extraMs);
      const isSlow = !holds && isWell(result);
      samples.push({
        kind: 'effect',
        holds,
        seen: `${canary.node}: ${describeProbe(result)}`,
        ...(isSlow && { isSlow }),
      });
    }
    return samples;
  }

  capacities(): readonly CapacityTimes[] {
    return this.#plan.capacities?.() ?? [];
  }

  close(): void {
    this.#plan.close?.();
    for (const control of this.#plan.scene.controls) control.close?.();
  }

  #controls(): readonly Control[] {
    const { controls, context, openedAtMs } = this.#plan.scene;
    return tellingControls(controls, context, openedAtMs);
  }

  /** Running again, as another process or, where the fault never came to act or only froze it, as the same. */
  async #runs(): Promise<readonly EvidenceSample[]> {
    const { scene } = this.#plan;
    return await sampleEach(scene.victims.nodes, async (node) => {
      const state = await scene.processes.state(node);
      const pid = (await scene.processes.identity(node))?.pid ?? 'none';
      const was = scene.identities.get(node)?.pid ?? 'none';
      return { holds: state === 'running', seen: `${node} is ${state}, process ${pid} (was ${was})` };
    });
  }
}

export const prepareProcessFault = (plan: ProcessFaultPlan): PreparedFault => new ProcessFault(plan);

/** The undo of everything that ends processes. A container can be started again by anybody; a process only by its owner. */
export const startAgain = ({ victims, identities }: Pick<Scene, 'victims' | 'identities'>): readonly UndoStep[] =>
  victims.nodes.map((node) => {
    const container = identities.get(node)?.container;
    return { do: 'start-node', node, ...(container !== undefined && { container }) };
  });

/** Each victim's process of before is gone and none has taken its place. */
export const sampleGone = async (scene: Scene): Promise<readonly EvidenceSample[]> =>
  await sampleEach(scene.victims.nodes, async (node) => {
    const state = await scene.processes.state(node);
    const isGone = state === 'stopped' || state === 'gone';
    const pid = scene.identities.get(node)?.pid ?? 0;
    return { holds: isGone, seen: isGone ? `process ${pid} of ${node} is gone` : `${node} is ${state}` };
  });
