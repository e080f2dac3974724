// A transfer: questions one after the other on one path, until enough bytes have passed the ways that are measured. It tells how
// fast they pass; a small question would not feel a limit at all.
import { systemClock } from '../../clock.ts';
import type { PassedBytes, ProbeResult } from './probe.ts';

export interface TransferPlan {
  /** The ways whose bytes count. */
  readonly ways: readonly (keyof PassedBytes)[];
  /** So many have to pass, these ways together. */
  readonly bytes: number;
}

/** One question and its whole answer, and what passed where it was answered. */
export type Exchange = (
  deadlineMs: number,
  signal: AbortSignal,
) => Promise<ProbeResult & { readonly passed?: PassedBytes }>;

/** Takes the exchanges in turn until enough has passed; the first that is not answered ends it. */
export const transfer = async (
  { ways, bytes: wanted }: TransferPlan,
  exchanges: readonly Exchange[],
  deadlineMs: number,
  signal: AbortSignal,
): Promise<ProbeResult> => {
  const started = systemClock.now();
  const tookMs = (): number => systemClock.now() - started;
  let bytes = 0;
  for (let turn = 0; bytes < wanted; turn++) {
    const exchange = exchanges[turn % exchanges.length];
    const leftMs = deadlineMs - tookMs();
    if (exchange === undefined || leftMs <= 0) return { class: 'timeout', ms: tookMs(), bytes };
    const { class: end, passed } = await exchange(leftMs, signal);
    if (end !== 'ok') return { class: end, ms: tookMs(), bytes };
    for (const way of ways) bytes += passed?.[way] ?? 0;
  }
  return { class: 'ok', ms: tookMs(), bytes };
};
