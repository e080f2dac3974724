// Kills one drill while its fault acts, and waits until everything is put back: by its watchdog, and, where that could not do all,
// by `ackproof heal`.
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runProgram, startProgram } from '../../support/program.ts';
import { readEdges, type SeenEdge } from './remains.ts';

const DRILL_MS = 150_000;
const WATCHDOG_MS = 60_000;

interface Drill {
  readonly scenario: string;
  readonly out: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What one kill left, and when it fell. */
export interface ContainerKill {
  readonly runId: string;
  /** After the fault was applied, ms. */
  readonly afterMs: number;
  readonly faultActive: boolean;
  /** How long until the run was known no more, ms. */
  readonly goneAfterMs: number;
  /** Who put it back. */
  readonly by: string;
  readonly troubles: readonly string[];
}

const runIdOf = (stderr: string): string => /→ \S*\/(\S+)\n/.exec(stderr)?.[1] ?? '';

const knows = async ({ env }: Drill, runId: string): Promise<boolean> =>
  (await runProgram(['status'], env)).stdout.includes(runId);

/** Until nobody knows of the run any more; false where that takes too long. */
const isForgotten = async (drill: Drill, runId: string, forMs: number): Promise<boolean> => {
  const until = Date.now() + forMs;
  while (Date.now() < until) {
    if (!(await knows(drill, runId))) return true;
    await delay(500);
  }
  return false;
};

const healByHand = async (drill: Drill, runId: string): Promise<readonly string[]> => {
  const { stdout, stderr, exitCode } = await runProgram(['heal', '--run', runId], drill.env);
  return exitCode === 0 ? [] : [`heal ended with ${exitCode}: ${stdout}${stderr}`];
};

/** Runs the drill and kills it so long after its fault was applied. */
export const killUnderFault = async (drill: Drill, afterMs: number): Promise<ContainerKill> => {
  const child = startProgram(['run', drill.scenario, '--out', drill.out], drill.env);
  const exited = once(child, 'exit');
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  child.stdout.resume();
  const startedAtMs = Date.now();
  const edges = (): readonly SeenEdge[] => {
    const runId = runIdOf(stderr);
    return runId === '' ? [] : readEdges(join(drill.out, runId, 'journal.ndjson'));
  };
  const isDue = (): boolean => edges().some(({ edge, wallMs }) => edge === 'applied' && Date.now() - wallMs >= afterMs);
  while (child.exitCode === null && Date.now() - startedAtMs < DRILL_MS && !isDue()) await delay(5);
  const mine = edges()
    .filter(({ by }) => by === 'run')
    .map(({ edge }) => edge);
  const faultActive = child.exitCode === null && mine.includes('applied') && !mine.includes('healing');
  child.kill('SIGKILL');
  await exited;
  const killedAtMs = Date.now();
  const runId = runIdOf(stderr);
  const isDone = await isForgotten(drill, runId, WATCHDOG_MS);
  const troubles = isDone ? [] : await healByHand(drill, runId);
  const goneAfterMs = Date.now() - killedAtMs;
  const by = isDone ? 'watchdog' : 'heal';
  const inactive = faultActive ? [] : [`the fault was not active: ${mine.join(', ')}; ${stderr.slice(-500)}`];
  return { runId, afterMs, faultActive, goneAfterMs, by, troubles: [...troubles, ...inactive] };
};
