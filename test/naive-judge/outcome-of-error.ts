// What an `error` line says about its records: the table of definite failures, and everything else unknown.
import type { Outcome } from '../../src/vocabulary.ts';

/** Codes that refuse a batch before anything is appended. */
const DEFINITE_CODES = [10, 17, 18, 21, 29, 31, 32, 43, 87];
/** Rejected before the append by Apache Kafka; other brokers are not known to. */
const NOT_ENOUGH_REPLICAS = 19;
const DUPLICATE_SEQUENCE_NUMBER = 46;

export interface FailedAttempt {
  /** Absent: disconnect, deadline or crash. */
  readonly code: number | undefined;
  readonly notSent: boolean;
  readonly attempts: number;
  readonly tainted: boolean;
}

/** `ok` here means stored, at an offset that is not trusted. */
export const outcomeOfError = (error: FailedAttempt, profile: string): Outcome => {
  if (error.code === DUPLICATE_SEQUENCE_NUMBER && !error.notSent) return 'ok';
  const isFirstAttempt = error.attempts <= 1 && !error.tainted;
  if (!isFirstAttempt) return 'unknown';
  if (error.notSent) return 'fail';
  if (error.code === NOT_ENOUGH_REPLICAS && profile === 'apache-kafka') return 'fail';
  return error.code !== undefined && DEFINITE_CODES.includes(error.code) ? 'fail' : 'unknown';
};
