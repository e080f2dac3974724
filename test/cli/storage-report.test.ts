// A drill with a cold pass, whole: the gates on storage in its report, and what it cost by the reader's prices. Programs come from
// `dist`: build first.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ReportModel } from '../../src/report/model.ts';
import { runProgram } from '../support/program.ts';

const SCENARIO = `apiVersion: ackproof/v1
name: cold-and-priced
claim: What is read cold comes from the store, and what the store was asked is counted.
target: embedded
contract: { acks: all, minInSyncReplicas: 2, boundary: object, survives: [broker-loss] }
workload:
  topic: { name: orders, partitions: 2, replicationFactor: 3 }
  producers: 1
  rate: 400/s
  client: wire
  record: { size: 512B, batch: 20 }
  warmUp: 500ms
  duration: 3s
baseline: true
replay: { client: wire, passes: [full, cold] }
control: false
seed: 7
`;

const PRICES = `apiVersion: ackproof/v1
kind: prices
currency: EUR
per1000Requests: { PutObject: 0.005, GetObject: 0.0004 }
perGiBMonth: 0.023
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-storage-report-'));
  writeFileSync(join(folder, 'scenario.yaml'), SCENARIO);
  writeFileSync(join(folder, 'prices.yaml'), PRICES);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a drill on the embedded cluster passes every gate on storage, and its requests can be priced', async () => {
  const environment = { XDG_STATE_HOME: folder };
  const runs = join(folder, 'runs');
  const run = await runProgram(['run', join(folder, 'scenario.yaml'), '--out', runs], environment);
  expect(run.exitCode, run.stdout + run.stderr).toBe(0);
  const directory = join(runs, readdirSync(runs).find((name) => name.includes('cold-and-priced'))!);
  const priced = ['report', directory, '--prices', join(folder, 'prices.yaml')];

  const json = await runProgram([...priced, '--format', 'json'], environment);
  const { parts, leavesOpen } = JSON.parse(json.stdout) as ReportModel;
  const { gates = [], usage } = parts.at(-1)!;
  expect(gates.map(({ gate, state, because }) => [gate, state, state === 'pass' ? '' : because])).toEqual([
    ['storage', 'pass', ''],
    ['cost', 'pass', ''],
    ['cold-replay', 'pass', ''],
  ]);
  expect(leavesOpen.filter((text) => text.includes('gate'))).toEqual([]);
  const written = usage!.requests.filter(({ operation, status }) => operation === 'PutObject' && status === 200);
  const count = written.reduce((sum, { requests }) => sum + requests, 0);
  expect(count).toBeGreaterThan(50);
  expect(usage!.cost!.lines.find(({ what }) => what === 'PutObject')?.cost).toBeCloseTo((count / 1000) * 0.005, 3);
  expect(usage!.keptBytes).toBeGreaterThan(100_000);

  const markdown = await runProgram([...priced, '--format', 'markdown'], environment);
  expect(markdown.stdout).toMatch(/## Gates on storage\n\n- storage: pass: /);
  expect(markdown.stdout).toMatch(/by the prices of the reader/);
  const html = await runProgram([...priced, '--format', 'html'], environment);
  expect(html.stdout).toContain('<h2 id="storage">The object store</h2>');

  const again = await runProgram(['judge', directory], environment);
  expect(again.exitCode, again.stdout).toBe(0);
});
