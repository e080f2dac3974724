// The toxics our faults are made of, by what they do. `upstream` carries requests, `downstream` carries answers.
import type { ToxicSpec } from './backends/toxiproxy.ts';

const swallow = (prefix: string, stream: ToxicSpec['stream']): ToxicSpec => ({
  name: `${prefix}-swallow-${stream}`,
  type: 'timeout',
  stream,
  attributes: { timeout: 0 },
});

/** Requests never arrive, and nobody is told. */
export const swallowRequests = (prefix: string): readonly ToxicSpec[] => [swallow(prefix, 'upstream')];

/** Answers never arrive, and nobody is told. */
export const swallowAnswers = (prefix: string): readonly ToxicSpec[] => [swallow(prefix, 'downstream')];

export const swallowBoth = (prefix: string): readonly ToxicSpec[] => [
  swallow(prefix, 'upstream'),
  swallow(prefix, 'downstream'),
];

/** The connection ends at the first byte of an answer. */
export const closeAtAnswer = (prefix: string): readonly ToxicSpec[] => [
  { name: `${prefix}-close`, type: 'limit_data', stream: 'downstream', attributes: { bytes: 0 } },
];

/** The connection is reset once an answer is on its way, after a pause. */
export const resetAtAnswer = (prefix: string, afterMs: number): readonly ToxicSpec[] => [
  { name: `${prefix}-reset`, type: 'reset_peer', stream: 'downstream', attributes: { timeout: Math.round(afterMs) } },
];
