// What an `ack` or `error` line says about its records, by the one table of outcomes. Text histories and run directories both
// come through here, so that a run and its export can never be classified differently.
import {
  APACHE_KAFKA_PROFILE,
  CAUTIOUS_PROFILE,
  judgeAnswer,
  judgeUnanswered,
  type OutcomeProfile,
} from '../outcomes.ts';
import type { Outcome } from '../vocabulary.ts';
import type { AckLine, Contract, ErrorLine } from './history-lines.ts';

/** How the records of one outcome line ended. */
export interface Settlement {
  readonly outcome: Outcome;
  /** The first record's offset, where it is trusted. */
  readonly offset?: number;
  readonly epoch?: number;
  readonly attempts: number;
  readonly tainted: boolean;
}

/** What a contract's `profile` declares about a target's answers. */
const outcomeProfile = (profile: string): OutcomeProfile =>
  profile === 'apache-kafka' ? APACHE_KAFKA_PROFILE : CAUTIOUS_PROFILE;

const DUPLICATE_SEQUENCE_NUMBER = 46;

const classifyError = (line: ErrorLine, contract: Contract): Outcome => {
  const facts = { isFirst: line.attempts <= 1, tainted: line.tainted, profile: outcomeProfile(contract.profile) };
  if (line.notSent === true) return judgeUnanswered('never-sent', facts).outcome;
  if (line.code === undefined) return 'unknown';
  const { outcome } = judgeAnswer(line.code, facts);
  return contract.acks === 0 && line.code === DUPLICATE_SEQUENCE_NUMBER ? 'unknown' : outcome;
};

/** The settlement of an outcome line under a contract; at acks=0 nothing is ever `ok`. */
export const settlementOf = (line: AckLine | ErrorLine, contract: Contract): Settlement => {
  const { attempts, tainted } = line;
  if (line.t === 'error') return { outcome: classifyError(line, contract), attempts, tainted };
  if (contract.acks === 0) return { outcome: 'unknown', attempts, tainted };
  return {
    outcome: 'ok',
    attempts,
    tainted,
    ...(line.offset === undefined ? {} : { offset: line.offset }),
    ...(line.epoch === undefined ? {} : { epoch: line.epoch }),
  };
};
