// The judgement of `ackproof judge` as text: the reason first, then the findings, then why it proves less than it should.
import type { Finding, RunResult } from '../ledger/judgement.ts';
import { visible } from './escape.ts';
import { grouped, plural } from './numbers.ts';
import { withAnyAliases } from './topic-alias.ts';
import { boundText, findingWord, gateText, ownershipText, placeOf, rangesText } from './words.ts';
import { worstFirst } from './worst-first.ts';

/** The part of a judged path that is printed. */
export interface JudgedResult {
  readonly result: RunResult;
}

const LABEL_WIDTH = 13;

const line = (label: string, text: string): string => `${label.padEnd(LABEL_WIDTH)}${visible(text)}`;

const findingLine = (finding: Finding): string => {
  const { anomaly, count, when, rule } = finding;
  const where = [placeOf(finding), rangesText(finding)].filter((text) => text !== '').join(' ');
  const timed = when === undefined ? '' : `, ${when}`;
  return line(findingWord(finding), `${anomaly} × ${grouped(count)} in ${where}${timed} (${rule})`);
};

/** Plain text, no colour, topics by their names in the scenario; the first line is the verdict and its reason. */
export const renderJudgement = ({ result }: JudgedResult): string => {
  const { judgement, boundResults, heal, gates = [] } = result;
  const { examined, verdict, because, findings, inconclusiveBecause, ownership } = judgement;
  const { sent, ok, unknown, fail, read, passes, partitions } = examined;
  const text = [
    `${verdict.toUpperCase()} ${visible(because)}`,
    '',
    line(
      'examined',
      `${plural(sent, 'record')} sent: ${grouped(ok)} acked, ${grouped(unknown)} unknown, ${grouped(fail)} failed; ` +
        `${grouped(read)} read in ${plural(passes, 'pass', 'passes')} of ${plural(partitions, 'partition')}`,
    ),
    ...worstFirst(findings).map(findingLine),
    ...inconclusiveBecause.map((reason) => line('proves less', reason)),
    ...boundResults.map((bound) => line('bound', boundText(bound))),
    ...(ownership === undefined ? [] : [line('ownership', ownershipText(ownership))]),
    ...gates.map((gate) => line('gate', gateText(gate))),
    ...(heal === 'failed' ? [line('heal', 'failed: a fault may still be active')] : []),
  ].join('\n');
  return withAnyAliases(text);
};
