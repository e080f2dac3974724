import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RunningProxy, startProxy } from '../embedded/link-proxy/running-proxy.ts';
import { identityOfChild } from '../targets/process-table.ts';
import { type ProxyState, ToxiproxyProcess } from './backends/toxiproxy.ts';
import type { JournalEdge, UndoStep } from './fault.ts';
import { healRuns, renderHeal } from './heal.ts';
import { createJournal, readJournal } from './journal.ts';
import { forgetHealedRun, readRegistrations, registerRun, removeRegistration } from './registration.ts';
import { assertNoResidue } from './residue.ts';
import { markedProcesses } from './run-processes.ts';
import type { RunScan } from './run-scan.ts';
import { renderStatus, statusOfRuns } from './status.ts';
import { lockTarget } from './target-lock.ts';

const NOBODY = { pid: 2 ** 22 - 1, startedAt: 1 };
// Another suite on this machine must not find it.
const RUN = `r-heal-${process.pid}`;
/** Other runs of this machine are none of this test's business. */
const scan: RunScan = {
  processes: () => markedProcesses(RUN),
  containers: async () => await Promise.resolve([]),
  containersOf: async () => await Promise.resolve([]),
  locksOf: async () => await Promise.resolve([]),
};

let directory: string;
let proxy: RunningProxy;
let toxiproxy: ToxiproxyProcess;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-heal-'));
  vi.stubEnv('XDG_STATE_HOME', directory);
  proxy = await startProxy({
    proxies: [{ name: 'link', listen: '127.0.0.1:0', upstream: '127.0.0.1:9', enabled: true }],
  });
  toxiproxy = new ToxiproxyProcess({ host: '127.0.0.1', port: proxy.apiPort });
});
afterEach(async () => {
  for (const { pid } of markedProcesses(RUN)) process.kill(pid, 'SIGKILL');
  await proxy.stop();
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true, force: true });
});

const link = (more: Partial<ProxyState> = {}): ProxyState => ({
  name: 'link',
  listen: proxy.listening['link'] ?? '',
  upstream: '127.0.0.1:9',
  enabled: true,
  toxics: [],
  ...more,
});

const restoreLink = (was = link()): UndoStep => ({
  do: 'restore-proxy',
  admin: { host: '127.0.0.1', port: proxy.apiPort },
  proxy: was,
  toxics: ['ackproof-r-slow'],
});

const toxic = (name: string, stream: 'upstream' | 'downstream') =>
  ({ name, type: 'timeout', stream, attributes: { timeout: 0 } }) as const;

/** A run that is dead: registered by a process that never was, with the given steps still to undo. */
const deadRun = async (
  steps: readonly UndoStep[],
  edges: readonly JournalEdge['edge'][],
  ephemeral = false,
  more: { readonly files?: string } = {},
): Promise<string> => {
  const journalPath = join(directory, 'journal.ndjson');
  const common = { runId: RUN, runDirectory: directory, journalPath, ephemeral, target: 'shared', wallMs: 1, ...more };
  const registration = await registerRun(common);
  const path = join(directory, 'ackproof', 'runs', RUN, 'registration.json');
  writeFileSync(path, JSON.stringify({ ...registration, owner: NOBODY }));
  const journal = await createJournal(journalPath, { run: RUN, at: 0, wallMs: 0 });
  for (const edge of edges) {
    await journal.append({
      at: 1,
      wall: '',
      id: 'client-partition-1',
      fault: 'client-partition',
      edge,
      by: 'run',
      victims: ['broker/1'],
      brokers: [1],
      ...(edge === 'intent' ? { undo: { fault: 'client-partition', steps } } : {}),
    });
  }
  await journal.close();
  return journalPath;
};

describe('heal', () => {
  it('undoes what a dead run left, says so in its journal, and forgets the run', async () => {
    await toxiproxy.addToxic('link', toxic('ackproof-r-slow', 'upstream'));
    await toxiproxy.addToxic('link', toxic('somebody-elses', 'downstream'));
    await toxiproxy.setEnabled('link', false);
    const journalPath = await deadRun([restoreLink()], ['intent', 'applied', 'confirmed']);
    expect((await statusOfRuns(scan)).leftovers).toBe(true);
    await expect(assertNoResidue(scan)).rejects.toThrow(/client-partition-1 \(confirmed\)/);
    const report = await healRuns({ scan });
    expect(report).toMatchObject({ clean: true, runs: [{ runId: RUN, state: 'healed' }] });
    const state = await toxiproxy.readBack('link');
    expect([state.enabled, state.toxics.map(({ name }) => name)]).toEqual([true, ['somebody-elses']]);
    const { edges } = await readJournal(journalPath);
    expect(edges.slice(-2).map(({ edge, by }) => `${edge} by ${by}`)).toEqual(['healing by heal', 'healed by heal']);
    expect(await readRegistrations()).toEqual([]);
    expect(renderStatus(await statusOfRuns(scan))).toContain('clean');
    await assertNoResidue(scan);
  });

  // Whoever was killed while it declared a proxy anew leaves none.
  it('declares a proxy that is gone as it was, with the toxics of others', async () => {
    const theirs = { ...toxic('somebody-elses', 'downstream'), toxicity: 0.5 };
    const was = link({ toxics: [theirs, { ...toxic('ackproof-r-slow', 'upstream'), toxicity: 1 }] });
    const api = `http://127.0.0.1:${proxy.apiPort}/proxies/link`;
    expect((await fetch(api, { method: 'DELETE' })).status).toBe(204);
    await deadRun([restoreLink(was)], ['intent', 'applied', 'healing']);
    expect(await healRuns({ scan })).toMatchObject({ clean: true, runs: [{ state: 'healed' }] });
    expect(await toxiproxy.readBack('link')).toEqual(link({ toxics: [theirs] }));
  });

  it('removes the files of a target that was made for the run, and nothing beside them', async () => {
    const files = join(directory, 'embedded');
    mkdirSync(join(files, 'store'), { recursive: true });
    writeFileSync(join(files, 'store', 'object'), 'much');
    await deadRun([], [], true, { files });
    expect(renderStatus(await statusOfRuns(scan))).toContain(`files in ${files}`);
    await assertNoResidue(scan);
    expect(renderHeal(await healRuns({ dryRun: true, scan }))).toContain(`remove the target's files in ${files}`);
    expect(existsSync(files)).toBe(true);
    expect((await healRuns({ scan })).clean).toBe(true);
    expect([existsSync(files), existsSync(join(directory, 'journal.ndjson'))]).toEqual([false, true]);
    expect(renderStatus(await statusOfRuns(scan))).toContain('clean');
  });

  it('changes nothing as a dry run, and says what it would do', async () => {
    await toxiproxy.setEnabled('link', false);
    await deadRun([restoreLink()], ['intent', 'applied', 'confirmed']);
    const report = await healRuns({ dryRun: true, scan });
    expect(renderHeal(report)).toContain('undo client-partition-1 (confirmed)');
    expect((await toxiproxy.readBack('link')).enabled).toBe(false);
    expect(await readRegistrations()).toHaveLength(1);
  });

  it('prints the command for what it cannot do, and keeps the run for the next attempt', async () => {
    await proxy.stop();
    await deadRun([restoreLink()], ['intent', 'applied', 'confirmed']);
    const report = await healRuns({ runId: RUN, scan });
    expect(report.clean).toBe(false);
    expect(renderHeal(report)).toMatch(/by hand: restart the Toxiproxy at 127\.0\.0\.1:\d+, then curl .*\/proxies'/);
    expect(await readRegistrations()).toHaveLength(1);
  });

  // Red before: a journal that could not be read counted as one without faults.
  it('neither calls a run healed nor forgets it when its journal cannot be read', async () => {
    const journalPath = await deadRun([restoreLink()], ['intent', 'applied']);
    writeFileSync(journalPath, '{"t":"journal","version":99}\n');
    expect(renderStatus(await statusOfRuns(scan))).toMatch(/fault unknown on nobody: .*format 99/);
    expect(renderHeal(await healRuns({ dryRun: true, scan }))).toContain('format 99');
    expect(renderHeal(await healRuns({ scan }))).toMatch(/left: the journal .*format 99/);
    expect(await readRegistrations()).toHaveLength(1);
  });

  it('ends the processes of a dead ephemeral target, stopped ones too', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], {
      env: { ...process.env, ACKPROOF_RUN: RUN },
      stdio: 'ignore',
    });
    await expect.poll(() => markedProcesses(RUN).length, { timeout: 5000 }).toBe(1);
    child.kill('SIGSTOP');
    await deadRun([], [], true);
    expect((await statusOfRuns(scan)).runs).toMatchObject([{ runId: RUN, isAlive: false, processes: [child.pid] }]);
    expect((await healRuns({ runId: RUN, scan })).clean).toBe(true);
    expect(markedProcesses(RUN)).toEqual([]);
  });

  // Red before: `clean` was what heal had done, not what is there.
  it('is clean only when a second look finds nothing', async () => {
    const late = { pid: 2 ** 22 - 2, startedAt: 1, runId: RUN, command: 'broker', parent: 1 };
    await deadRun([], [], true);
    const report = await healRuns({ scan: { ...scan, processes: () => [late] } });
    expect(report).toMatchObject({ clean: false, runs: [{ runId: RUN, state: 'failed' }] });
    expect(renderHeal(report)).toContain('by hand: kill -9 4194302');
  });

  // Red before: no run was possible before a heal, which had nothing to do.
  it('finds nothing to put back where the target has ended with its run', async () => {
    await deadRun([restoreLink()], ['intent', 'applied', 'healing', 'heal-failed'], true);
    expect(await statusOfRuns(scan)).toEqual({ runs: [], leftovers: false });
    await assertNoResidue(scan);
    expect(await healRuns({ runId: RUN, scan })).toMatchObject({ clean: true, runs: [{ state: 'healed' }] });
    expect(await readRegistrations()).toEqual([]);
  });

  it('wakes a process that a fault stopped, if it still is the same process', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
    const identity = identityOfChild(child.pid ?? 0);
    child.kill('SIGSTOP');
    await deadRun([{ do: 'resume-process', node: 'broker/1', ...identity }], ['intent', 'applied', 'confirmed']);
    expect((await healRuns({ scan })).clean).toBe(true);
    child.kill('SIGKILL');
  });

  it('never touches a run that is going on, and refuses one that nobody knows', async () => {
    await registerRun({
      runId: RUN,
      runDirectory: directory,
      journalPath: join(directory, 'none'),
      ephemeral: true,
      target: 'x',
      wallMs: 1,
    });
    expect(await healRuns({ scan })).toEqual({ runs: [], clean: true });
    expect(await healRuns({ runId: RUN, scan })).toMatchObject({ clean: false, runs: [{ state: 'still-running' }] });
    expect(await statusOfRuns(scan)).toMatchObject({ leftovers: false, runs: [{ isAlive: true }] });
    await removeRegistration(RUN);
    await expect(healRuns({ runId: 'nobody', scan })).rejects.toThrow(/No run named "nobody"/);
    await expect(removeRegistration('../../etc')).rejects.toThrow(/no run id/);
  });

  it('passes over a registration that a crash tore', async () => {
    mkdirSync(join(directory, 'ackproof', 'runs', 'torn'), { recursive: true });
    writeFileSync(join(directory, 'ackproof', 'runs', 'torn', 'registration.json'), '{"version":1,"ru');
    expect(await statusOfRuns(scan)).toEqual({ runs: [], leftovers: false });
  });
});

describe('the end of a run', () => {
  const ended = async (edges: readonly JournalEdge['edge'][]): Promise<readonly unknown[]> => {
    await deadRun([restoreLink()], edges);
    await lockTarget('shared', RUN);
    await forgetHealedRun({ runId: RUN, journalPath: join(directory, 'journal.ndjson') });
    return await readRegistrations();
  };

  it('forgets it and its lock when every fault was seen to be healed', async () => {
    expect(await ended(['intent', 'applied', 'healing', 'healed'])).toEqual([]);
    await lockTarget('shared', 'r-2');
  });

  it('leaves it to status and heal, and its target locked, when a fault was not healed', async () => {
    expect(await ended(['intent', 'applied', 'healing', 'heal-failed'])).toMatchObject([{ runId: RUN }]);
    expect(await statusOfRuns(scan)).toMatchObject({ leftovers: true, runs: [{ faults: [{ state: 'heal-failed' }] }] });
    await expect(lockTarget('shared', 'r-2')).rejects.toThrow(new RegExp(`in use by run ${RUN}`));
    expect(await healRuns({ scan })).toMatchObject({ clean: true, runs: [{ state: 'healed' }] });
    await lockTarget('shared', 'r-2');
  });

  it('forgets a run without a journal, which had no fault', async () => {
    await deadRun([restoreLink()], []);
    await forgetHealedRun({ runId: RUN, journalPath: join(directory, 'none.ndjson') });
    expect(await readRegistrations()).toEqual([]);
  });
});

describe('the lock on a target', () => {
  it('is held by one run at a time, names its owner, and is free again when the run is forgotten', async () => {
    await lockTarget('cluster/1', RUN);
    await expect(lockTarget('cluster/1', 'r-2')).rejects.toThrow(new RegExp(`in use by run ${RUN} \\(process \\d+\\)`));
    await lockTarget('cluster/2', 'r-2');
    await removeRegistration(RUN);
    await lockTarget('cluster/1', 'r-2');
    await expect(lockTarget('cluster/2', RUN)).rejects.toThrow(/in use by run r-2/);
  });

  it('of a dead run is taken over by heal alone', async () => {
    await deadRun([restoreLink()], ['intent', 'applied', 'confirmed']);
    await lockTarget('shared', RUN);
    const path = join(directory, 'ackproof', 'locks', 'shared.json');
    writeFileSync(path, JSON.stringify({ runId: RUN, owner: NOBODY }));
    await expect(lockTarget('shared', 'r-2')).rejects.toThrow(/whose process is gone/);
    await healRuns({ runId: RUN, scan });
    await lockTarget('shared', 'r-2');
  });
});
