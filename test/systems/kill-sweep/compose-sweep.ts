// Kills one drill at a chosen moment of its fault, and waits until everything is put back: by its watchdog, and, where that could not
// do all, by `ackproof heal`. The moments are those at which a kill can hurt: while the fault is prepared and nothing but canaries is
// made, beside its intent, while it acts, and beside the beginning of its healing.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../../src/random.ts';
import { runProgram, startProgram } from '../../support/program.ts';
import { readEdges, type SeenEdge } from './remains.ts';

const DRILL_MS = 150_000;
const WATCHDOG_MS = 60_000;
/** A kill that falls so close after a line of the journal is beside the call that the line announces. */
const BESIDE_CALL_MS = 50;

/** So long after the journal was made, which is as the load begins, or after a line of it that is the run's. */
export interface Moment {
  readonly after: 'journal' | 'preparing' | 'intent' | 'applied' | 'healing';
  readonly afterMs: number;
}

/**
 * One after the other: amid the preparation, beside the intent, beside the heal, under the fault. `tells`: the preparation is told in
 * the journal as it makes something.
 */
export const momentOf = (index: number, tells: boolean, random: Random): Moment => {
  switch (index % 4) {
    case 0:
      if (tells)
        return { after: 'preparing', afterMs: random.integer(random.integer(2) === 0 ? BESIDE_CALL_MS : 3000) };
      return { after: 'journal', afterMs: 3000 + random.integer(1500) };
    case 1:
      return { after: 'intent', afterMs: random.integer(BESIDE_CALL_MS) };
    case 2:
      return { after: 'healing', afterMs: random.integer(BESIDE_CALL_MS) };
    default:
      return { after: 'applied', afterMs: random.integer(3000) };
  }
};

interface Drill {
  readonly scenario: string;
  readonly out: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What one kill left, and when it fell. */
export interface ContainerKill {
  readonly runId: string;
  readonly moment: Moment;
  /** False when the drill was over before its moment came. */
  readonly wasKilled: boolean;
  /** The last line of the journal at that moment. */
  readonly during: string;
  readonly isBesideCall: boolean;
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

/** Since when a moment's own time counts; undefined before. */
const begunMs = ({ after }: Moment, journal: string, edges: readonly SeenEdge[]): number | undefined => {
  if (after !== 'journal') return edges.find(({ edge, by }) => edge === after && by === 'run')?.wallMs;
  return existsSync(journal) ? statSync(journal).birthtimeMs : undefined;
};

/** How a drill is ended, and how far apart signals must be to count as several. */
const SIGNALS = { 'kill -9': ['SIGKILL'], 'Ctrl-C three times': ['SIGINT', 'SIGINT', 'SIGINT'] } as const;
const APART_MS = 250;

const end = async (child: ChildProcess, how: keyof typeof SIGNALS): Promise<void> => {
  const [first, ...others] = SIGNALS[how];
  child.kill(first);
  for (const signal of others) {
    await delay(APART_MS);
    child.kill(signal);
  }
};

/** Runs the drill and ends it at its moment. */
export const killAtMoment = async (
  drill: Drill,
  moment: Moment,
  how: keyof typeof SIGNALS = 'kill -9',
): Promise<ContainerKill> => {
  const child = startProgram(['run', drill.scenario, '--out', drill.out], drill.env);
  const exited = once(child, 'exit');
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  child.stdout.resume();
  const startedAtMs = Date.now();
  const journal = (): string => join(drill.out, runIdOf(stderr), 'journal.ndjson');
  const edges = (): readonly SeenEdge[] => (runIdOf(stderr) === '' ? [] : readEdges(journal()));
  const isDue = (): boolean => {
    if (runIdOf(stderr) === '') return false;
    const sinceMs = begunMs(moment, journal(), edges());
    return sinceMs !== undefined && Date.now() - sinceMs >= moment.afterMs;
  };
  while (child.exitCode === null && Date.now() - startedAtMs < DRILL_MS && !isDue()) await delay(2);
  const wasKilled = child.exitCode === null && isDue();
  const killedAtMs = Date.now();
  await end(child, how);
  await exited;
  const last = edges().findLast(({ by }) => by === 'run');
  const runId = runIdOf(stderr);
  const isDone = await isForgotten(drill, runId, WATCHDOG_MS);
  const troubles = isDone ? [] : await healByHand(drill, runId);
  return {
    runId,
    moment,
    wasKilled,
    during: last?.edge ?? 'nothing yet',
    isBesideCall: last !== undefined && killedAtMs - last.wallMs <= BESIDE_CALL_MS,
    goneAfterMs: Date.now() - killedAtMs,
    by: isDone ? 'watchdog' : 'heal',
    troubles: wasKilled ? troubles : [...troubles, `it was over before its moment came: ${stderr.slice(-500)}`],
  };
};
