// The ledger of a part as the report needs it: one entry for each request, with when it was sent and how it ended. What the
// judge counts is the judge's; this is only drawn.
import { InputError } from '../errors.ts';
import type { AckLine, Contract, ErrorLine, SendLine } from '../ledger/history-lines.ts';
import { openRun, type RecordedRun } from '../ledger/recorded-run.ts';
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

const attemptsOf = (lines: readonly LedgerLine[], contract: Contract): Attempt[] => {
  const open = new Map<string, SendLine>();
  const attempts: Attempt[] = [];
  const end = ({ producer, topic, partition, count, at }: SendLine, outcome: Outcome, answer?: Answer): void => {
    attempts.push({ producer, topic, partition, count, sentAt: at, outcome, ...answer });
  };
  for (const line of lines) {
    if (line.t === 'send') {
      open.set(keyOf(line), line);
      continue;
    }
    const sent = open.get(keyOf(line));
    if (sent === undefined) continue;
    open.delete(keyOf(line));
    end(sent, settlementOf(line, contract).outcome, answerIn(line));
  }
  for (const sent of open.values()) end(sent, 'unknown');
  return attempts;
};

const opened = (directory: string): RecordedRun | undefined => {
  try {
    return openRun(directory);
  } catch (thrown) {
    if (thrown instanceof InputError && thrown.code === 'NOT_A_RUN') return undefined;
    throw thrown;
  }
};

/**
 * Every request of a part; undefined where it left no ledger. Throws InputError when a newer version wrote it, or when its
 * contract is not the one it was recorded under.
 */
export const readAttempts = (directory: string): Attempts | undefined => {
  const run = opened(directory);
  if (run === undefined) return undefined;
  const lines = run.timed.flatMap(({ line }) =>
    line.t === 'send' || line.t === 'ack' || line.t === 'error' ? [line] : [],
  );
  const all = attemptsOf(lines, run.header.contract);
  return {
    load: all.filter(({ producer }) => !PROBES.has(producer)),
    probes: all.filter(({ producer }) => PROBES.has(producer)),
  };
};
