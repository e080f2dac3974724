// The verdict from what was found and what was not proved (history.md 16), and the one sentence that gives its reason.
import type { Verdict } from '../vocabulary.ts';
import type { FaultLine, HarnessLine } from './history-lines.ts';
import type { Examined, Finding } from './judgement.ts';
import type { RunFacts } from './run-facts.ts';
import { findingSentence, grouped, passSentence } from './sentences.ts';

const faultReason = (id: string, edges: readonly FaultLine[]): string | undefined => {
  const name = edges[0]?.fault === id ? id : `${edges[0]?.fault ?? 'fault'} (${id})`;
  const byMechanism = edges.some(({ require }) => require === 'mechanism');
  const proof = edges.findIndex(({ edge }) => edge === 'confirmed' || (byMechanism && edge === 'applied'));
  if (proof === -1) return `fault ${name} was never shown to bite`;
  for (const { edge } of edges.slice(proof + 1)) {
    if (edge === 'heal-failed') return `fault ${name} could not be healed`;
    if (edge === 'unconfirmed' && !byMechanism) return `the evidence of fault ${name} vanished while it was to last`;
  }
  return undefined;
};

const faultReasons = (facts: RunFacts): string[] => {
  const byId = new Map<string, FaultLine[]>();
  for (const line of facts.faults) {
    const edges = byId.get(line.id);
    if (edges === undefined) byId.set(line.id, [line]);
    else edges.push(line);
  }
  return [...byId].flatMap(([id, edges]) => faultReason(id, edges) ?? []);
};

/** A cluster that takes nothing any more is what a reader must hear of first: most of the other doubts follow from it. */
const worstFirst = (lines: readonly HarnessLine[]): readonly HarnessLine[] => {
  const isDead = ({ anomaly }: HarnessLine): boolean => anomaly === 'no-progress';
  return [...lines.filter(isDead), ...lines.filter((line) => !isDead(line))];
};

/** Why the run as a whole proves less than it should, apart from its partitions. */
export const runReasons = (facts: RunFacts, findings: readonly Finding[], examined: Examined): string[] => {
  const unseen = findings.filter(({ anomaly }) => anomaly === 'unseen');
  const count = unseen.reduce((sum, finding) => sum + finding.count, 0);
  return [
    ...worstFirst(facts.harness).map(({ anomaly, detail }) => `${anomaly}: ${detail}`),
    ...(examined.ok === 0 ? ['no record was acknowledged'] : []),
    ...(count === 0
      ? []
      : [`${grouped(count)} acked ${count === 1 ? 'record lies' : 'records lie'} where no pass came`]),
    ...faultReasons(facts),
  ];
};

export interface Decision {
  readonly verdict: Verdict;
  readonly because: string;
}

/** Illegal violations outrank every doubt; a doubt outranks a pass. */
export const decide = (
  findings: readonly Finding[],
  inconclusiveBecause: readonly string[],
  examined: Examined,
): Decision => {
  const violations = findings.filter(({ legal, severity }) => !legal && severity === 'violation');
  if (violations.length > 0) return { verdict: 'fail', because: findingSentence(violations) };
  const [first] = inconclusiveBecause;
  if (first !== undefined) {
    const more = inconclusiveBecause.length - 1;
    return {
      verdict: 'inconclusive',
      because: more === 0 ? first : `${first} (and ${more} more ${more === 1 ? 'reason' : 'reasons'})`,
    };
  }
  return { verdict: 'pass', because: passSentence(findings, examined) };
};
