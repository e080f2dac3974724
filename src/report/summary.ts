// Several drills in one answer: the worst of them first, then each with its reason. Nothing is decided here; every word is that
// of the drill's own report.
import { buildModel } from './build-model.ts';
import { headlineParts, type Tone } from './headline.ts';
import type { ReportModel } from './model.ts';

/** How one of several scenarios ended: with a run directory, or with what kept it from one. */
export type DrillEnding = {
  /** The scenario's name, or its file where it has none. */
  readonly scenario: string;
  readonly exitCode: number;
} & ({ readonly runDirectory: string } | { readonly trouble: string });

export interface DrillSummary {
  readonly scenario: string;
  /** The first word of the drill's own report. */
  readonly word: string;
  readonly tone: Tone;
  readonly reason: string;
  readonly exitCode: number;
  readonly runDirectory?: string;
  /** Absent where the drill never came to a run directory. */
  readonly report?: ReportModel;
}

export interface RunSummary {
  /** The worst drill and its reason, then how many passed. */
  readonly headline: string;
  readonly tone: Tone;
  /** In the order they were run. */
  readonly drills: readonly DrillSummary[];
}

/** In the order in which exit codes are chosen. */
const WORST_FIRST = ['FAIL', 'HEAL FAILED', 'ERROR', 'INTERRUPTED', 'INCONCLUSIVE', 'BOUNDS MISSED', 'PASS'];

/** Exit codes of what a signal ended: nothing went wrong there. */
const STOPPED: ReadonlySet<number> = new Set([130, 143]);

const drillSummary = async (ending: DrillEnding): Promise<DrillSummary> => {
  const { scenario, exitCode } = ending;
  if ('trouble' in ending) {
    const word = STOPPED.has(exitCode) ? 'INTERRUPTED' : 'ERROR';
    return { scenario, exitCode, word, tone: 'doubt', reason: ending.trouble };
  }
  const { runDirectory } = ending;
  const report = await buildModel(runDirectory);
  return { scenario, exitCode, ...headlineParts(report), runDirectory, report };
};

const rank = ({ word }: DrillSummary): number => WORST_FIRST.indexOf(word);

/** Builds the summary of several drills. Throws InputError where a run directory is none. */
export const buildSummary = async (endings: readonly DrillEnding[]): Promise<RunSummary> => {
  const drills: DrillSummary[] = [];
  for (const ending of endings) drills.push(await drillSummary(ending));
  const [worst] = [...drills].sort((one, other) => rank(one) - rank(other));
  const passed = `${drills.filter(({ word }) => word === 'PASS').length} of ${drills.length} drills passed`;
  if (worst === undefined) return { headline: 'ERROR no drill was run', tone: 'doubt', drills };
  if (worst.word === 'PASS') return { headline: `PASS ${passed}`, tone: 'good', drills };
  return { headline: `${worst.word} ${worst.scenario}: ${worst.reason}; ${passed}`, tone: worst.tone, drills };
};
