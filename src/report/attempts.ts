// The ledger of a part as the report needs it: one entry for each request, with when it was sent and how it ended. What the
// judge counts is the judge's; this is only drawn.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DamageLog } from '../ledger/damage.ts';
import type { AckLine, Contract, ErrorLine, SendLine } from '../ledger/history-lines.ts';
import { readLedger, type Timed } from '../ledger/read-ledger.ts';
import { settlementOf } from '../ledger/settle-outcome.ts';
import type { Outcome } from '../vocabulary.ts';

/** Producers of this name measure the outage; they are no load. */
const PROBE = /^probe-/u;

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
}

export interface Attempts {
  readonly load: readonly Attempt[];
  readonly probes: readonly Attempt[];
}

type LedgerLine = SendLine | AckLine | ErrorLine;

const keyOf = ({ producer, incarnation, topic, partition, seq }: LedgerLine): string =>
  JSON.stringify([producer, incarnation, topic, partition, seq]);

const rowFiles = (directory: string): readonly string[] =>
  existsSync(directory)
    ? readdirSync(directory)
        .filter((name) => name.endsWith('.rows'))
        .sort()
        .map((name) => join(directory, name))
    : [];

const attemptsOf = (lines: readonly Timed<LedgerLine>[], contract: Contract): Attempt[] => {
  const open = new Map<string, SendLine>();
  const attempts: Attempt[] = [];
  const end = ({ producer, topic, partition, count, at }: SendLine, outcome: Outcome, endedAt?: number): void => {
    attempts.push({
      producer,
      topic,
      partition,
      count,
      sentAt: at,
      outcome,
      ...(endedAt === undefined ? {} : { endedAt }),
    });
  };
  for (const { line } of lines) {
    if (line.t === 'send') {
      open.set(keyOf(line), line);
      continue;
    }
    const sent = open.get(keyOf(line));
    if (sent === undefined) continue;
    open.delete(keyOf(line));
    end(sent, settlementOf(line, contract).outcome, line.at);
  }
  for (const sent of open.values()) end(sent, 'unknown');
  return attempts;
};

/** Every request of a part; undefined where it has no ledger. Throws InputError when a newer version wrote it. */
export const readAttempts = (directory: string, run: string, contract: Contract): Attempts | undefined => {
  const files = rowFiles(join(directory, 'ledger'));
  if (files.length === 0) return undefined;
  const all = files.flatMap((path) => attemptsOf(readLedger(path, run, contract, new DamageLog()), contract));
  return {
    load: all.filter(({ producer }) => !PROBE.test(producer)),
    probes: all.filter(({ producer }) => PROBE.test(producer)),
  };
};
