// Negative controls: what must stay well while a fault lasts. Without one, "this broker is cut off" and "this machine is dead"
// look alike, so a fault for which no control can be found is not performed.
import { EnvironmentError } from '../errors.ts';
import type { BrokerNode, NodeId, StartedTarget } from '../targets/target.ts';
import type { EvidenceSample, FaultContext } from './fault.ts';
import { type LinkCanary, probeStoreDirect, putCanary } from './link-canary.ts';
import { type Baseline, isWell, PATIENT_MS, takeBaseline } from './probes/baseline.ts';
import type { Busyness } from './probes/busyness.ts';
import { probeKafka } from './probes/kafka-connection.ts';
import { describeProbe, type ProbeResult } from './probes/probe.ts';

const BASELINE_DEADLINE_MS = 2000;

export interface Control {
  readonly name: string;
  /** Whose answer it is, where another fault may have that node in hand. */
  readonly node?: NodeId;
  readonly baseline: Baseline;
  probe(signal: AbortSignal): Promise<ProbeResult>;
  close?(): void;
}

/** One sample of a control; `bound` may ask for more than being well (a latency fault needs the control to be quick). */
export const sampleControl = async (
  control: Control,
  signal: AbortSignal,
  bound: (probe: ProbeResult, baseline: Baseline) => boolean = isWell,
): Promise<EvidenceSample> => {
  const result = await control.probe(signal);
  return {
    kind: 'control',
    holds: bound(result, control.baseline),
    seen: `${control.name}: ${describeProbe(result)}`,
  };
};

/** The controls that say something: those whose node no other fault has had in hand since they were opened. */
export const tellingControls = (
  controls: readonly Control[],
  { struckByOthers }: Pick<FaultContext, 'struckByOthers'>,
  openedAtMs: number,
): readonly Control[] => {
  const struck = struckByOthers?.(openedAtMs);
  return struck === undefined ? controls : controls.filter(({ node }) => node === undefined || !struck.has(node));
};

/** Probes each control once, one after the other, for how busy the machine is. */
export const noteBusyness = async (
  busyness: Busyness,
  controls: readonly Control[],
  signal: AbortSignal,
): Promise<void> => {
  for (const control of controls) busyness.note(await control.probe(signal), control.baseline);
};

/** A node's own unadvertised listener, past every proxy. */
export const directControl = async (
  { node, direct }: Pick<BrokerNode, 'node' | 'direct'>,
  { security }: StartedTarget,
  signal: AbortSignal,
): Promise<Control> => {
  const name = `${node} directly`;
  const ask = async (deadlineMs: number, own: AbortSignal) => await probeKafka(direct, deadlineMs, own, security);
  const baseline = await takeBaseline(name, async () => await ask(BASELINE_DEADLINE_MS, signal));
  return { name, node, baseline, probe: async (own) => await ask(PATIENT_MS, own) };
};

/** Another link that the fault leaves alone. */
export const linkControl = (canary: LinkCanary): Control => ({
  name: `${canary.link.path} of ${canary.link.node}`,
  node: canary.link.node,
  baseline: canary.baseline,
  probe: async (own) => await canary.probe(PATIENT_MS, own),
  close: () => canary.close(),
});

/** The object store by the harness's own path. */
export const storeControl = async (
  target: StartedTarget,
  runId: string,
  signal: AbortSignal,
): Promise<Control | undefined> => {
  const store = target.can.objectStore;
  if (store === undefined) return undefined;
  const name = 'the object store directly';
  await putCanary(store, runId, signal);
  const probe = async (own: AbortSignal): Promise<ProbeResult> => await probeStoreDirect(store, runId, own);
  return { name, baseline: await takeBaseline(name, async () => await probe(signal)), probe };
};

/** @throws EnvironmentError when there is nothing to compare the victim with. */
export const needControls = (controls: readonly Control[], fault: string): readonly Control[] => {
  if (controls.length > 0) return controls;
  throw new EnvironmentError('FAULT_NO_CONTROL', `Nothing would show that ${fault} hits only what it should.`, {
    hint: 'Hit fewer brokers, or use a target with a direct listener for evidence.',
  });
};
