// The judgement of `ackproof judge` as text: the reason first, then the findings, then why the run proves less than it should.
import type { RunResult } from '../ledger/judgement.ts';
import { visible } from './escape.ts';
import { worstFirst } from './worst-first.ts';

/** The part of a judged path that is printed. */
export interface JudgedResult {
  readonly result: RunResult;
}

/** Plain text, no colour; the first line is the verdict and its reason. */
export const renderJudgement = ({ result }: JudgedResult): string => {
  const { judgement } = result;
  const { examined } = judgement;
  const findings = worstFirst(judgement.findings).map(
    ({ anomaly, legal, count, topic, partition, rule }) =>
      `  ${legal ? 'legal  ' : 'ILLEGAL'}  ${count} ${anomaly} in ${visible(topic)}/${partition}: ${visible(rule)}`,
  );
  return [
    `${judgement.verdict.toUpperCase()} ${visible(judgement.because)}`,
    '',
    `examined  ${examined.ok} acked, ${examined.unknown} unknown, ${examined.fail} failed of ${examined.sent} sent; ${examined.read} read in ${examined.passes} passes of ${examined.partitions} partitions`,
    ...findings,
    ...judgement.inconclusiveBecause.map((reason) => `  proves less: ${visible(reason)}`),
  ].join('\n');
};
