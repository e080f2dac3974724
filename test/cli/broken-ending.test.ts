// Runs that break when most is over: a file that cannot be written any more. What was proved until then is told, and nothing that
// the run started is left. Each is broken from its own listener, at a moment that the run itself names.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { exitCodeOfError, exitCodeOfResult } from '../../bin/exit-codes.ts';
import { loadScenario, type RunListener, type RunProgress, type RunResult, runScenario } from '../../src/index.ts';

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
const WITH_FAULT = SCENARIO.replace(
  'baseline: true',
  'control: false\nfaults: [{fault: process-kill, victim: {leaderOf: orders/0}, at: 200ms, duration: 100ms, confirm: {timeout: 1s}}]\nbounds: {recoverWithin: 1s}',
)
  .replace('full, cold', 'full')
  .replace('duration: 500ms', 'duration: 1s');

const OPTIONS = {
  toolVersion: '0',
  exitCodeOfError,
  exitCodeOf: (result: RunResult) => exitCodeOfResult(result),
} as const;
const MAX_BYTES = 64 * 1024 ** 2;

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
  fits: (progress: RunProgress) => boolean,
  scenario = SCENARIO,
): ReturnType<typeof runScenario> => {
  const path = join(folder, 'short.yaml');
  writeFileSync(path, scenario);
  let directory = '';
  let isBroken = false;
  const listener: RunListener = (progress) => {
    if (progress.kind === 'started') directory = progress.runDirectory;
    if (isBroken || !fits(progress)) return;
    isBroken = true;
    rmSync(join(directory, file), { force: true });
    mkdirSync(join(directory, file), { recursive: true });
  };
  const loaded = await loadScenario(path);
  // No time at all to come back, which no scenario may ask for.
  const faults = loaded.scenario.faults.map((fault) => ({ ...fault, heal: { timeoutMs: 1 } }));
  return await runScenario(
    { ...loaded, scenario: { ...loaded.scenario, faults } },
    {
      out: join(folder, 'runs'),
      ...OPTIONS,
      defects,
      listener,
    },
  );
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

describe('a fault that could not be healed', () => {
  it('is what a run ends with that broke after it, and run.json says so', async () => {
    const ended = runBroken(
      [],
      join('replay', '000.rows'),
      (progress) => progress.kind === 'fault' && progress.edge === 'heal-failed',
      WITH_FAULT,
    );
    await expect(ended).rejects.toMatchObject({
      kind: 'unhealed',
      hint: expect.stringMatching(/^Run: ackproof heal --run /),
      attached: [expect.objectContaining({ message: expect.stringContaining('000.rows') })],
    });
    const [run = ''] = readdirSync(join(folder, 'runs'));
    const record = JSON.parse(readFileSync(join(folder, 'runs', run, 'run.json'), 'utf8')) as object;
    expect(record).toMatchObject({ ended: 'error', heal: 'failed', exitCode: 4, trouble: 'unhealed' });
  });
});

describe('a run that writes more than it may', () => {
  it('is told so, and proves nothing, also when its load was over by then', async () => {
    const path = join(folder, 'short.yaml');
    writeFileSync(path, SCENARIO);
    let directory = '';
    const listener: RunListener = (progress) => {
      if (progress.kind === 'started') directory = progress.runDirectory;
      if (progress.kind !== 'phase' || progress.phase !== 'replay') return;
      const large = join(directory, 'large');
      writeFileSync(large, '');
      truncateSync(large, 2 * MAX_BYTES);
    };
    const { result } = await runScenario(await loadScenario(path), {
      ...OPTIONS,
      out: join(folder, 'runs'),
      maxBytes: MAX_BYTES,
      listener,
    });
    expect(result.judgement.because).toMatch(/too much was written: the run directory holds .* more than 64MiB/);
    expect(result.judgement.verdict).toBe('inconclusive');
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
