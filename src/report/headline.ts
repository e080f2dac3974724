// The first line of every format: the verdict, then the reason. `PASS 41,250 acked records all read back in 2 passes`.
import type { ReportModel } from './model.ts';

/** What the banner says in one word. A missed bound with safe data is not a failure of durability, and not a pass either. */
export const verdictWord = ({ outcome }: ReportModel): string => {
  if (outcome.verdict === 'error') return 'ERROR';
  if (outcome.verdict !== 'pass') return outcome.verdict.toUpperCase();
  if (outcome.heal === 'failed') return 'HEAL FAILED';
  if (outcome.ended === 'interrupted') return 'INTERRUPTED';
  return outcome.bounds === 'missed' ? 'BOUNDS MISSED' : 'PASS';
};

/** Not yet escaped. */
export const headline = (model: ReportModel): string => `${verdictWord(model)} ${model.outcome.because}`;
