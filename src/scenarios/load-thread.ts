// What the harness and the thread of its load say to each other. Plain data both ways: clients go by their names, secrets in the
// open (they stay in this process), and a moment is told by the clock that all threads share.

import type { OpenSecurity } from '../clients/security-handover.ts';
import { AckproofError, type ErrorKind } from '../errors.ts';
import type { OutcomeProfile } from '../outcomes.ts';
import type { Acks, Outcome } from '../vocabulary.ts';
import type { BatchBegin } from './load-tally.ts';
import type { LedgerPlan } from './part.ts';
import type { LanePlan } from './workload.ts';

/** One lane, with the kind of its client. */
export interface ThreadLane extends Omit<LanePlan, 'client'> {
  readonly client: string;
}

/** All that a thread needs to run the load of a part. */
export interface LoadOrder {
  readonly ledger: LedgerPlan;
  /** `sharedNow()` at the start of the part. */
  readonly originNs: bigint;
  readonly security?: OpenSecurity;
  readonly runId: string;
  readonly topic: string;
  readonly acks: Acks;
  readonly deliveryTimeoutMs: number;
  readonly profile: OutcomeProfile;
  readonly lanes: readonly ThreadLane[];
  /** Of each record; of a probe's. */
  readonly sizeBytes: number;
  readonly probeBytes: number;
  readonly recordsPerLane?: number;
}

/** What happened to a batch; `batch` numbers those of a load. */
export type BatchEdge =
  | ({ readonly t: 'begin'; readonly batch: number } & BatchBegin)
  | { readonly t: 'end'; readonly batch: number; readonly outcome: Outcome; readonly at: number };

export type FromLoad =
  /** The lanes begin. */
  | { readonly t: 'started' }
  /** In the order in which they happened. */
  | { readonly t: 'events'; readonly events: readonly BatchEdge[] }
  | { readonly t: 'client-anomaly'; readonly detail: string }
  /** The thread did nothing for `ms` before `at`, which counts from the start of the part: it was stopped, or starved. */
  | { readonly t: 'standstill'; readonly ms: number; readonly at: number }
  /** Every lane has ended and the ledger is closed; nothing comes after it. */
  | { readonly t: 'finished' }
  | { readonly t: 'failed'; readonly error: ToldError };

export interface ToLoad {
  readonly t: 'stop';
}

/** An error on its way between threads, which would lose its class and its code. */
export interface ToldError {
  readonly message: string;
  readonly code?: string;
  /** Of ackproof's own. */
  readonly kind?: ErrorKind;
  readonly hint?: string;
  readonly cause?: ToldError;
}

export const tellError = (thrown: unknown): ToldError => {
  if (!(thrown instanceof Error)) return { message: String(thrown) };
  const { message, cause } = thrown;
  const { code } = thrown as { readonly code?: unknown };
  const own = thrown instanceof AckproofError ? thrown : undefined;
  return {
    message,
    ...(typeof code === 'string' ? { code } : {}),
    ...(own === undefined ? {} : { kind: own.kind }),
    ...(own?.hint === undefined ? {} : { hint: own.hint }),
    ...(cause === undefined ? {} : { cause: tellError(cause) }),
  };
};

export const toldError = ({ message, code, kind, hint, cause }: ToldError): Error => {
  const details = cause === undefined ? {} : { cause: toldError(cause) };
  if (kind !== undefined) {
    return new AckproofError(code ?? 'LOAD_BROKE', kind, message, {
      ...details,
      ...(hint === undefined ? {} : { hint }),
    });
  }
  const error = new Error(message, details);
  return code === undefined ? error : Object.assign(error, { code });
};
