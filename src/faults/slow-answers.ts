// Answers that come late now and then, as those of a node do that has too little of something: looked for over a few rounds, since
// it is late only while it wants more than it has.
import type { EvidenceSample } from './fault.ts';
import type { NodeCanary } from './node-canary.ts';
import { type Baseline, PATIENT_MS } from './probes/baseline.ts';
import { describeProbe, type ProbeResult } from './probes/probe.ts';

const REMEMBERED_PROBES = 8;

/** From here on an answer is late. */
const lateMs = ({ medianMs, p95Ms }: Baseline): number => Math.max(2 * medianMs, p95Ms) + 25;

/** Whether somebody answers as one does that has all it needs. */
export const isQuick = (probe: ProbeResult, baseline: Baseline): boolean =>
  probe.class === 'ok' && probe.ms < lateMs(baseline);

export class SlowAnswers {
  readonly #recent = new Map<string, ProbeResult[]>();

  /** One more probe; holds when the slowest of the last few was late. One that waited in vain is as late as it waited. */
  async sample(canary: NodeCanary, signal: AbortSignal): Promise<EvidenceSample> {
    const { node, baseline } = canary;
    const result = await canary.probe(PATIENT_MS, signal);
    const recent = [...(this.#recent.get(node) ?? []), result].slice(-REMEMBERED_PROBES);
    this.#recent.set(node, recent);
    const told = recent.filter((probe) => probe.class === 'ok' || probe.class === 'timeout');
    const slowestMs = Math.max(0, ...told.map(({ ms }) => ms));
    return {
      kind: 'effect',
      holds: slowestMs >= lateMs(baseline),
      seen: `new connection to ${node}: ${describeProbe(result)}, the slowest of ${recent.length} took ${slowestMs.toFixed(1)} ms`,
    };
  }
}
