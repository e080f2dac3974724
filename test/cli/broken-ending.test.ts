// Runs that break when most is over: a file that cannot be written any more. What was proved until then is told, and nothing that
// the run started is left. Each is broken from its own listener, at a moment that the run itself names.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { exitCodeOfResult } from '../../bin/exit-codes.ts';
import { loadScenario, type RunEvent, type RunListener, runScenario } from '../../src/index.ts';

/** As short as a drill can be; the cold pass shows what a defect did to the objects. */
const SCENARIO = `apiVersion: ackproof/v1
name: short
claim: Acknowledged records can be read back where nothing is broken.
target: embedded
workload:
  topic: {name: orders, partitions: 1, replicationFactor: 1}
  rate: 500/s
  duration: 500ms
  warmUp: 100ms
replay: {passes: [full, cold], suspects: {after: 100ms}}
baseline: true
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-broken-'));
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the drill and puts a folder in the place of a file of the run directory as soon as something is told that `fits`. */
const runBroken = async (
  defects: readonly string[],
  file: string,
  fits: (progress: RunEvent) => boolean,
): ReturnType<typeof runScenario> => {
  const path = join(folder, 'short.yaml');
  writeFileSync(path, SCENARIO);
  let directory = '';
  let isBroken = false;
  const listener: RunListener = (progress) => {
    if (progress.kind === 'started') directory = progress.runDirectory;
    if (isBroken || !fits(progress)) return;
    isBroken = true;
    rmSync(join(directory, file), { force: true });
    mkdirSync(join(directory, file), { recursive: true });
  };
  return await runScenario(await loadScenario(path), {
    out: join(folder, 'runs'),
    defects,
    toolVersion: '0',
    listener,
    exitCodeOf: (result) => exitCodeOfResult(result),
  });
};

const children = (): number => process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;

describe('a loss that was proved', () => {
  it('is what a run ends with whose second look at it could not be written', async () => {
    const { result, exitCode, troubles } = await runBroken(
      ['reorder-batches'],
      join('replay', '002.rows'),
      (progress) => progress.kind === 'note' && progress.text.includes('read again'),
    );
    expect(result.judgement.verdict).toBe('fail');
    expect(troubles.map(({ message }) => message)).toEqual([expect.stringContaining('002.rows')]);
    expect(exitCode).toBe(1);
  });

  it('is what a run ends with whose run.json could not be written after it', async () => {
    const { result, exitCode, troubles } = await runBroken(
      ['ack-offset-low'],
      'run.json',
      (progress) => progress.kind === 'part-judged',
    );
    expect(result.judgement.verdict).toBe('fail');
    expect(troubles.map(({ message }) => message)).toContainEqual(expect.stringContaining('run.json'));
    expect(exitCode).toBe(1);
  });
});

describe('a run whose run.json cannot be written', () => {
  it('ends its cluster and itself once that has started', async () => {
    const before = children();
    await expect(runBroken([], 'run.json', ({ kind }) => kind === 'started')).rejects.toThrow('run.json');
    expect(children()).toBe(before);
  });

  it('does not go on after a part that it cannot write down', async () => {
    const ended = runBroken([], 'run.json', (progress) => progress.kind === 'part-judged');
    await expect(ended).rejects.toThrow('run.json');
  });
});
