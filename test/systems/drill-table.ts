// Which scenario ends how on which real cluster, as it is written in the scenario. A part of it is run each time, so that the
// target `process` sees at least six different faults; `npm run test:systems -- --all` runs everything. On Docker the usual round is made
// on one cluster, by compose-drills.test.ts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgram } from '../support/program.ts';
import { IS_WHOLE_ROUND } from '../support/systems.ts';

const scenarios = resolve(import.meta.dirname, '..', '..', 'scenarios');
const MINUTES = 60_000;

const ENDINGS = {
  pass: { first: /^PASS/u, exitCode: 0 },
  loss: { first: /^FAIL [\d,]+ acked records missing/u, exitCode: 1 },
  'client-anomaly': { first: /^INCONCLUSIVE client-anomaly/u, exitCode: 2 },
} as const;

type RealTarget = 'compose' | 'process' | 'process-spare' | 'process-tiered' | 'process-tiered-local';

export interface DrillRow {
  /** Below `scenarios/kafka/`, or below `folder` of `scenarios/`. */
  readonly scenario: string;
  readonly folder?: 'storage';
  readonly target: RealTarget;
  readonly ending: keyof typeof ENDINGS;
  /** Only with `--all`. */
  readonly rare?: boolean;
}

const rare = true;

const DRILLS: readonly DrillRow[] = [
  { target: 'compose', scenario: 'ambiguous-acknowledgement', ending: 'pass', rare },
  { target: 'compose', scenario: 'full-disk', ending: 'pass', rare },
  { target: 'compose', scenario: 'isolated-leader', ending: 'pass', rare },
  { target: 'compose', scenario: 'leader-kill', ending: 'pass', rare },
  { target: 'compose', scenario: 'partition-reassignment', ending: 'pass', rare },
  { target: 'compose', scenario: 'partitioned-controller', ending: 'pass', rare },
  { target: 'compose', scenario: 'partitioned-leader', ending: 'pass', rare },
  { target: 'compose', scenario: 'slow-follower-link', ending: 'pass', rare },
  { target: 'compose', scenario: 'zombie-leader', ending: 'pass', rare },
  { target: 'compose', scenario: 'all-brokers-kill', ending: 'pass', rare },
  { target: 'compose', scenario: 'broker-degrade', ending: 'pass', rare },
  { target: 'compose', scenario: 'controller-quorum-loss', ending: 'pass', rare },
  { target: 'compose', scenario: 'crash-loop', ending: 'pass', rare },
  { target: 'compose', scenario: 'last-replica-standing', ending: 'pass', rare },
  { target: 'compose', scenario: 'leader-election', ending: 'pass', rare },
  { target: 'compose', scenario: 'losses/acks-one', ending: 'loss', rare },
  { target: 'compose', scenario: 'losses/unclean-election', ending: 'loss', rare },
  { target: 'compose', scenario: 'losses/zombie-acks-one', ending: 'loss', rare },
  { target: 'compose', scenario: 'min-isr-shrink', ending: 'pass', rare },
  { target: 'compose', scenario: 'no-fault', ending: 'pass', rare },
  { target: 'compose', scenario: 'paused-leader', ending: 'pass', rare },
  { target: 'compose', scenario: 'rolling-restart', ending: 'pass', rare },
  { target: 'process', scenario: 'broker-replacement', ending: 'pass' },
  { target: 'process', scenario: 'controller-quorum-loss', ending: 'pass' },
  { target: 'process', scenario: 'crash-loop', ending: 'pass' },
  { target: 'process', scenario: 'last-replica-standing', ending: 'pass' },
  { target: 'process', scenario: 'losses/acks-one', ending: 'loss' },
  { target: 'process', scenario: 'losses/min-isr-one', ending: 'loss' },
  { target: 'process', scenario: 'losses/split-send', ending: 'client-anomaly' },
  { target: 'process-spare', scenario: 'scale-out', ending: 'pass' },
  { target: 'process', scenario: 'all-brokers-kill', ending: 'pass', rare },
  { target: 'process', scenario: 'ambiguous-acknowledgement', ending: 'pass', rare },
  { target: 'process', scenario: 'broker-degrade', ending: 'pass', rare },
  { target: 'process', scenario: 'leader-election', ending: 'pass', rare },
  { target: 'process', scenario: 'leader-kill', ending: 'pass', rare },
  { target: 'process', scenario: 'losses/unclean-election', ending: 'loss', rare },
  { target: 'process', scenario: 'losses/volume-wiped', ending: 'loss', rare },
  { target: 'process', scenario: 'losses/zombie-acks-one', ending: 'loss', rare },
  { target: 'process', scenario: 'min-isr-shrink', ending: 'pass', rare },
  { target: 'process', scenario: 'no-fault', ending: 'pass', rare },
  { target: 'process', scenario: 'partition-reassignment', ending: 'pass', rare },
  { target: 'process', scenario: 'partitioned-controller', ending: 'pass', rare },
  { target: 'process', scenario: 'partitioned-leader', ending: 'pass', rare },
  { target: 'process', scenario: 'paused-leader', ending: 'pass', rare },
  { target: 'process', scenario: 'rolling-restart', ending: 'pass', rare },
  { target: 'process', scenario: 'slow-follower-link', ending: 'pass', rare },
  { target: 'process', scenario: 'zombie-leader', ending: 'pass', rare },
  { target: 'process-tiered', folder: 'storage', scenario: 'tiered-cold-replay', ending: 'pass' },
  { target: 'process-tiered', folder: 'storage', scenario: 'tiered-object-loss', ending: 'loss' },
  { target: 'process-tiered', folder: 'storage', scenario: 'tiered-cold-outage', ending: 'pass', rare },
  { target: 'process-tiered', folder: 'storage', scenario: 'tiered-copy-outage', ending: 'pass', rare },
  { target: 'process-tiered-local', folder: 'storage', scenario: 'tiered-local', ending: 'pass', rare },
];

/** A test for each row of the targets; `leftBehind` looks for what a run must not leave, by the folder of its files. */
export const testDrills = (
  targets: readonly RealTarget[],
  leftBehind: (folder: string) => readonly unknown[],
): void => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'ackproof-drills-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const rows = DRILLS.filter((row) => targets.includes(row.target) && (IS_WHOLE_ROUND || row.rare !== true));
  test.each(rows)(
    '$scenario on $target: $ending',
    async ({ scenario, target, ending, folder: below = 'kafka' }) => {
      const file = join(scenarios, below, `${scenario}.yaml`);
      const out = join(folder, 'runs');
      const words = ['run', file, '--target', join(scenarios, 'targets', `${target}.yaml`), '--out', out];
      const run = await runProgram(words);
      const { first, exitCode } = ENDINGS[ending];
      expect(run.stdout.split('\n')[0], run.stdout + run.stderr).toMatch(first);
      expect(run.exitCode).toBe(exitCode);
      expect(leftBehind(folder)).toEqual([]);
    },
    12 * MINUTES,
  );
};
