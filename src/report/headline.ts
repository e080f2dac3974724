// The first line of every format: what came of the run, then the reason. The word follows the same order as the exit code, so
// that the two never disagree; a pass whose bounds were missed is not called a pass.
import type { BoundResult } from '../ledger/judgement.ts';
import type { Outcome, ReportModel } from './model.ts';
import { duration } from './numbers.ts';

type Facts = Pick<ReportModel, 'outcome' | 'parts'>;

/** How the result is coloured: nothing wrong, something wrong, or not known. */
export type Tone = 'good' | 'bad' | 'doubt';

interface Headline {
  readonly word: string;
  readonly tone: Tone;
  readonly reason: string;
}

const boundReason = ({ name, limitMs, measuredMs, where }: BoundResult): string =>
  measuredMs === undefined
    ? `${name} within ${duration(limitMs)}: ${where}`
    : `${name} took ${duration(measuredMs)}, the limit is ${duration(limitMs)}: ${where}`;

const boundReasons = ({ parts }: Facts, state: BoundResult['state']): string =>
  (parts.at(-1)?.bounds ?? [])
    .filter((bound) => bound.state === state)
    .map(boundReason)
    .join('; ') || `a bound was ${state}`;

const withHeal = ({ heal, because }: Outcome): string =>
  heal === 'failed' ? `${because}; a fault could not be healed and may still be active` : because;

/** Not escaped. */
export const headlineParts = (facts: Facts): Headline => {
  const { outcome } = facts;
  const { verdict, because, heal, ended, bounds } = outcome;
  if (verdict === 'fail') return { word: 'FAIL', tone: 'bad', reason: withHeal(outcome) };
  if (heal === 'failed') {
    return {
      word: 'HEAL FAILED',
      tone: 'bad',
      reason: `a fault may still be active; run: ackproof heal --all; ${because}`,
    };
  }
  if (verdict === 'error' || ended === 'error') return { word: 'ERROR', tone: 'doubt', reason: because };
  if (ended === 'interrupted') return { word: 'INTERRUPTED', tone: 'doubt', reason: `${verdict} so far: ${because}` };
  if (verdict === 'inconclusive') return { word: 'INCONCLUSIVE', tone: 'doubt', reason: because };
  if (bounds === 'no-samples') {
    return { word: 'INCONCLUSIVE', tone: 'doubt', reason: `${boundReasons(facts, 'no-samples')}; ${because}` };
  }
  if (bounds === 'missed') {
    return { word: 'BOUNDS MISSED', tone: 'bad', reason: `${boundReasons(facts, 'missed')}; ${because}` };
  }
  return { word: 'PASS', tone: 'good', reason: because };
};

/** `FAIL 102 acked records missing: orders/0 offsets 1995-2096 …`; not escaped. */
export const headlineOf = (facts: Facts): string => {
  const { word, reason } = headlineParts(facts);
  return `${word} ${reason}`;
};
