// The ledger of a part as the report needs it: one entry for each request, with when it was sent and how it ended. What the
// judge counts is the judge's; this is only drawn.
import { InputError } from '../errors.ts';
import type { AckLine, Contract, ErrorLine, SendLine } from '../ledger/history-lines.ts';
import { eachLedgerLine } from '../ledger/recorded-run.ts';
import { settlementOf } from '../ledger/settle-outcome.ts';
import { type Outcome, PROBE_PRODUCERS } from '../vocabulary.ts';

/** These producers measure the outage; they are no load. */
const PROBES: ReadonlySet<string> = new Set(PROBE_PRODUCERS);

export interface Attempt {
  readonly producer: string;
  readonly topic: string;
  readonly partition: number;
  /** Records. */
  readonly count: number;
  readonly sentAt: number;
  /** Absent: it was never answered. */
  readonly endedAt?: number;
  readonly outcome: Outcome;
  /** The acknowledged offset of its first record. */
  readonly offset?: number;
  /** The error code it was answered with. */
  readonly code?: number;
}

export interface Attempts {
  readonly load: readonly Attempt[];
  readonly probes: readonly Attempt[];
}

type LedgerLine = SendLine | AckLine | ErrorLine;

const keyOf = ({ producer, incarnation, topic, partition, seq }: LedgerLine): string =>
  JSON.stringify([producer, incarnation, topic, partition, seq]);

type Answer = Pick<Attempt, 'endedAt' | 'offset' | 'code'>;

const answerIn = (line: AckLine | ErrorLine): Answer => {
  const told = line.t === 'ack' ? { offset: line.offset } : { code: line.code };
  return { endedAt: line.at, ...Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)) };
};

/** Joins requests with their answers as they come. */
class AttemptLog {
  readonly #contract: Contract;
  readonly #open = new Map<string, SendLine>();
  readonly #load: Attempt[] = [];
  readonly #probes: Attempt[] = [];

  constructor(contract: Contract) {
    this.#contract = contract;
  }

  add(line: LedgerLine): void {
    const key = keyOf(line);
    if (line.t === 'send') {
      this.#open.set(key, line);
      return;
    }
    const sent = this.#open.get(key);
    if (sent === undefined) return;
    this.#open.delete(key);
    this.#end(sent, settlementOf(line, this.#contract).outcome, answerIn(line));
  }

  finish(): Attempts {
    for (const sent of this.#open.values()) this.#end(sent, 'unknown');
    return { load: this.#load, probes: this.#probes };
  }

  #end({ producer, topic, partition, count, at }: SendLine, outcome: Outcome, answer?: Answer): void {
    const attempts = PROBES.has(producer) ? this.#probes : this.#load;
    attempts.push({ producer, topic, partition, count, sentAt: at, outcome, ...answer });
  }
}

/**
 * Every request of a part; undefined where it is no part of a run. Throws InputError when a newer version wrote it, or when its
 * contract is not the one it was recorded under.
 */
export const readAttempts = (directory: string): Attempts | undefined => {
  let log: AttemptLog | undefined;
  try {
    eachLedgerLine(
      directory,
      (header) => {
        log = new AttemptLog(header.contract);
      },
      (line) => log?.add(line),
    );
  } catch (thrown) {
    if (!(thrown instanceof InputError && thrown.code === 'NOT_A_RUN')) throw thrown;
  }
  return log?.finish();
};
