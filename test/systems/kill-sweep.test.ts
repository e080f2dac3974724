// kill -9 of ackproof at many moments of a drill: nothing of it may be left, and its remains may not claim anything. How many
// is set by ACKPROOF_KILLS; each drill is a whole embedded cluster, so a hundred of them take half an hour.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { randomStream } from '../../src/random.ts';
import { SWEPT_FAULTS, type SweptFault, writeScenario } from './kill-sweep/scenario.ts';
import { type KillOutcome, killDrill, momentOf } from './kill-sweep/sweep.ts';

const kills = Number(process.env['ACKPROOF_KILLS'] ?? 20);
const seed = Number(process.env['ACKPROOF_KILL_SEED'] ?? 1);

const summaryOf = (outcomes: readonly KillOutcome[]): string => {
  const killed = outcomes.filter(({ wasKilled }) => wasKilled);
  const slowest = Math.max(...killed.map(({ goneAfterMs }) => goneAfterMs ?? Infinity));
  const verdicts = new Map<string, number>();
  for (const { verdict } of killed) verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
  return (
    `${killed.length} kills, ${killed.filter((each) => each.faultActive).length} under a fault, ` +
    `${killed.filter((each) => each.besideCall).length} within 50 ms of an inject or heal call; ` +
    `gone after at most ${slowest} ms; remains: ${[...verdicts].map(([verdict, count]) => `${count} ${verdict}`).join(', ')}`
  );
};

test(`${kills} drills killed at any moment leave nothing behind and claim nothing`, {
  timeout: kills * 60_000,
}, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ackproof-kills-'));
  const random = randomStream(seed, 'kill-sweep');
  const env = { XDG_STATE_HOME: join(directory, 'state') };
  const outcomes: KillOutcome[] = [];
  for (let index = 0; index < kills; index++) {
    const fault: SweptFault = random.pick(SWEPT_FAULTS);
    const scenario = writeScenario(directory, fault);
    const outcome = await killDrill({ scenario, out: join(directory, 'runs'), env }, momentOf(index, random));
    outcomes.push(outcome);
    process.stderr.write(`${index + 1} ${fault} ${JSON.stringify(outcome)}\n`);
  }
  process.stderr.write(`${summaryOf(outcomes)}\n`);
  expect(outcomes.flatMap(({ runId, troubles }) => troubles.map((trouble) => `${runId}: ${trouble}`))).toEqual([]);
  rmSync(directory, { recursive: true, force: true });
});
