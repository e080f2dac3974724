// Runs one program and tells what it used from the line with which it begins its work until its end: time, CPU of itself and of
// whatever it waited for, and the most memory it ever held. Its output goes to a file, so that reading along costs nothing.
// Linux only: elsewhere CPU and memory are not known.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { systemClock } from '../../src/clock.ts';

export interface MeasuredCommand {
  readonly command: string;
  readonly words: readonly string[];
  /** What its output contains once it begins to work. */
  readonly begins: string;
  /** Where it runs. */
  readonly folder: string;
  readonly outputFile: string;
  /** Kills it, which is a failure. */
  readonly signal: AbortSignal;
}

/** From the beginning of the work to the end of the process. */
export interface Usage {
  readonly seconds: number;
  /** User and system together. */
  readonly cpuSeconds: number;
  /** Since the start of the process. */
  readonly peakBytes: number;
}

const TICKS_PER_SECOND = 100;
const POLL_MS = 10;
const HEAD_BYTES = 16 * 1024;

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // it has ended, or there is no /proc
  }
};

/** Fields of `/proc/PID/stat` from the third on. */
const statOf = (pid: number | 'self'): readonly string[] => {
  const stat = readText(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

const sumOfFields = (stat: readonly string[], fields: readonly number[]): number =>
  fields.reduce((sum, field) => sum + Number(stat[field] ?? Number.NaN), 0) / TICKS_PER_SECOND;

const cpuOf = (pid: number): number => sumOfFields(statOf(pid), [11, 12, 13, 14]);

/** Of all children that have ended and were waited for. */
const cpuOfEnded = (): number => sumOfFields(statOf('self'), [13, 14]);

const peakOf = (pid: number): number =>
  1024 * Number(/VmHWM:\s+(\d+)/.exec(readText(`/proc/${pid}/status`))?.[1] ?? Number.NaN);

const headOf = (file: string): string => {
  const descriptor = openSync(file, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.toString('latin1', 0, readSync(descriptor, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
};

/** Waits for its end. Nothing else that this process started may end meanwhile. Throws with its last words if it fails. */
export const measureProcess = async (measured: MeasuredCommand): Promise<Usage> => {
  const { command, words, begins, folder, outputFile, signal } = measured;
  const endedBefore = cpuOfEnded();
  const output = openSync(outputFile, 'w');
  const child = spawn(command, words, {
    stdio: ['ignore', output, output],
    cwd: folder,
    signal,
    killSignal: 'SIGKILL',
  });
  closeSync(output);
  const pid = child.pid ?? 0;
  let exitCode: number | null | undefined;
  let endedAt = 0;
  const gone = new Promise<void>((resolve) => {
    const end = (code: number | null): void => {
      exitCode ??= code;
      endedAt = systemClock.now();
      resolve();
    };
    child.once('exit', end);
    child.once('error', () => end(127));
  });
  let began: { readonly at: number; readonly cpu: number } | undefined;
  let peakBytes = Number.NaN;
  while (exitCode === undefined) {
    if (began === undefined && headOf(outputFile).includes(begins)) began = { at: systemClock.now(), cpu: cpuOf(pid) };
    const peak = peakOf(pid);
    if (!Number.isNaN(peak)) peakBytes = peak;
    await Promise.race([gone, systemClock.sleep(POLL_MS)]);
  }
  if (exitCode !== 0 || began === undefined) {
    const said = readText(outputFile).slice(-2000);
    throw new Error(
      `${command} ended with ${String(exitCode)} ${began === undefined ? 'before it began' : ''}:\n${said}`,
    );
  }
  const cpuSeconds = cpuOfEnded() - endedBefore - began.cpu;
  return { seconds: (endedAt - began.at) / 1000, cpuSeconds, peakBytes };
};
