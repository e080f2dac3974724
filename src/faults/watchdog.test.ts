import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { VirtualClock } from '../../test/faults/virtual-clock.ts';
import { type RunningProxy, startProxy } from '../embedded/link-proxy/running-proxy.ts';
import { ToxiproxyProcess } from './backends/toxiproxy.ts';
import type { JournalEdge } from './fault.ts';
import { parseJournal } from './journal.ts';
import { readRegistrations } from './registration.ts';
import { markedProcesses } from './run-processes.ts';
import { startWatchdog } from './watchdog.ts';

const PARENT = resolve(import.meta.dirname, '../../test/faults/crash-parent.mjs');
const RUN = 'r-watchdog';

let directory: string;
let proxy: RunningProxy;
let toxiproxy: ToxiproxyProcess;
const started: number[] = [];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-watchdog-'));
  vi.stubEnv('XDG_STATE_HOME', directory);
  proxy = await startProxy({
    proxies: [{ name: 'link', listen: '127.0.0.1:0', upstream: '127.0.0.1:9', enabled: true }],
  });
  toxiproxy = new ToxiproxyProcess({ host: '127.0.0.1', port: proxy.apiPort });
});
afterEach(async () => {
  for (const pid of started.splice(0)) endQuietly(pid);
  for (const { pid } of markedProcesses(RUN)) endQuietly(pid);
  await proxy.stop();
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true, force: true });
});

const endQuietly = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
};

const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const edge = (name: JournalEdge['edge'], more: Partial<JournalEdge> = {}): JournalEdge => ({
  at: 1,
  wall: '2026-01-01T00:00:00.000Z',
  id: 'client-partition-1',
  fault: 'client-partition',
  edge: name,
  by: 'run',
  victims: ['broker/1'],
  brokers: [1],
  ...more,
});

const intent = (expires?: number): JournalEdge =>
  edge('intent', {
    undo: {
      fault: 'client-partition',
      steps: [
        {
          do: 'restore-proxy',
          admin: { host: '127.0.0.1', port: proxy.apiPort },
          proxy: {
            name: 'link',
            listen: proxy.listening['link'] ?? '',
            upstream: '127.0.0.1:9',
            enabled: true,
            toxics: [],
          },
          toxics: [],
        },
      ],
    },
    ...(expires === undefined ? {} : { expires }),
  });

interface Parent {
  readonly child: ChildProcessByStdio<null, Readable, null>;
  readonly watchdog: number;
  readonly pids: readonly number[];
}

const startParent = async (config: Record<string, unknown>): Promise<Parent> => {
  const argument = JSON.stringify({ runId: RUN, runDirectory: directory, ...config });
  const child = spawn(process.execPath, [PARENT, argument], { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child.pid ?? 0);
  const line = await new Promise<string>((done) => createInterface({ input: child.stdout }).once('line', done));
  const { watchdog, pids } = JSON.parse(line) as { watchdog: number; pids: number[] };
  started.push(watchdog);
  return { child, watchdog, pids };
};

const edgesBy = (by: JournalEdge['by']): readonly string[] =>
  parseJournal(readFileSync(join(directory, 'journal.ndjson'), 'utf8'), 'journal')
    .edges.filter((each) => each.by === by)
    .map((each) => each.edge);

describe('the watchdog', () => {
  it('ends every process of a dead run, stopped ones and late ones too, removes their files, and ends itself', async () => {
    const files = join(directory, 'embedded');
    mkdirSync(files);
    const parent = await startParent({ ephemeral: true, files, sleepers: 3, edges: [intent(), edge('applied')] });
    expect(markedProcesses(RUN).length).toBeGreaterThanOrEqual(3);
    parent.child.kill('SIGKILL');
    await expect.poll(() => isThere(parent.watchdog), { timeout: 15_000 }).toBe(false);
    expect(markedProcesses(RUN)).toEqual([]);
    expect(existsSync(files)).toBe(false);
    expect(edgesBy('watchdog')).toEqual(['healing', 'healed']);
    expect(await readRegistrations()).toEqual([]);
  });

  it('puts a proxy back when the run dies on a target that stays', async () => {
    await toxiproxy.setEnabled('link', false);
    const parent = await startParent({
      ephemeral: false,
      sleepers: 0,
      edges: [intent(), edge('applied'), edge('confirmed')],
    });
    parent.child.kill('SIGKILL');
    await expect.poll(() => isThere(parent.watchdog), { timeout: 15_000 }).toBe(false);
    expect((await toxiproxy.readBack('link')).enabled).toBe(true);
    expect(edgesBy('watchdog')).toEqual(['healing', 'healed']);
  });

  it('undoes a fault past its expiry although the run lives, and lets it inject nothing more', async () => {
    await toxiproxy.setEnabled('link', false);
    const journalPath = join(directory, 'journal.ndjson');
    const watchdog = await startWatchdog({ runId: RUN, journalPath, ephemeral: true });
    started.push(watchdog.pid);
    const { createJournal } = await import('./journal.ts');
    const journal = await createJournal(journalPath, { run: RUN, at: 0, wallMs: 0 });
    await journal.append(intent(1));
    await journal.append(edge('applied'));
    await journal.append(edge('confirmed'));
    await expect.poll(() => edgesBy('watchdog'), { timeout: 5_000 }).toEqual(['healing', 'healed']);
    expect((await toxiproxy.readBack('link')).enabled).toBe(true);
    await expect(watchdog.ping()).rejects.toThrow(/healed a fault by itself/);
    await watchdog.stop();
    await journal.close();
  });

  it('answers while it lives, and its silence keeps a fault from being performed', async () => {
    const watchdog = await startWatchdog({ runId: RUN, journalPath: join(directory, 'none'), ephemeral: true });
    await watchdog.ping();
    process.kill(watchdog.pid, 'SIGKILL');
    await expect(watchdog.ping()).rejects.toThrow(/does not answer/);
  });

  it('ends without healing when the run says that it is done', async () => {
    const watchdog = await startWatchdog({ runId: RUN, journalPath: join(directory, 'none'), ephemeral: true });
    await watchdog.stop();
    expect(isThere(watchdog.pid)).toBe(false);
  });

  it('that does not end when it is told to is ended, and said to have been silent', async () => {
    const clock = new VirtualClock();
    const config = { runId: RUN, journalPath: join(directory, 'none'), ephemeral: true };
    const watchdog = await startWatchdog(config, clock);
    started.push(watchdog.pid);
    process.kill(watchdog.pid, 'SIGSTOP');
    await expect(clock.run(watchdog.stop())).rejects.toThrow(/the watchdog to end/);
    await expect.poll(() => isThere(watchdog.pid)).toBe(false);
  });
});
