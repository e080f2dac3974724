// What a latency fault promises, from its parameters alone: how much later answers must come before the effect counts, and how
// quick a control must stay so that the two cannot be mixed up.
import type { ToxicSpec } from './backends/toxiproxy.ts';
import type { Baseline } from './probes/baseline.ts';
import type { ProbeResult } from './probes/probe.ts';

export interface Latency {
  readonly latencyMs: number;
  readonly jitterMs: number;
  readonly directions: readonly ToxicSpec['stream'][];
}

/** The share of the asked delay that must be seen. */
const SEEN_SHARE = 0.8;

/** The least by which an answer is later. */
export const leastExtraMs = ({ latencyMs, jitterMs, directions }: Latency): number =>
  SEEN_SHARE * (latencyMs - jitterMs) * directions.length;

export const longestExtraMs = ({ latencyMs, jitterMs, directions }: Latency): number =>
  (latencyMs + jitterMs) * directions.length;

export const latencyToxics = (latency: Latency, prefix: string): readonly ToxicSpec[] =>
  latency.directions.map((stream) => ({
    name: `${prefix}-latency-${stream}`,
    type: 'latency',
    stream,
    attributes: { latency: Math.round(latency.latencyMs), jitter: Math.round(latency.jitterMs) },
  }));

/** A control is well unless it is as slow as the faulted path must be. */
export const quickEnough =
  (latency: Latency) =>
  (probe: ProbeResult, baseline: Baseline): boolean =>
    probe.class === 'ok' && probe.ms < baseline.medianMs + Math.max(25, leastExtraMs(latency));
