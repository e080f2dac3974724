// Random text histories for setting two judges against each other: a legal run on a toy cluster, then up to three things
// that went wrong with it or with its record. The same seed gives the same text.
import { randomStream } from '../../src/random.ts';
import { type Line, weighted } from './random/line.ts';
import { malform } from './random/malform.ts';
import { READ_MUTATORS } from './random/mutate-reads.ts';
import { RUN_MUTATORS } from './random/mutate-run.ts';
import { SHAPE_MUTATORS } from './random/mutate-shape.ts';
import { planRun } from './random/plan.ts';
import { simulateRun } from './random/simulate.ts';

/** How many histories in a thousand are malformed on purpose. */
const MALFORMED_PER_MILLE = 25;
const MUTATORS = [...READ_MUTATORS, ...RUN_MUTATORS, ...SHAPE_MUTATORS];

const mutate = (lines: Line[], seed: number): void => {
  const random = randomStream(seed, 'mutators');
  const mutations = random.pick([0, 1, 1, 2, 2, 3]);
  for (let mutation = 0; mutation < mutations; mutation++) weighted(random, MUTATORS)(lines, random);
};

/** Passes may be named by strings as well as by numbers. */
const namePasses = (lines: readonly Line[], seed: number): void => {
  if (randomStream(seed, 'names').integer(5) > 0) return;
  for (const line of lines) if (line.pass === 2) line.pass = 'cold';
};

/** One NDJSON history, typically of 10 to 40 lines; a few are malformed. */
export const randomHistory = (seed: number): string => {
  const plan = planRun(randomStream(seed, 'plan'));
  const lines = simulateRun(plan, randomStream(seed, 'run'));
  mutate(lines, seed);
  namePasses(lines, seed);
  const random = randomStream(seed, 'malformed');
  const written = random.integer(1000) < MALFORMED_PER_MILLE ? malform(lines, random) : lines;
  return written.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
};
