// What a canary probe says: how it ended, in one word of a fixed list, and how long that took. Only the class a fault promises
// is evidence; a canary that fails with another one proves nothing.
import { AckproofError } from '../../errors.ts';
import type { Address } from '../../targets/target.ts';
import type { ProbeClass } from '../fault.ts';

export interface ProbeResult {
  readonly class: ProbeClass;
  readonly ms: number;
}

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

/** `refused after 0.4 ms`, `ok in 1.2 ms`. */
export const describeProbe = (probe: ProbeResult): string =>
  `${probe.class} ${probe.class === 'ok' || probe.class === 'slow' ? 'in' : 'after'} ${probe.ms.toFixed(1)} ms`;
