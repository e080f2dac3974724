// A second judge for text histories: slow, obvious, written from the rules alone and sharing nothing with the one that is
// shipped. It exists to disagree. Each rule is one function that asks its question of every record or read anew.
import type { Verdict } from '../../src/vocabulary.ts';
import { hwmRegression, leaderEpochRegression, nonmonotonicPoll, offsetGap } from './along-a-pass.ts';
import { type Finding, findingsOf } from './finding.ts';
import type { History, Partition } from './history.ts';
import type { Instance } from './instance.ts';
import {
  corruptValue,
  failedVisible,
  nonmonotonicSend,
  phantom,
  realtimeOrder,
  unknownOutcome,
} from './order-and-origin.ts';
import { type Gate, ownershipOf } from './ownership.ts';
import { MalformedLine } from './progress.ts';
import { readHistory } from './read-history.ts';
import { divergentRoute, missing, staleRead, wrongPartition } from './seen-and-lost.ts';
import { verdictOf } from './verdict.ts';
import { ackOffsetMismatch, duplicate, duplicateAckOffset, inconsistentOffset } from './what-stands-where.ts';

export type NaiveJudgement =
  | { readonly verdict: Verdict; readonly findings: readonly Finding[]; readonly ownership: Gate }
  | { readonly exit: 65; readonly line: number };

const RULES: readonly ((log: Partition, logs: readonly Partition[]) => Instance[])[] = [
  wrongPartition, // 1
  missing, // 2
  staleRead, // 3
  divergentRoute, // 3
  inconsistentOffset, // 4
  duplicateAckOffset, // 4
  ackOffsetMismatch, // 5
  duplicate, // 6
  failedVisible, // 7
  nonmonotonicSend, // 8
  realtimeOrder, // 9
  phantom, // 10
  corruptValue, // 10
  unknownOutcome, // 10
  offsetGap, // 11
  nonmonotonicPoll, // 12
  hwmRegression, // 13
  leaderEpochRegression, // 13
];

const judge = (history: History): NaiveJudgement => {
  const instances = history.partitions.flatMap((log) => RULES.flatMap((rule) => rule(log, history.partitions)));
  const findings = findingsOf(history.contract, instances);
  return { verdict: verdictOf(history, instances, findings), findings, ownership: ownershipOf(history) };
};

/** Judges a text history; a malformed one gives the exit code and the line (from 1) that is to blame. */
export const naiveJudge = (text: string): NaiveJudgement => {
  try {
    return judge(readHistory(text));
  } catch (error) {
    if (error instanceof MalformedLine) return { exit: 65, line: error.line };
    throw error;
  }
};
