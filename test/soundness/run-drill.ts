// Runs one drill as a process and turns what it says into a result. The drill's run directory is kept only when something did
// not go as it should, so that it can be looked at.
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/clock.ts';
import { freshHex } from '../../src/random.ts';
import { type Cell, cellName, type DrillResult, type TreeKey } from './result.ts';

/** Longer than any drill takes on a busy machine; one that is still there is stuck. */
const DRILL_MS = 300_000;
const STOPS_WITHIN_MS = 20_000;

export interface DrillPlace {
  /** The built commit. */
  readonly checkout: string;
  /** Where run directories go. */
  readonly runs: string;
  readonly key: TreeKey;
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly isStuck: boolean;
}

/** Waits for the program; one that is stuck is asked to stop and then ended, its watchdog clears up behind it. */
const runProgram = async (words: readonly string[], signal: AbortSignal): Promise<Ended> =>
  await new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { stdout: '', stderr: '' };
    let isStuck = false;
    const stop = (): void => {
      child.kill('SIGINT');
      child.kill('SIGTERM'); // the second request skips the replay too
      setTimeout(() => child.kill('SIGKILL'), STOPS_WITHIN_MS).unref();
    };
    const limit = setTimeout(() => {
      isStuck = true;
      stop();
    }, DRILL_MS);
    signal.addEventListener('abort', stop);
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].on('data', (chunk: Buffer) => {
        said[stream] = (said[stream] + chunk.toString()).slice(-20_000);
      });
    }
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(limit);
      signal.removeEventListener('abort', stop);
      resolve({ code: code ?? 137, ...said, isStuck });
    });
  });

type Told = Pick<DrillResult, 'verdict' | 'exitCode' | 'found' | 'because'>;

const toldBy = ({ code, stdout, stderr, isStuck }: Ended): Told => {
  const line = stdout.trim().split('\n').at(-1) ?? '';
  if (!isStuck && code === 0 && line.startsWith('{')) return JSON.parse(line) as Told;
  const because = isStuck ? `not over after ${DRILL_MS / 1000} s` : stderr.trim().slice(-400);
  return { verdict: 'error', exitCode: code, found: {}, because };
};

/** Undefined when `signal` stopped it. `isAmiss` says whether the run directory is worth keeping. */
export const runDrill = async (
  place: DrillPlace,
  cell: Cell,
  isAmiss: (result: DrillResult) => boolean,
  signal: AbortSignal,
): Promise<DrillResult | undefined> => {
  const program = join(import.meta.dirname, 'drill-program.js');
  const scenario = join(place.checkout, 'scenarios', `${cell.scenario}.yaml`);
  const out = join(place.runs, `${cellName(cell).replaceAll(/[:/]/g, '-')}-${freshHex(6)}`);
  mkdirSync(out, { recursive: true });
  const started = systemClock.now();
  const ended = await runProgram([program, place.checkout, scenario, out, cell.defect ?? 'none'], signal);
  if (signal.aborted) return undefined;
  const { because, ...told } = toldBy(ended);
  const tookSeconds = Math.round((systemClock.now() - started) / 1000);
  const plain = { ...cell, key: place.key, ...told, tookSeconds };
  if (!isAmiss(plain)) {
    rmSync(out, { recursive: true, force: true });
    return plain;
  }
  return because === undefined ? plain : { ...plain, because };
};
