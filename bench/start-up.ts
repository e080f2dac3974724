// How long the program takes to say something, against a bare Node in the same run: `--help` and `validate`, in turn.
// Prints medians and ratios of wall time. Run: node dist-bench/bench/start-up.js [rounds]
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { median, medianRatio } from './medians.ts';

const root = [1, 2, 3]
  .map((up) => resolve(import.meta.dirname, ...new Array<string>(up).fill('..')))
  .find((folder) => existsSync(join(folder, 'package.json')));
if (root === undefined) throw new Error('no package.json above this file');
const program = join(root, 'dist', 'bin', 'ackproof.js');

const COMMANDS = [
  { name: 'node -e 0', words: ['-e', '0'] },
  { name: '--help', words: [program, '--help'] },
  { name: 'validate', words: [program, 'validate', join(root, 'scenarios', 'leader-kill.yaml')] },
] as const;

const timeMs = (words: readonly string[]): number => {
  const from = performance.now();
  const { status } = spawnSync(process.execPath, words, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${String(status)}`);
  return performance.now() - from;
};

const rounds = Number(process.argv[2] ?? 15);
const times: number[][] = COMMANDS.map(() => []);
for (let round = -1; round < rounds; round++) {
  for (const [index, { words }] of COMMANDS.entries()) {
    const ms = timeMs(words);
    if (round >= 0) times[index]?.push(ms);
  }
}
for (const [index, { name }] of COMMANDS.entries()) {
  const mine = times[index] ?? [];
  const ratio = medianRatio(mine, times[0] ?? []);
  process.stdout.write(`${name.padEnd(12)} median ${median(mine).toFixed(0)} ms  ${ratio.toFixed(2)} × node -e 0\n`);
}
