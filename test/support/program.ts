// Runs the built program as a person would: arguments in, exit code and both streams out.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { resolve } from 'node:path';

const program = resolve(import.meta.dirname, '..', '..', 'dist', 'bin', 'ackproof.js');

export interface ProgramResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts `ackproof` with `words`; `env` is laid over ours, and `within` is a command that starts it somewhere else. */
export const startProgram = (
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  within: readonly string[] = [],
): ChildProcessWithoutNullStreams => {
  const [first = process.execPath, ...rest] = [...within, process.execPath, program, ...words];
  return spawn(first, rest, { env: { ...process.env, NO_COLOR: '1', ...env } });
};

/** Runs `ackproof` to its end. */
export const runProgram = async (
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  within: readonly string[] = [],
): Promise<ProgramResult> => {
  const child = startProgram(words, env, within);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString('utf8');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  const exitCode = await new Promise<number | null>((done) => child.once('close', done));
  return { exitCode, stdout, stderr };
};
