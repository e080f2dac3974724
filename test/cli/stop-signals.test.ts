// Ctrl-C once more, and once more again, while a fault acts: what the program says then is what it does, and nothing is left.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runProgram, startProgram } from '../support/program.ts';
import { processesNaming, readEdges } from '../systems/kill-sweep/remains.ts';

const SCENARIO = `apiVersion: ackproof/v1
name: stopped
claim: A drill that is stopped while its fault acts leaves nothing behind and claims no more than it saw.
target: embedded
contract: { acks: all, minInSyncReplicas: 2, boundary: wal, survives: [broker-loss] }
workload:
  topic: { name: orders, partitions: 2, replicationFactor: 3 }
  producers: 1
  rate: 500/s
  client: wire
  record: { size: 256B, batch: 10 }
  warmUp: 300ms
  duration: 60s
faults:
  - { fault: all-brokers-kill, at: 500ms, duration: 50s, allow: [full-outage] }
replay: { client: wire, passes: [full] }
control: false
seed: 7
`;
const STOPS = 'Stopping: healing now';
const SKIPS = 'Skipping the replay; healing is finished first. Again = leave now.';
const LEAVES =
  'Leaving at once. The watchdog heals what is left; look with: ackproof status. By hand: ackproof heal --all';
/** A signal that comes sooner after another one was seen is taken for the same. */
const APART_MS = 260;

let folder: string;
let env: Readonly<Record<string, string>>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-stops-'));
  env = { XDG_STATE_HOME: join(folder, 'state') };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Stopped {
  readonly exitCode: number | null;
  readonly stderr: string;
  readonly directory: string;
  readonly runId: string;
  /** From the last signal to the end, ms. */
  readonly tookMs: number;
}

/** Runs the drill, and sends so many signals once its fault is confirmed. */
const stop = async (times: number): Promise<Stopped> => {
  const scenario = join(folder, 'stopped.yaml');
  const out = join(folder, 'runs');
  writeFileSync(scenario, SCENARIO);
  const child = startProgram(['run', scenario, '--out', out], env);
  const closed = new Promise<number | null>((done) => child.once('close', done));
  let stderr = '';
  child.stdout.resume();
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  const directory = await vi.waitFor(() => join(out, readdirSync(out)[0]!), { timeout: 60_000 });
  const edges = (): readonly string[] => readEdges(join(directory, 'journal.ndjson')).map(({ edge }) => edge);
  await vi.waitFor(() => expect(edges()).toContain('confirmed'), { timeout: 90_000, interval: 20 });
  child.kill('SIGINT');
  for (const seen of [STOPS, SKIPS].slice(0, times - 1)) {
    await vi.waitFor(() => expect(stderr).toContain(seen), { timeout: 20_000, interval: 5 });
    await new Promise((done) => setTimeout(done, APART_MS));
    child.kill('SIGINT');
  }
  const sentMs = performance.now();
  const exitCode = await closed;
  const runId = directory.split('/').at(-1) ?? '';
  return { exitCode, stderr, directory, runId, tookMs: performance.now() - sentMs };
};

const recordOf = ({ directory }: Stopped): Readonly<Record<string, unknown>> =>
  JSON.parse(readFileSync(join(directory, 'run.json'), 'utf8')) as Readonly<Record<string, unknown>>;

describe('Ctrl-C while a fault acts', { timeout: 180_000 }, () => {
  it('twice heals first, skips the replay, and ends with 130 and what is known', async () => {
    const run = await stop(2);
    expect(run.stderr).toContain(SKIPS);
    expect(run.exitCode).toBe(130);
    const edges = readEdges(join(run.directory, 'journal.ndjson'));
    expect(edges.at(-1)).toMatchObject({ edge: 'healed', by: 'run' });
    expect(recordOf(run)).toMatchObject({ ended: 'interrupted', exitCode: 130 });
    expect(readFileSync(join(run.directory, 'timeline.ndjson'), 'utf8')).toContain('the pass \\"full\\" was skipped');
    expect(processesNaming(run.runId)).toEqual([]);
    expect((await runProgram(['status'], env)).stdout).not.toContain(run.runId);
  });

  it('three times leaves at once with 130, and its watchdog puts everything back', async () => {
    const run = await stop(3);
    expect(run.stderr).toContain(LEAVES);
    expect(run.exitCode).toBe(130);
    expect(run.tookMs).toBeLessThan(2000);
    await vi.waitFor(() => expect(processesNaming(run.runId)).toEqual([]), { timeout: 60_000, interval: 100 });
    const healed = await runProgram(['heal', '--all'], env);
    expect([healed.exitCode, healed.stdout]).toEqual([0, expect.stringContaining('clean') as string]);
    expect((await runProgram(['status'], env)).stdout).not.toContain(run.runId);
    const edges = readEdges(join(run.directory, 'journal.ndjson'));
    expect(edges.at(-1)).toMatchObject({ edge: 'healed', by: 'watchdog' });
    const { stdout } = await runProgram(['judge', run.directory, '--format', 'json'], env);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'inconclusive' });
  });
});
