// What a canary probe says: how it ended, in one word of a fixed list, and how long that took. Only the class a fault promises
// is evidence; a canary that fails with another one proves nothing.
import { AckproofError } from '../../errors.ts';
import type { Address } from '../../targets/target.ts';
import { formatSize } from '../../units.ts';
import type { ProbeClass } from '../fault.ts';

/** Bytes that went each way: requests `upstream`, answers `downstream`. */
export interface PassedBytes {
  readonly upstream: number;
  readonly downstream: number;
}

export interface ProbeResult {
  readonly class: ProbeClass;
  readonly ms: number;
  /** What passed the ways that are measured, where the probe is a transfer. */
  readonly bytes?: number;
}

/** Bytes a second; undefined for a probe that is no transfer, or that took no time. */
export const throughputOf = ({ bytes, ms }: ProbeResult): number | undefined =>
  bytes === undefined || ms <= 0 ? undefined : (bytes * 1000) / ms;

/** A probe that did not get its answer, and how it ended instead. */
export class ProbeFailure extends AckproofError {
  readonly class: ProbeClass;

  constructor(probeClass: ProbeClass, what: string, cause?: unknown) {
    super('PROBE_FAILED', 'environment', `${what} ended in ${probeClass}.`, cause === undefined ? {} : { cause });
    this.class = probeClass;
  }
}

const CODES: Readonly<Record<string, ProbeClass>> = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ECONNABORTED: 'reset',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ETIMEDOUT: 'timeout',
};

/** The class of a socket error; an end without any answer is `eof`. */
export const classifySocketError = (thrown: unknown): ProbeClass => {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  return CODES[code] ?? 'eof';
};

export const addressText = (address: Address): string => `${address.host}:${address.port}`;

/** `refused after 0.4 ms`, `ok in 1.2 ms`, `ok in 400.0 ms, 62.5KiB/s`. */
export const describeProbe = (probe: ProbeResult): string => {
  const isAnswered = probe.class === 'ok' || probe.class === 'slow';
  const throughput = isAnswered ? throughputOf(probe) : undefined;
  const rate = throughput === undefined ? '' : `, ${formatSize(Math.round(throughput))}/s`;
  return `${probe.class} ${isAnswered ? 'in' : 'after'} ${probe.ms.toFixed(1)} ms${rate}`;
};
