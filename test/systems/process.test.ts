// The process target on real Apache Kafka: what its settings promise is kept, and what they do not promise is really lost, found
// and named.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { markedProcesses } from '../../src/faults/run-processes.ts';
import { runProgram } from '../support/program.ts';
import { describeSystem } from '../support/systems.ts';
import { describeTarget } from '../targets/target-contract.ts';
import { kafkaLibs } from './kafka/kafka-cluster.ts';

const scenarios = resolve(import.meta.dirname, '..', '..', 'scenarios');
const MINUTES = 60_000;

const DRILLS = [
  { scenario: 'broker-degrade', first: /^PASS/, exitCode: 0 },
  { scenario: 'leader-election', first: /^PASS/, exitCode: 0 },
  { scenario: 'broker-replacement', first: /^PASS/, exitCode: 0 },
  { scenario: 'crash-loop', first: /^PASS/, exitCode: 0 },
  { scenario: 'leader-kill', first: /^PASS/, exitCode: 0 },
  { scenario: 'partition-reassignment', first: /^PASS/, exitCode: 0 },
  { scenario: 'partitioned-leader', first: /^PASS/, exitCode: 0 },
  { scenario: 'slow-follower-link', first: /^PASS/, exitCode: 0 },
  { scenario: 'losses/acks-one', first: /^FAIL [\d,]+ acked records missing/, exitCode: 1 },
  { scenario: 'losses/unclean-election', first: /^FAIL [\d,]+ acked records missing/, exitCode: 1 },
  { scenario: 'losses/volume-wiped', first: /^FAIL [\d,]+ acked records missing/, exitCode: 1 },
  { scenario: 'losses/zombie-acks-one', first: /^FAIL [\d,]+ acked records missing/, exitCode: 1 },
];

describeSystem('kafka', () => {
  describeTarget('process', {
    spec: () => ({}),
    broken: { spec: { kafkaHome: import.meta.dirname }, defects: [] },
    // A start takes a quarter of a minute.
    rounds: 1,
    brokersToBreak: 1,
    orderly: { exitCode: 143, graceMs: 60_000 },
    hasProcesses: true,
  });

  let folder: string;
  beforeAll(() => {
    kafkaLibs();
    folder = mkdtempSync(join(tmpdir(), 'ackproof-process-test-'));
  }, 10 * MINUTES);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(DRILLS)(
    '$scenario ends as written',
    async ({ scenario, first, exitCode }) => {
      const target = join(scenarios, 'targets', 'process.yaml');
      const file = join(scenarios, 'kafka', `${scenario}.yaml`);
      const run = await runProgram(['run', file, '--target', target, '--out', join(folder, 'runs')]);
      expect(run.stdout.split('\n')[0], run.stdout + run.stderr).toMatch(first);
      expect(run.exitCode).toBe(exitCode);
      expect(markedProcesses().filter(({ command }) => command.includes(folder))).toEqual([]);
    },
    5 * MINUTES,
  );
});
