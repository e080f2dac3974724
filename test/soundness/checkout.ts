// The committed files, built apart: what runs is what the key says, whatever is being edited in the working tree meanwhile.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { EnvironmentError } from '../../src/errors.ts';
import type { TreeKey } from './result.ts';

const PARTS = ['src', 'bin', 'scenarios', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];
const MOST_BYTES = 256 * 1024 * 1024;

const run = (program: string, words: readonly string[], cwd: string, input?: Buffer): Buffer => {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd, maxBuffer: MOST_BYTES, ...(input && { input }) });
  if (status === 0) return stdout;
  const said = `${String(stdout).slice(-2000)}${String(stderr).slice(-2000)}`;
  throw new EnvironmentError('SOUNDNESS_CHECKOUT', `${program} ${words.join(' ')} ended with ${status}: ${said}`);
};

/** The trees of a commit. */
export const treeKey = (root: string, commit: string): TreeKey => {
  const [src = '', scenarios = ''] = run('git', ['rev-parse', `${commit}:src`, `${commit}:scenarios`], root)
    .toString()
    .split('\n');
  return { src: src.slice(0, 12), scenarios: scenarios.slice(0, 12) };
};

/** Builds the commit below `work`, once for each key; its folder. Takes a while the first time. */
export const builtCheckout = (root: string, work: string, commit: string, key: TreeKey): string => {
  const folder = join(work, `${key.src}-${key.scenarios}`);
  if (existsSync(join(folder, 'dist', 'built'))) return folder;
  mkdirSync(folder, { recursive: true });
  run('tar', ['-x', '-C', folder], root, run('git', ['archive', commit, ...PARTS], root));
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], folder);
  mkdirSync(join(folder, 'dist', 'built'));
  return folder;
};
