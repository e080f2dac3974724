// What ackproof sees by itself of a fault that programs perform. Whoever breaks something is not left to say alone what came of it:
// brokers that are no victims must go on answering, and those that a fault of that name silences must be silent.
import { systemClock } from '../clock.ts';
import type { FaultName } from '../vocabulary.ts';
import { type Control, directControl, sampleControl, tellingControls } from './controls.ts';
import type { EvidenceSample, FaultContext, HealSample, ProbeClass } from './fault.ts';
import { AbsenceWatch } from './leadership.ts';
import { type NodeCanary, openNodeCanary } from './node-canary.ts';
import { isWell, PATIENT_MS, probeDeadlineMs } from './probes/baseline.ts';
import type { ClusterView } from './probes/cluster-metadata.ts';
import { probeKafka } from './probes/kafka-connection.ts';
import { describeProbe } from './probes/probe.ts';
import type { Victims } from './victim.ts';

const MOST_CONTROLS = 2;

/** Faults under whose names no victim answers any more, and whether the others then leave it out of their metadata. */
const SILENCES: Readonly<Partial<Record<FaultName, { readonly leavesMetadata: boolean }>>> = {
  'all-brokers-kill': { leavesMetadata: false },
  'graceful-stop': { leavesMetadata: true },
  'node-isolate': { leavesMetadata: true },
  'process-kill': { leavesMetadata: true },
  'process-pause': { leavesMetadata: false },
};

/** How an attempt to reach one that is dead, frozen or cut off ends. */
const SILENT: readonly ProbeClass[] = ['refused', 'eof', 'reset', 'timeout', 'dns'];

interface Watched {
  readonly context: FaultContext;
  readonly victims: Victims;
  readonly cluster: ClusterView;
}

/** Brokers that are nobody's victims and answer; none where every broker is one, or where they are down already. */
const openControls = async ({ context, victims }: Watched, signal: AbortSignal): Promise<readonly Control[]> => {
  const { target } = context;
  const struck = context.struckByOthers?.(systemClock.now());
  const controls: Control[] = [];
  for (const broker of target.brokers) {
    if (controls.length === MOST_CONTROLS) break;
    if (victims.nodes.includes(broker.node) || struck?.has(broker.node) === true) continue;
    const { class: answer } = await probeKafka(broker.direct, PATIENT_MS, signal, target.security);
    if (answer === 'ok') controls.push(await directControl(broker, target, signal));
  }
  return controls;
};

export class CommandWatch {
  readonly #context: FaultContext;
  readonly #controls: readonly Control[];
  /** One for each victim that is to fall silent. */
  readonly #canaries: readonly NodeCanary[];
  readonly #absence: AbsenceWatch | undefined;
  /** By the system clock. */
  readonly #openedAtMs = systemClock.now();

  private constructor(
    context: FaultContext,
    controls: readonly Control[],
    canaries: readonly NodeCanary[],
    absence: AbsenceWatch | undefined,
  ) {
    this.#context = context;
    this.#controls = controls;
    this.#canaries = canaries;
    this.#absence = absence;
  }

  /** @throws EnvironmentError where a victim that is to fall silent does not answer before. */
  static async open(fault: FaultName, watched: Watched, signal: AbortSignal): Promise<CommandWatch> {
    const { context, victims, cluster } = watched;
    const controls = await openControls(watched, signal);
    const silences = SILENCES[fault];
    const canaries: NodeCanary[] = [];
    for (const { node } of silences === undefined ? [] : victims.brokers) {
      canaries.push(await openNodeCanary(node, context.target, context.runId, signal));
    }
    const absence = silences?.leavesMetadata === true ? new AbsenceWatch(context, victims.brokers, cluster) : undefined;
    return new CommandWatch(context, controls, canaries, absence);
  }

  /** Undefined where a fault of that name does nothing that could be seen from here. */
  async effect(signal: AbortSignal): Promise<readonly EvidenceSample[] | undefined> {
    if (this.#canaries.length === 0) return undefined;
    const silent = this.#canaries.map(async (canary): Promise<EvidenceSample> => {
      const result = await canary.probe(probeDeadlineMs(canary.baseline, SILENT), signal);
      const seen = `new connection to ${canary.node}: ${describeProbe(result)}`;
      return { kind: 'effect', holds: SILENT.includes(result.class), seen };
    });
    return [...(await Promise.all(silent)), ...((await this.#absence?.sample(signal)) ?? [])];
  }

  /** Whether those that fell silent answer again, however slowly; nothing where a fault of that name silences nobody. */
  async answering(signal: AbortSignal): Promise<readonly HealSample[]> {
    return await Promise.all(
      this.#canaries.map(async (canary): Promise<HealSample> => {
        const result = await canary.probe(PATIENT_MS, signal);
        return { kind: 'effect', holds: isWell(result), seen: `${canary.node}: ${describeProbe(result)}` };
      }),
    );
  }

  /** Undefined where nobody is left who could be one. */
  async control(signal: AbortSignal): Promise<readonly EvidenceSample[] | undefined> {
    const telling = tellingControls(this.#controls, this.#context, this.#openedAtMs);
    if (telling.length === 0) return undefined;
    return await Promise.all(telling.map(async (control) => await sampleControl(control, signal)));
  }
}
