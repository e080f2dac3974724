// `npm run soundness`: would it have noticed? Runs shipped scenarios against the embedded cluster with and without its defects,
// several at a time, goes on where the recorded results of this commit end, and writes docs/soundness.md. The exit code is 1
// when a drill did not go as it should, whenever it was run.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemClock } from '../../src/clock.ts';
import { AckproofError, EnvironmentError } from '../../src/errors.ts';
import { builtCheckout, treeKey } from './checkout.ts';
import { DECLARED_CELLS } from './declared-cells.ts';
import { isAskedFor, readOptions } from './options.ts';
import { type DeclaredDefect, isAmiss, type PageFacts, renderPage } from './page.ts';
import { appendResult, readResults } from './recorded.ts';
import { type Cell, cellName, type DrillResult } from './result.ts';
import { type DrillPlace, runDrill } from './run-drill.ts';
import { workList } from './work-list.ts';

const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

const repositoryRoot = (): string => {
  const above = ['..', '../..', '../../..', '../../../..'].map((up) => resolve(import.meta.dirname, up));
  const found = above.find((folder) => existsSync(join(folder, '.git')));
  if (found !== undefined) return found;
  throw new EnvironmentError(
    'SOUNDNESS_ROOT',
    'This is not a git checkout; results are kept by the hash of the sources.',
  );
};

/** Those that run on the embedded cluster, whatever its write-ahead log. */
const EMBEDDED = /^target: (embedded|\.\.\/targets\/embedded[-\w]*\.yaml)$/m;

const scenariosOf = (checkout: string): readonly string[] => {
  const folder = join(checkout, 'scenarios');
  return ['.', 'storage']
    .flatMap((below) => readdirSync(join(folder, below)).map((name) => join(below, name)))
    .filter((name) => name.endsWith('.yaml') && EMBEDDED.test(readFileSync(join(folder, name), 'utf8')))
    .map((name) => name.replace('.yaml', ''))
    .sort();
};

/** What the built cluster says of its own defects. */
const defectsOf = (checkout: string): readonly DeclaredDefect[] => {
  const program = join(checkout, 'dist/src/embedded/list-defects-program.js');
  return JSON.parse(execFileSync(process.execPath, [program]).toString()) as readonly DeclaredDefect[];
};

const isDeclared = ({ scenario, defect }: Cell): boolean =>
  defect !== undefined && DECLARED_CELLS[defect as keyof typeof DECLARED_CELLS].includes(scenario);

const tellDrill = (result: DrillResult, amiss: boolean, left: number): void => {
  const found = Object.entries(result.found).map(([name, count]) => `${name} ${count}`);
  const what = [`${result.verdict}, exit ${result.exitCode}`, ...found].join(', ');
  const why = amiss ? `  ✗ ${result.because ?? ''}` : '';
  say(`${cellName(result)}  ${what}, ${result.tookSeconds} s, ${left} to go${why}`);
};

interface Proof {
  readonly facts: Omit<PageFacts, 'results'>;
  readonly place: DrillPlace;
  readonly file: string;
  readonly budgetMs: number;
  readonly atOnce: number;
}

/** Runs the list, some at a time, until it is empty, the budget is used up, or somebody stops it. */
const runAll = async (proof: Proof, list: readonly Cell[], signal: AbortSignal): Promise<void> => {
  const waiting = [...list];
  const until = systemClock.now() + proof.budgetMs;
  const { defects } = proof.facts;
  const judged = (result: DrillResult): boolean => isAmiss(result, defects);
  const worker = async (): Promise<void> => {
    while (!signal.aborted && systemClock.now() < until) {
      const cell = waiting.shift();
      if (cell === undefined) return;
      const result = await runDrill(proof.place, cell, judged, signal);
      if (result === undefined) return;
      appendResult(proof.file, result);
      tellDrill(result, judged(result), waiting.length);
    }
  };
  await Promise.all(Array.from({ length: proof.atOnce }, worker));
};

const prove = async (words: readonly string[], signal: AbortSignal): Promise<number> => {
  const options = readOptions(words);
  const root = repositoryRoot();
  const key = treeKey(root, options.commit);
  const work = join(root, '.soundness');
  say(`src ${key.src}, scenarios ${key.scenarios}`);
  const checkout = builtCheckout(root, work, options.commit, key);
  const facts = { key, scenarios: scenariosOf(checkout), defects: defectsOf(checkout) };
  const file = join(root, 'docs', 'soundness-results.ndjson');
  const place = { checkout, runs: join(work, 'runs'), key };
  const wanted = { scenarios: facts.scenarios, defects: facts.defects.map(({ name }) => name), isDeclared };
  const list = workList(wanted, readResults(file, key)).filter((cell) => isAskedFor(options.only, cell));
  if (!options.pageOnly) {
    const { budgetMs, atOnce } = options;
    await runAll({ facts, place, file, budgetMs, atOnce }, list, signal);
  }
  const results = readResults(file, key);
  writeFileSync(join(root, 'docs', 'soundness.md'), renderPage({ ...facts, results }));
  return results.some((result) => isAmiss(result, facts.defects)) ? 1 : 0;
};

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
try {
  process.exitCode = await prove(process.argv.slice(2), stop.signal);
} catch (thrown) {
  say(thrown instanceof AckproofError ? thrown.describe() : String(thrown));
  process.exitCode = thrown instanceof AckproofError && thrown.kind === 'usage' ? 64 : 70;
}
