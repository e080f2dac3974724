import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeEngine } from '../../test/support/fake-engine.ts';
import type { RawContainer } from '../targets/container-facts.ts';
import { healRuns, renderHeal } from './heal.ts';
import { registerRun, removeRegistration } from './registration.ts';
import { assertNoResidue } from './residue.ts';
import { type RunScan, scanWithoutEngine, wholeScan } from './run-scan.ts';
import { renderStatus, statusOfRuns } from './status.ts';

const RUN = `r-scan-${process.pid}`;
const DEAD = `${hostname()} ${2 ** 22 - 1} 1`;
const recorded = join(import.meta.dirname, '..', '..', 'test', 'fixtures', 'docker', 'broker-1.json');
/** The processes of this machine are none of this test's business. */
const scan: RunScan = { ...wholeScan, processes: () => [] };

let directory: string;
let fake: FakeEngine;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-scan-'));
  fake = await FakeEngine.start();
  vi.stubEnv('XDG_STATE_HOME', directory);
  vi.stubEnv('DOCKER_HOST', fake.url);
});

afterEach(async () => {
  await fake.stop();
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true, force: true });
});

/** A container that carries the run's label, and the lock that tells whose it is. */
const leave = (owner: string | undefined, labels: Readonly<Record<string, string>> = {}): void => {
  const raw = JSON.parse(readFileSync(recorded, 'utf8')) as RawContainer;
  const Config = { ...raw.Config, Labels: { 'ackproof.run': RUN, ...labels } };
  fake.containers.set(raw.Id, { ...raw, Config });
  if (owner === undefined) return;
  const Labels = { 'ackproof.lock': 'shop', 'ackproof.run': RUN, 'ackproof.owner': owner };
  fake.volumes.set('ackproof-lock-shop', { Name: 'ackproof-lock-shop', Labels, Options: null });
};

/** Registers the run as one whose process never was. */
const registerDead = async (ephemeral: boolean): Promise<void> => {
  const journalPath = join(directory, 'journal.ndjson');
  const common = { runId: RUN, runDirectory: directory, journalPath, target: 'compose', wallMs: 1 };
  const registration = await registerRun({ ...common, ephemeral, containers: fake.url });
  const path = join(directory, 'ackproof', 'runs', RUN, 'registration.json');
  writeFileSync(path, JSON.stringify({ ...registration, owner: { pid: 2 ** 22 - 1, startedAt: 1 } }));
};

describe('containers of dead runs', () => {
  it.each([true, false])('are told and removed, the lock of their project too (ephemeral: %s)', async (ephemeral) => {
    leave(DEAD);
    await registerDead(ephemeral);
    expect(renderStatus(await statusOfRuns(scan))).toContain('containers lab_broker-1_1');
    await expect(assertNoResidue(scan)).rejects.toThrow(/left 1 containers/);
    expect(renderHeal(await healRuns({ dryRun: true, scan }))).toContain(`labelled ackproof.run=${RUN}`);
    expect(fake.containers.size).toBe(1);
    expect(await healRuns({ scan })).toMatchObject({ clean: true, runs: [{ runId: RUN, state: 'healed' }] });
    expect([fake.containers.size, fake.volumes.size]).toEqual([0, 0]);
    expect(renderStatus(await statusOfRuns(scan))).toContain('clean');
  });

  it('are found and removed where nobody here knows of their run', async () => {
    leave(DEAD);
    expect((await statusOfRuns(scan)).runs).toMatchObject([
      { runId: RUN, isAlive: false, containers: ['lab_broker-1_1'] },
    ]);
    await assertNoResidue({ ...scanWithoutEngine, processes: () => [] });
    expect(await healRuns({ scan })).toMatchObject({ clean: true, runs: [{ runId: RUN, state: 'healed' }] });
    expect([fake.containers.size, fake.volumes.size]).toEqual([0, 0]);
  });

  it.each([undefined, 'elsewhere 1 1'])('are left alone where their run may be alive (owner %s)', async (owner) => {
    leave(owner);
    expect(await statusOfRuns(scan)).toMatchObject({ leftovers: false, runs: [{ runId: RUN, isAlive: true }] });
    expect((await healRuns({ scan })).runs).toEqual([]);
    expect(fake.containers.size).toBe(1);
  });

  // Red before: without a lock nobody could tell whose it is, so that the run was "running" for ever.
  it('are found and removed where neither registration nor lock is left, by what they say themselves', async () => {
    leave(undefined, { 'ackproof.owner': DEAD });
    expect(await statusOfRuns(scan)).toMatchObject({ leftovers: true, runs: [{ runId: RUN, isAlive: false }] });
    expect(await healRuns({ scan })).toMatchObject({ clean: true, runs: [{ runId: RUN, state: 'healed' }] });
    expect(fake.containers.size).toBe(0);
  });

  // Red before: a helper that was left beside an attached project outlived the run, and nobody knew of it any more.
  it('are removed before their run is forgotten', async () => {
    leave(`${hostname()} ${process.pid} 1`);
    await registerDead(false);
    await removeRegistration(RUN);
    expect([fake.containers.size, fake.volumes.size]).toEqual([0, 0]);
  });

  it('are not forgotten while one of their volumes is in use', async () => {
    fake.volumes.set('data', { Name: 'data', Labels: { 'ackproof.run': RUN }, Options: null });
    fake.volumesKept.add('data');
    await registerDead(true);
    expect((await healRuns({ scan })).runs).toMatchObject([
      { state: 'failed', left: [{ what: expect.stringMatching(/1 containers, networks or volumes/u) as string }] },
    ]);
  });

  it('are not forgotten while their engine does not answer', async () => {
    await registerDead(true);
    await fake.stop();
    expect(renderStatus(await statusOfRuns(scan))).toMatch(/containers: nobody can tell/);
    expect((await healRuns({ scan })).clean).toBe(false);
  });

  it('of an engine that does not answer any more block the next run, and how to get out is told', async () => {
    await registerDead(false);
    await fake.stop();
    expect(renderStatus(await statusOfRuns(scan))).toMatch(
      /containers: nobody can tell. The Docker engine at .* cannot/,
    );
    const refused = await assertNoResidue({ ...scanWithoutEngine, processes: () => [] }).catch(
      (thrown: unknown) => thrown,
    );
    const forget = `rm -r '${join(directory, 'ackproof', 'runs', RUN)}'`;
    expect(refused).toMatchObject({
      code: 'RESIDUE_UNKNOWN',
      message: expect.stringContaining(`Nobody can tell what the earlier run ${RUN} left: The Docker engine at`),
      hint: `To go on, start that engine, then run: ackproof heal --run ${RUN}. Where it is gone for good: ${forget}`,
    });
    const healed = await healRuns({ scan });
    expect(healed.clean).toBe(false);
    expect(renderHeal(healed)).toContain(`start that engine, then run: ackproof heal --run ${RUN}`);
    rmSync(join(directory, 'ackproof', 'runs', RUN), { recursive: true });
    await assertNoResidue(scan);
  });

  it('that still hold a project are told, and freed, although nothing of them acts any more', async () => {
    const Labels = { 'ackproof.lock': 'shop', 'ackproof.run': RUN, 'ackproof.owner': DEAD };
    fake.volumes.set('ackproof-lock-shop', { Name: 'ackproof-lock-shop', Labels, Options: null });
    await registerDead(false);
    expect(renderStatus(await statusOfRuns(scan))).toMatch(/left behind.*\n {2}holds ackproof-lock-shop/u);
    await assertNoResidue(scan);
    expect((await healRuns({ scan })).clean).toBe(true);
    expect(renderStatus(await statusOfRuns(scan))).toContain('clean');
  });
});

// Red before: it was told as left behind, to be healed from here, where nobody knows its faults or whether it goes on.
it('a run of another state directory is told with where it belongs, and is left alone', async () => {
  const found = { pid: 2 ** 22 - 1, startedAt: 1, runId: RUN, command: 'java', parent: 1, stateHome: '/elsewhere' };
  const there: RunScan = { ...scanWithoutEngine, processes: () => [found] };
  const told = await statusOfRuns(there);
  expect(told.leftovers).toBe(false);
  expect(renderStatus(told)).toMatch(
    /belongs to another state directory; see it there with: XDG_STATE_HOME='?\/elsewhere'? ackproof status\n/u,
  );
  expect(renderStatus(told)).not.toContain('ackproof heal');
  expect(await healRuns({ scan: there })).toEqual({ runs: [], clean: true });
  await assertNoResidue(there);
});

it('a process that was marked under this state directory is still left behind', async () => {
  const found = { pid: 2 ** 22 - 1, startedAt: 1, runId: RUN, command: 'java', parent: 1, stateHome: directory };
  const here: RunScan = { ...scanWithoutEngine, processes: () => [found] };
  expect(renderStatus(await statusOfRuns(here))).toContain(`left behind; put it back with: ackproof heal --run ${RUN}`);
});
