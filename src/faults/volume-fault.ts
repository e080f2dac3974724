// Faults of the I/O of volumes, performed by whoever serves them: what all of them share. A disturbance is asked for and lives for some
// seconds only; each look that still finds it asks again. Its effect is seen by a scratch on the broker's own path, and beside it the
// process that serves the volumes still answers, and so does the object store: the disk is ill, and nothing else.
import { EnvironmentError } from '../errors.ts';
import type { BrokerNode, Link, NodeId, VolumeIo } from '../targets/target.ts';
import { disturbVolumes, type VolumeDisturbance, volumeDisturbances } from '../targets/volume-io.ts';
import { type Control, linkControl, needControls, noteBusyness, sampleControl, storeControl } from './controls.ts';
import type { EvidenceSample, FaultContext, HealSample, PreparedFault, UndoRecord, VictimSelector } from './fault.ts';
import { toxicPrefix } from './fault-names.ts';
import { healError } from './heal-stack.ts';
import { openLinkCanary } from './link-canary.ts';
import { type Baseline, isAsBefore, PATIENT_MS, probeDeadlineMs, takeBaseline } from './probes/baseline.ts';
import { Busyness } from './probes/busyness.ts';
import { describeProbe, type ProbeResult } from './probes/probe.ts';
import { openScratch, type Scratch } from './probes/volume-probe.ts';
import { performUndo, reachOf } from './undo.ts';
import { requireCapability, resolveVictims, type Victims } from './victim.ts';

const BASELINE_DEADLINE_MS = 5000;
/** Looks are far more frequent; a machine that gives no turn for so long ends the fault early, and the run says so. */
const TTL_MS = 15_000;

/** What a fault does to the I/O, and what its canary must see. */
export interface VolumePlan {
  readonly disturbance: Omit<VolumeDisturbance, 'ttlMs' | 'volumes'>;
  /** The class that is promised: `timeout`, `http:500` …, or `slow` for an answer that comes so much later. */
  readonly promised: 'timeout' | 'slow' | `http:${number}`;
}

interface VolumeCanary extends Scratch {
  readonly node: NodeId;
  readonly baseline: Baseline;
}

interface Surroundings {
  readonly context: FaultContext;
  readonly io: VolumeIo;
  readonly victims: Victims;
}

const linkOf = ({ context: { target } }: Surroundings, broker: BrokerNode | undefined): Link => {
  const links = target.can.links?.all.filter(({ path }) => path === 'wal') ?? [];
  const found = broker === undefined ? links[0] : links.find(({ node }) => node === broker.node);
  if (found !== undefined) return found;
  throw new EnvironmentError('FAULT_NO_LINK', `No proxy on the path wal leads from ${broker?.node ?? 'any broker'}.`, {
    hint: 'Put one there, or choose another victim.',
  });
};

const ownVolumes = ({ id }: Pick<BrokerNode, 'id'>): string => `broker-${id}-`;

const openCanary = async (
  around: Surroundings,
  broker: BrokerNode | undefined,
  signal: AbortSignal,
): Promise<VolumeCanary> => {
  const { context, io } = around;
  const link = linkOf(around, broker);
  const beginning = broker === undefined ? '' : ownVolumes(broker);
  const name = `${beginning}canary-${toxicPrefix(context)}`.replaceAll(/[^\w-]/gu, '-');
  const scratch = await openScratch(io, name, link.listen, signal);
  const node = broker?.node ?? io.node;
  const probe = async (): Promise<ProbeResult> => await scratch.probe(BASELINE_DEADLINE_MS, signal);
  return { ...scratch, node, baseline: await takeBaseline(`the scratch of ${node}`, probe) };
};

/** A broker whose volumes are left alone. */
const spared = ({ context, io, victims }: Surroundings): BrokerNode | undefined =>
  io.isShared || victims.brokers.length === 0
    ? undefined
    : context.target.brokers.find(({ node }) => !victims.nodes.includes(node));

const scratchControl = ({ node, baseline, probe }: VolumeCanary): Control => ({
  name: `the volume of ${node}`,
  node,
  baseline,
  probe: async (own) => await probe(PATIENT_MS, own),
});

const openControls = async (around: Surroundings, signal: AbortSignal): Promise<readonly Control[]> => {
  const { context, io, victims } = around;
  const { target, runId } = context;
  const server = linkControl(await openLinkCanary(linkOf(around, victims.brokers[0]), target, runId, signal));
  const store = await storeControl(target, runId, signal);
  const other = spared(around);
  const scratch = other && (await openCanary(around, other, signal));
  return [
    { ...server, name: `the ${io.node} process`, node: io.node },
    ...(store === undefined ? [] : [store]),
    ...(scratch === undefined ? [] : [scratchControl(scratch)]),
  ];
};

class VolumeFault implements PreparedFault {
  readonly victims: PreparedFault['victims'];
  readonly brokers: PreparedFault['brokers'];
  readonly chosen: string;
  readonly undo: UndoRecord;
  readonly #around: Surroundings;
  readonly #plan: VolumePlan;
  readonly #name: string;
  readonly #wanted: VolumeDisturbance;
  readonly #canaries: readonly VolumeCanary[];
  readonly #controls: readonly Control[];
  readonly #busyness = new Busyness();

  constructor(
    fault: UndoRecord['fault'],
    around: Surroundings,
    plan: VolumePlan,
    canaries: readonly VolumeCanary[],
    controls: readonly Control[],
  ) {
    const { victims, io, context } = around;
    this.#around = around;
    this.#plan = plan;
    this.#canaries = canaries;
    this.#controls = controls;
    this.#name = `${toxicPrefix(context)}-${fault}`;
    this.#wanted = { ...plan.disturbance, volumes: victims.brokers.map(ownVolumes), ttlMs: TTL_MS };
    this.victims = victims.nodes;
    this.brokers = victims.brokers.map(({ id }) => id);
    this.chosen = victims.chosen;
    const { node, admin } = io;
    this.undo = { fault, steps: [{ do: 'end-volume-disturbance', node, admin, name: this.#name }] };
  }

  async apply(signal: AbortSignal): Promise<{ readonly answer: string }> {
    await disturbVolumes(this.#around.io.admin, this.#name, this.#wanted, signal);
    return { answer: `asked ${this.#around.io.node} for ${this.#name}` };
  }

  async observe(signal: AbortSignal): Promise<readonly EvidenceSample[]> {
    const parts = await Promise.all([
      this.#mechanism(signal).then((sample) => [sample]),
      ...this.#canaries.map(async (canary) => [await this.#effect(canary, signal)]),
      ...this.#controls.map(async (control) => [await sampleControl(control, signal)]),
    ]);
    return parts.flat();
  }

  async heal(signal: AbortSignal): Promise<void> {
    const error = healError(await performUndo([this.undo], reachOf(this.#around.context.target), signal));
    if (error !== undefined) throw error;
  }

  async observeHealed(signal: AbortSignal): Promise<readonly HealSample[]> {
    await noteBusyness(this.#busyness, this.#controls, signal);
    const isStanding = (await this.#standing(signal)) !== undefined;
    const seen = isStanding ? `${this.#name} still stands` : `${this.#around.io.node} has no ${this.#name}`;
    const samples: HealSample[] = [{ kind: 'mechanism', holds: !isStanding, seen }];
    for (const canary of this.#canaries) {
      const result = await canary.probe(PATIENT_MS, signal);
      const holds = isAsBefore(result, canary.baseline, this.#busyness.extraMs);
      const isSlow = !holds && result.class === 'ok' && this.#plan.promised !== 'slow';
      const said = `a scratch of ${canary.node}: ${describeProbe(result)}`;
      samples.push({ kind: 'effect', holds, seen: said, ...(isSlow && { isSlow }) });
    }
    return samples;
  }

  close(): void {
    for (const control of this.#controls) control.close?.();
  }

  async #standing(signal: AbortSignal) {
    const all = await volumeDisturbances(this.#around.io.admin, signal);
    return all.find(({ name }) => name === this.#name);
  }

  /** One that has gone is not asked for again: it has ended, and that is to be seen. */
  async #mechanism(signal: AbortSignal): Promise<EvidenceSample> {
    const { admin, node } = this.#around.io;
    const standing = await this.#standing(signal);
    if (standing === undefined) return { kind: 'mechanism', holds: false, seen: `${node} has no ${this.#name}` };
    const { kind, volumes } = standing;
    const isAsAsked = kind === this.#wanted.kind && volumes.join() === this.#wanted.volumes.join();
    await disturbVolumes(admin, this.#name, this.#wanted, signal);
    const whose = volumes.length === 0 ? 'all volumes' : volumes.map((beginning) => `${beginning}*`).join(', ');
    return {
      kind: 'mechanism',
      holds: isAsAsked,
      seen: `${node} reads back ${kind} of ${whose}, ${standing.acted} so far`,
    };
  }

  async #effect(canary: VolumeCanary, signal: AbortSignal): Promise<EvidenceSample> {
    const { promised, disturbance } = this.#plan;
    const { latencyMs = 0 } = disturbance;
    const isSlow = promised === 'slow';
    const deadlineMs = isSlow
      ? PATIENT_MS + disturbance.methods.length * latencyMs
      : probeDeadlineMs(canary.baseline, [promised]);
    const result = await canary.probe(deadlineMs, signal);
    const holds = isSlow ? result.class === 'ok' && result.ms >= latencyMs : result.class === promised;
    return { kind: 'effect', holds, seen: `a scratch of ${canary.node}: ${describeProbe(result)}` };
  }
}

const refuseOneOfAll = ({ io, victims, context: { target } }: Surroundings): void => {
  if (!io.isShared || victims.brokers.length === 0) return;
  throw new EnvironmentError(
    'FAULT_UNSUPPORTED',
    `The brokers of ${target.description.name} share one directory, so that no broker has a disk of its own.`,
    { hint: 'Write victim: {volume: true}.' },
  );
};

/** Makes the scratches and takes their baselines; nothing else is changed yet. */
export const prepareVolumeFault = async (
  fault: UndoRecord['fault'],
  context: FaultContext,
  selector: VictimSelector,
  plan: VolumePlan,
  signal: AbortSignal,
): Promise<PreparedFault> => {
  const io = requireCapability(context.target.can.volumeIo, 'volumes whose I/O can be disturbed', context.target);
  const victims = await resolveVictims(context, selector, signal);
  const around = { context, io, victims };
  refuseOneOfAll(around);
  const controls = needControls(await openControls(around, signal), fault);
  try {
    const canaries: VolumeCanary[] = [];
    for (const broker of victims.brokers.length === 0 ? [undefined] : victims.brokers) {
      canaries.push(await openCanary(around, broker, signal));
    }
    return new VolumeFault(fault, around, plan, canaries, controls);
  } catch (thrown) {
    for (const control of controls) control.close?.();
    throw thrown;
  }
};
