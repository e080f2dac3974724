// docs/soundness.md from the recorded results: what each scenario must find, what it found, and every drill that did not go as
// it should. Pure; counts only what was run, and says what was not.
import { DECLARED_CELLS } from './declared-cells.ts';
import { isFitting } from './fitting.ts';
import { type Cell, cellName, type DrillResult, isFound, isWell, sameCell, type TreeKey } from './result.ts';
import { cellsOf, DRILLS } from './work-list.ts';

export interface DeclaredDefect {
  readonly name: keyof typeof DECLARED_CELLS;
  readonly expected: readonly string[];
  readonly summary: string;
}

export interface PageFacts {
  readonly key: TreeKey;
  readonly scenarios: readonly string[];
  readonly defects: readonly DeclaredDefect[];
  /** Of this key only. */
  readonly results: readonly DrillResult[];
}

const of = (results: readonly DrillResult[], cell: Cell): readonly DrillResult[] =>
  results.filter((result) => sameCell(result, cell));

const count = (results: readonly DrillResult[], holds: (result: DrillResult) => boolean): string =>
  `${results.filter(holds).length}/${results.length}`;

/** The names that any of the drills showed, most frequent first. */
const namesIn = (results: readonly DrillResult[]): readonly string[] => {
  const times = new Map<string, number>();
  for (const { found } of results) for (const name of Object.keys(found)) times.set(name, (times.get(name) ?? 0) + 1);
  return [...times].sort(([, one], [, other]) => other - one).map(([name]) => name);
};

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const declaredTable = ({ defects, results }: PageFacts): readonly string[] => [
  row(['defect', 'scenario', 'declared', 'found', 'drills that found it']),
  row(['---', '---', '---', '---', '---:']),
  ...defects.flatMap(({ name, expected }) =>
    DECLARED_CELLS[name].map((scenario) => {
      const drills = of(results, { scenario, defect: name });
      const times = drills.length === 0 ? 'not run' : count(drills, (result) => isFound(result, expected));
      return row([name, scenario, expected.join(', '), namesIn(drills).join(', '), times]);
    }),
  ),
];

const healthyTable = ({ scenarios, results }: PageFacts): readonly string[] => [
  row(['scenario', 'passed', 'slowest']),
  row(['---', '---:', '---:']),
  ...scenarios.map((scenario) => {
    const drills = of(results, { scenario });
    if (drills.length === 0) return row([scenario, 'not run', '']);
    return row([scenario, count(drills, isWell), `${Math.max(...drills.map((result) => result.tookSeconds))} s`]);
  }),
];

/** `●` found under a declared name, `◐` found under another name only, `·` passed, `?` no verdict, empty: not run. */
const mark = (drills: readonly DrillResult[], expected: readonly string[]): string => {
  if (drills.length === 0) return '';
  if (drills.some((result) => isFound(result, expected))) return '●';
  if (drills.some((result) => result.verdict === 'fail')) return '◐';
  return drills.every((result) => result.verdict === 'pass') ? '·' : '?';
};

/** Or `–`, where the write-ahead log of the scenario cannot have the defect. */
const crossMark = (results: readonly DrillResult[], cell: Cell, expected: readonly string[]): string =>
  isFitting(cell) ? mark(of(results, cell), expected) : '–';

const crossTable = ({ scenarios, defects, results }: PageFacts): readonly string[] => [
  row(['', ...scenarios]),
  row(['---', ...scenarios.map(() => ':-:')]),
  ...defects.map(({ name, expected }) =>
    row([name, ...scenarios.map((scenario) => crossMark(results, { scenario, defect: name }, expected))]),
  ),
];

/** Whether a drill did not go as it should. */
export const isAmiss = (result: DrillResult, defects: readonly DeclaredDefect[]): boolean => {
  if (result.verdict === 'error') return true;
  if (result.defect === undefined) return !isWell(result);
  const defect = defects.find(({ name }) => name === result.defect);
  const mustFind = defect !== undefined && DECLARED_CELLS[defect.name].includes(result.scenario);
  return mustFind && !isFound(result, defect.expected);
};

/** Every drill that did not go as it should. */
const amissLines = ({ results, defects }: PageFacts): readonly string[] => {
  const amiss = results.filter((result) => isAmiss(result, defects));
  if (amiss.length === 0) return ['None.'];
  return amiss.map(
    (result) =>
      `- \`${cellName(result)}\`: ${result.verdict}, exit ${result.exitCode}. ${(result.because ?? '').replaceAll(/\s+/g, ' ')}`,
  );
};

const runOfWanted = ({ scenarios, defects, results }: PageFacts): string => {
  const cells = cellsOf({ scenarios, defects: defects.map(({ name }) => name) }).filter(({ defect }) => defect);
  const run = cells.filter((cell) => of(results, cell).length > 0).length;
  return `${run} of ${cells.length} cells of the cross were run, ${results.length} drills in all.`;
};

/** The page, whole. */
export const renderPage = (facts: PageFacts): string =>
  [
    '# Would it have noticed?',
    '',
    'Generated by `npm run soundness`; do not edit. The brokers of the embedded cluster can be started with a **defect**, one step',
    'made wrong on purpose (`ackproof list defects`). Each defect declares the anomalies it must cause, and at least one shipped',
    'scenario must find it under one of those names. Each cell says in how many of the drills that were run it was found; without a',
    'defect every scenario must pass, and the table says how often it did.',
    '',
    `Key: \`src/\` ${facts.key.src}, \`scenarios/\` ${facts.key.scenarios} (git tree hashes). ${runOfWanted(facts)}`,
    `A full proof is ${DRILLS.declared} drills of each declared cell, ${DRILLS.other} of every other cell, ` +
      `${DRILLS.withoutDefect} of each scenario without a defect.`,
    '',
    '## How often each defect was found',
    '',
    ...declaredTable(facts),
    '',
    '## How often each scenario passed without a defect',
    '',
    'Passed: verdict `pass` and exit code 0, so every bound was met and every fault confirmed and healed.',
    '',
    ...healthyTable(facts),
    '',
    '## All scenarios and all defects',
    '',
    '`●` found under a name that the defect declares, `◐` found under other names only, `·` passed (its trigger does not occur',
    'there), `?` inconclusive for another reason, `–` its write-ahead log cannot have it, empty: not run. A drill counts as having found a defect when its verdict is `fail` or `inconclusive` and a declared',
    'anomaly is among its illegal findings; a defect that shows in the honesty check, before any fault, counts too.',
    '',
    ...crossTable(facts),
    '',
    '## Drills that did not go as they should',
    '',
    'A drill without a defect that did not pass, a declared cell whose defect was not found, or a drill that broke:',
    '',
    ...amissLines(facts),
    '',
    '## What each defect does',
    '',
    ...facts.defects.map(({ name, summary }) => `- \`${name}\`: ${summary}`),
    '',
    '## To reproduce',
    '',
    '```',
    'npm ci',
    'npm run soundness -- --budget 20m                      # goes on where the recorded results of this commit end',
    'npm run soundness -- --only leader-kill:lose-wal-tail  # one cell; `leader-kill:none`, `leader-kill` also work',
    'npm run soundness -- --page                            # only writes this page again',
    '```',
    '',
    'Drills run from a build of the committed files, several at a time (`--at-once`), with the scenarios as they are shipped, except for two things:',
    'the control part is left out (the column without a defect is the same run, many times), and a replay pass that is stuck is',
    'given up after 15 s instead of a minute, which can make a run `unseen` and hence `inconclusive` sooner, never a pass.',
    'Results are lines of `docs/soundness-results.ndjson`; those of another key are not counted.',
    '',
  ].join('\n');
