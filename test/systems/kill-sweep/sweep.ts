// Kills one drill at a chosen moment and says what was left. The moments are chosen so that most kills fall where they can hurt:
// while processes are being started, right beside an inject or heal call, and with a fault active.
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../../src/random.ts';
import { runProgram, startProgram } from '../../support/program.ts';
import { listeningSockets, processesNaming, readEdges, type SeenEdge, stillListening } from './remains.ts';

/** When to kill: so long after the run has made its directory, or so long after the journal shows an edge. */
export type Moment =
  | { readonly kind: 'time'; readonly afterMs: number }
  | { readonly kind: 'edge'; readonly edge: 'intent' | 'applied' | 'healing'; readonly afterMs: number };

/** Of ten kills: two while starting, two beside an inject call, two beside a heal call, three under the fault, one anywhere. */
export const momentOf = (index: number, random: Random): Moment => {
  const place = index % 10;
  if (place < 2) return { kind: 'time', afterMs: random.integer(2500) };
  if (place < 4) return { kind: 'edge', edge: 'intent', afterMs: random.integer(40) };
  if (place < 6) return { kind: 'edge', edge: 'healing', afterMs: random.integer(40) };
  if (place < 9) return { kind: 'edge', edge: 'applied', afterMs: random.integer(1400) };
  return { kind: 'time', afterMs: 1000 + random.integer(14_000) };
};

/** What one kill left, and where it fell. */
export interface KillOutcome {
  readonly moment: Moment;
  /** False when the drill was over before its moment came. */
  readonly wasKilled: boolean;
  readonly runId: string;
  readonly faultActive: boolean;
  readonly besideCall: boolean;
  /** How long until no process and no port of it was left, ms; undefined when something stayed. */
  readonly goneAfterMs: number | undefined;
  readonly verdict: string;
  /** What is wrong, in words; empty when all is as promised. */
  readonly troubles: readonly string[];
}

const GONE_WITHIN_MS = 15_000;
const BESIDE_CALL_MS = 50;
const DRILL_MS = 120_000;

interface Drill {
  readonly scenario: string;
  readonly out: string;
  readonly env: Readonly<Record<string, string>>;
}

const runIdOf = (stderr: string): string => /→ \S*\/(\S+)\n/.exec(stderr)?.[1] ?? '';

interface Watched {
  readonly wasKilled: boolean;
  readonly killedAtMs: number;
  readonly runId: string;
  readonly sockets: ReadonlySet<string>;
  readonly stderr: string;
}

const reached = (moment: Moment, begunAtMs: number | undefined, edges: readonly SeenEdge[]): boolean => {
  if (moment.kind === 'time') return begunAtMs !== undefined && Date.now() - begunAtMs >= moment.afterMs;
  const seen = edges.find(({ edge }) => edge === moment.edge);
  return seen !== undefined && Date.now() - seen.wallMs >= moment.afterMs;
};

const killAt = async (drill: Drill, moment: Moment): Promise<Watched> => {
  const child = startProgram(['run', drill.scenario, '--out', drill.out], drill.env);
  const exited = once(child, 'exit');
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  child.stdout.resume();
  const startedAtMs = Date.now();
  const sockets = new Set<string>();
  let begunAtMs: number | undefined;
  let lookedAtMs = startedAtMs;
  const isOver = (): boolean => child.exitCode !== null || Date.now() - startedAtMs > DRILL_MS;
  const edges = (): readonly SeenEdge[] => {
    const runId = runIdOf(stderr);
    return runId === '' ? [] : readEdges(join(drill.out, runId, 'journal.ndjson'));
  };
  while (!isOver() && !reached(moment, begunAtMs, edges())) {
    if (begunAtMs === undefined && runIdOf(stderr) !== '') begunAtMs = Date.now();
    if (Date.now() - lookedAtMs > 500 && runIdOf(stderr) !== '') {
      lookedAtMs = Date.now();
      for (const socket of listeningSockets(processesNaming(runIdOf(stderr)))) sockets.add(socket);
    }
    await delay(2);
  }
  const wasKilled = child.exitCode === null;
  const killedAtMs = Date.now();
  child.kill('SIGKILL');
  await exited;
  return { wasKilled, killedAtMs, runId: runIdOf(stderr), sockets, stderr };
};

const awaitGone = async (watched: Watched): Promise<number | undefined> => {
  while (Date.now() - watched.killedAtMs < GONE_WITHIN_MS) {
    if (processesNaming(watched.runId).length === 0 && stillListening(watched.sockets).length === 0) {
      return Date.now() - watched.killedAtMs;
    }
    await delay(50);
  }
  return undefined;
};

const isActive = (edges: readonly SeenEdge[]): boolean => {
  const mine = edges.filter(({ by }) => by === 'run').map(({ edge }) => edge);
  return mine.includes('applied') && !mine.includes('healed');
};

const statusTroubles = async ({ env }: Drill, runId: string): Promise<readonly string[]> => {
  const { stdout, exitCode, stderr } = await runProgram(['status', '--format', 'json'], env);
  if (stdout === '') return [`status printed nothing and ended with ${exitCode}: ${stderr}`];
  const { runs } = JSON.parse(stdout) as { readonly runs: readonly { readonly runId: string }[] };
  return runs.some((run) => run.runId === runId) ? ['status still tells of the run'] : [];
};

/** Whether a run got as far as its judgement with every fault put back: only then may its remains be called a pass. */
const mayPass = (directory: string): boolean => {
  const timeline = join(directory, 'timeline.ndjson');
  const edges = readEdges(join(directory, 'journal.ndjson'));
  const last = new Map(edges.map(({ id, edge }) => [id, edge]));
  const isHealed = last.size > 0 && [...last.values()].every((edge) => edge === 'healed');
  return isHealed && existsSync(timeline) && readFileSync(timeline, 'utf8').includes('"phase":"judge"');
};

interface Judged {
  readonly verdict: string;
  readonly troubles: readonly string[];
}

const judgeRemains = async ({ env, out }: Drill, runId: string): Promise<Judged> => {
  const directory = join(out, runId);
  const { stdout, stderr, exitCode } = await runProgram(['judge', directory, '--format', 'json'], env);
  if (stdout === '') {
    // Killed before anything was recorded: there is nothing to judge, and that is said as bad input.
    const nothing = !['contract.json', 'preflight/contract.json'].some((file) => existsSync(join(directory, file)));
    const troubles = exitCode === 65 && nothing ? [] : [`judge ended with ${exitCode}: ${stderr}`];
    return { verdict: 'nothing recorded', troubles };
  }
  const { verdict, because } = JSON.parse(stdout) as { readonly verdict: string; readonly because: string };
  if (verdict === 'fail') return { verdict, troubles: [`the remains were called a fail: ${because}`] };
  if (verdict === 'pass' && !mayPass(directory)) return { verdict, troubles: [`the remains passed: ${because}`] };
  return { verdict, troubles: [] };
};

/** Runs the drill, kills it at `moment`, and looks at everything that is promised of its remains. */
export const killDrill = async (drill: Drill, moment: Moment): Promise<KillOutcome> => {
  const watched = await killAt(drill, moment);
  const { runId, wasKilled, killedAtMs } = watched;
  const place = { moment, wasKilled, runId };
  if (runId === '') {
    const told = wasKilled ? [] : [`it ended without a run: ${watched.stderr}`];
    return { ...place, faultActive: false, besideCall: false, goneAfterMs: 0, verdict: 'no run', troubles: told };
  }
  const atKill = readEdges(join(drill.out, runId, 'journal.ndjson')).filter(({ by }) => by === 'run');
  const goneAfterMs = await awaitGone(watched);
  const stayed =
    goneAfterMs === undefined
      ? [
          `left after ${GONE_WITHIN_MS} ms: processes ${processesNaming(runId).join(', ')}; ${stillListening(watched.sockets).join(', ')}`,
        ]
      : [];
  const { verdict, troubles } = await judgeRemains(drill, runId);
  return {
    ...place,
    faultActive: wasKilled && isActive(atKill),
    besideCall:
      wasKilled &&
      atKill.some(
        ({ edge, wallMs }) => /^(intent|healing)$/.test(edge) && Math.abs(killedAtMs - wallMs) <= BESIDE_CALL_MS,
      ),
    goneAfterMs,
    verdict,
    troubles: [...stayed, ...(await statusTroubles(drill, runId)), ...troubles],
  };
};
