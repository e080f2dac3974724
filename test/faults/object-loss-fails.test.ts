// The positive control, whole: acknowledged records whose object is deleted make a run fail, for that reason and no other. Programs
// come from `dist`: build first.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runProgram } from '../support/program.ts';

const SCENARIO = `apiVersion: ackproof/v1
name: object-loss
claim: A run in which stored records are deleted behind everybody's back comes out as fail.
target: embedded
contract: { acks: all, minInSyncReplicas: 2, deliveryTimeout: 10s, boundary: object, survives: [broker-loss] }
workload:
  topic: { name: orders, partitions: 2, replicationFactor: 3 }
  producers: 1
  rate: 500/s
  client: wire
  attemptTimeout: 2s
  record: { size: 512B, batch: 25 }
  warmUp: 500ms
  duration: 4s
faults:
  - { fault: object-loss, at: 2500ms, allow: [destroy-state], confirm: { timeout: 1m } }
replay: { client: wire, passes: [full], suspects: { after: 200ms } }
control: false
seed: 7
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-object-loss-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a run that loses a data object with acknowledged records fails with lost writes', async () => {
  const scenario = join(folder, 'object-loss.yaml');
  writeFileSync(scenario, SCENARIO);
  const run = await runProgram(['run', scenario, '--out', join(folder, 'runs')], { XDG_STATE_HOME: folder });
  expect(run.stdout.split('\n')[0], run.stderr).toMatch(/^FAIL \d+ acked records missing: orders\/\d offsets \d+-\d+/);
  expect(run.stdout).toMatch(/VIOLATION lost-write × \d+/);
  expect(run.exitCode).toBe(1);
});
