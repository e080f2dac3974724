// What the proxy counts, in the shape in which it is told. Every number moves when the thing happens, also while the request that
// it belongs to is still in flight.
import type { S3Operation } from './s3-operation.ts';

/** A request that was forwarded after its caller had been told that it failed, or nothing. */
export interface LateForward {
  /** ISO 8601, when its answer came, or it failed. */
  readonly at: string;
  readonly bucket: string;
  readonly key: string;
  /** What the store answered; null where it did not. */
  readonly status: number | null;
}

export interface RuleCounters {
  readonly state: 'active' | 'expired' | 'removed';
  /** Milliseconds until it dies by itself; 0 for one that has ended. */
  readonly expiresInMs: number;
  /** Requests that met all its conditions, the limits left aside. */
  readonly matched: number;
  /** Requests that were treated otherwise because of it. */
  readonly acted: number;
  /** Requests that it has in its hands now. */
  readonly held: number;
  /** Of those it was let loose on: heads that were sent to the store. */
  readonly forwarded: number;
  readonly upstream2xx: number;
  readonly upstream4xx: number;
  readonly upstream5xx: number;
  /** Bytes of final answers, heads included, that callers were sent. */
  readonly responseBytes: number;
  /** Callers that left before they had all of an answer. */
  readonly callerAborted: number;
  /** Requests that were too large to be kept, and passed or were broken off instead; only of `late-forward`. */
  readonly tooLarge: number;
  /** Matches that were let pass because `perKey` had no room for one more key. */
  readonly keysBeyondLimit: number;
  /** ISO 8601; null before it has acted. */
  readonly firstAt: string | null;
  readonly lastAt: string | null;
  /** The latest of them, oldest first. */
  readonly lateForwards: readonly LateForward[];
}

/** Status → how many. */
export type StatusCounts = Readonly<Record<string, number>>;

export interface OperationCounters {
  readonly started: number;
  readonly inFlight: number;
  /** By the status that callers were told. */
  readonly answered: StatusCounts;
  /** Ended without one. */
  readonly unanswered: number;
  /** By the status that the store answered. */
  readonly upstream: StatusCounts;
}

export interface ListenerCounters {
  readonly openConnections: number;
  readonly acceptedConnections: number;
  /** Turned away because there were too many. */
  readonly refusedConnections: number;
  /** The store could not be reached, or left before it had answered. */
  readonly upstreamFailures: number;
  /** What was no HTTP that is passed on. */
  readonly malformed: number;
  readonly callerAborted: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly operations: Readonly<Partial<Record<S3Operation, OperationCounters>>>;
}

export interface ProxyCounters {
  /** Wall clock, ISO 8601; another one than before shows a restart. */
  readonly startedAt: string;
  readonly pid: number;
  readonly seed: number;
  /** Requests in the hands of rules, ended ones included. */
  readonly held: number;
  readonly listeners: Readonly<Record<string, ListenerCounters>>;
  /** By rule id: those that are active, and the latest of those that have ended. */
  readonly rules: Readonly<Record<string, RuleCounters>>;
}

interface OperationTally {
  started: number;
  inFlight: number;
  readonly answered: Record<string, number>;
  unanswered: number;
  readonly upstream: Record<string, number>;
}

const add = (counts: Record<string, number>, status: number): void => {
  counts[String(status)] = (counts[String(status)] ?? 0) + 1;
};

/** Counts what passes through one listener. */
export class ListenerTally {
  openConnections = 0;
  acceptedConnections = 0;
  refusedConnections = 0;
  upstreamFailures = 0;
  malformed = 0;
  callerAborted = 0;
  requestBytes = 0;
  responseBytes = 0;
  readonly #operations = new Map<S3Operation, OperationTally>();

  #of(op: S3Operation): OperationTally {
    const known = this.#operations.get(op) ?? { started: 0, inFlight: 0, answered: {}, unanswered: 0, upstream: {} };
    this.#operations.set(op, known);
    return known;
  }

  started(op: S3Operation): void {
    const tally = this.#of(op);
    tally.started++;
    tally.inFlight++;
  }

  answered(op: S3Operation, status: number): void {
    add(this.#of(op).answered, status);
  }

  answeredUpstream(op: S3Operation, status: number): void {
    add(this.#of(op).upstream, status);
  }

  ended(op: S3Operation, wasAnswered: boolean): void {
    const tally = this.#of(op);
    tally.inFlight--;
    if (!wasAnswered) tally.unanswered++;
  }

  snapshot(): ListenerCounters {
    const operations: Partial<Record<S3Operation, OperationCounters>> = {};
    for (const [op, tally] of [...this.#operations].sort()) operations[op] = structuredClone(tally);
    return {
      openConnections: this.openConnections,
      acceptedConnections: this.acceptedConnections,
      refusedConnections: this.refusedConnections,
      upstreamFailures: this.upstreamFailures,
      malformed: this.malformed,
      callerAborted: this.callerAborted,
      requestBytes: this.requestBytes,
      responseBytes: this.responseBytes,
      operations,
    };
  }
}
