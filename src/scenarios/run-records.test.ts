import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VirtualClock } from '../../test/faults/virtual-clock.ts';
import { AckproofError, EnvironmentError } from '../errors.ts';
import type { RunResult } from '../ledger/judgement.ts';
import { type LoadOptions, loadScenario } from './loader.ts';
import { RunRecorder } from './run-records.ts';

const scenario = resolve(import.meta.dirname, '..', '..', 'scenarios', 'leader-kill.yaml');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-records-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const begin = (file = scenario, options: LoadOptions = {}, defects: readonly string[] = []): RunRecorder =>
  new RunRecorder({
    loaded: loadScenario(file, options),
    place: { runId: 'r-1', directory: folder },
    seed: 7,
    defects,
    toolVersion: '0.0.0',
    clock: new VirtualClock(),
  });

const onDisk = (): object => JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as object;

const RESULT: RunResult = {
  formatVersion: 1,
  judgement: {
    verdict: 'fail',
    because: '3 acked records missing',
    findings: [],
    examined: { sent: 3, ok: 3, fail: 0, unknown: 0, read: 0, passes: 1, partitions: 1 },
    inconclusiveBecause: [],
    judgeVersion: '1',
  },
  bounds: 'met',
  boundResults: [],
  availability: [],
  heal: 'clean',
  ended: 'complete',
};

test('a run that has begun and no more says that it is running', () => {
  const { record } = begin();
  expect(onDisk()).toEqual(record);
  expect(record).toMatchObject({ ended: 'running', parts: [], errors: [], runId: 'r-1', seed: 7 });
  expect(record.verdict).toBeUndefined();
});

test('a run that ended has its verdict, and what went wrong after it', () => {
  const recorder = begin();
  recorder.finish(RESULT, 1, [new EnvironmentError('NOT_ENDED', 'A broker did not end.')]);
  expect(onDisk()).toMatchObject({
    ended: 'complete',
    verdict: 'fail',
    because: '3 acked records missing',
    exitCode: 1,
    errors: ['NOT_ENDED — A broker did not end.'],
  });
});

test.each([
  ['environment', 69, 'error'],
  ['internal', 70, 'error'],
  ['interrupted', 130, 'interrupted'],
  ['terminated', 143, 'interrupted'],
  ['unhealed', 4, 'error'],
] as const)('a run that trouble of kind %s ended says so with exit %d', (kind, exitCode, ended) => {
  const recorder = begin();
  const trouble = new AckproofError('BROKE', kind, 'It broke.');
  trouble.attached.push(new Error('and more'));
  recorder.fail(trouble, exitCode);
  expect(onDisk()).toMatchObject({
    ended,
    exitCode,
    trouble: kind,
    heal: kind === 'unhealed' ? 'failed' : 'clean',
    because: 'BROKE — It broke.',
    errors: ['BROKE — It broke.', 'and more'],
  });
});

test('the command that runs it again names the scenario as it was named, and no target that was not', () => {
  mkdirSync(join(folder, 'targets'));
  writeFileSync(join(folder, 'targets', 'mine.yaml'), 'apiVersion: ackproof/v1\nkind: embedded\nname: mine\n');
  const file = join(folder, 'a scenario.yaml');
  writeFileSync(file, readFileSync(scenario, 'utf8').replace('target: embedded', 'target: targets/mine.yaml'));
  expect(begin(file).record.reproduce.run).toBe(`ackproof run '${file}' --seed 7`);
});

test('the command that runs it again has the target and the defects that were asked for', () => {
  const { reproduce } = begin(scenario, { target: 'embedded' }, ['lose-wal-tail', 'no-fencing']).record;
  expect(reproduce.run).toBe(
    `ackproof run ${scenario} --target embedded --seed 7 --defect lose-wal-tail --defect no-fencing`,
  );
  expect(reproduce.judge).toBe(`ackproof judge ${folder}`);
});
