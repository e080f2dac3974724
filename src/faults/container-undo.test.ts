import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeEngine } from '../../test/support/fake-engine.ts';
import type { RawContainer } from '../targets/container-facts.ts';
import { containerOf } from '../targets/container-heal.ts';
import { cpuLimitsOf } from '../targets/container-limits.ts';
import type { UndoStep } from './fault.ts';
import { freshReach, leftOf, performUndo } from './undo.ts';

const NODE = 'broker/1';
const signal = AbortSignal.timeout(60_000);
const recorded = join(import.meta.dirname, '..', '..', 'test', 'fixtures', 'docker', 'broker-1.json');

let fake: FakeEngine;
let steps: readonly UndoStep[];
let id: string;

beforeEach(async () => {
  fake = await FakeEngine.start();
  const broker = JSON.parse(readFileSync(recorded, 'utf8')) as RawContainer;
  id = broker.Id;
  fake.containers.set(id, broker);
  const container = { engine: fake.url, id };
  const control = await containerOf(NODE, container, signal);
  const [endpoint] = (await control?.endpoints(NODE)) ?? [];
  const limits = await control?.limits(NODE);
  steps = [
    { do: 'restore-endpoint', node: NODE, container, endpoint: endpoint! },
    { do: 'restore-limits', node: NODE, container, limits: cpuLimitsOf(limits!) },
  ];
});

afterEach(async () => {
  await fake.stop();
});

const record = () => ({ fault: 'node-isolate' as const, steps: JSON.parse(JSON.stringify(steps)) as UndoStep[] });

const damage = async (): Promise<void> => {
  const control = await containerOf(NODE, { engine: fake.url, id }, signal);
  const [endpoint] = (await control?.endpoints(NODE)) ?? [];
  await control?.disconnect(NODE, endpoint!.networkId, signal);
  await control?.setLimits(NODE, { cpuQuotaUs: 10_000 }, signal);
};

test('a fresh process puts endpoints and limits back from the record alone, as often as it is asked to', async () => {
  const before = structuredClone(fake.containers.get(id)?.NetworkSettings?.Networks);
  await damage();
  expect((await leftOf(record(), freshReach())).map(({ what }) => what)).toEqual([
    `${NODE}: it has no endpoint in lab_m1`,
    `${NODE}: cpuQuotaUs is 10000, was 0`,
  ]);
  for (let time = 0; time < 2; time++) expect(await performUndo([record()], freshReach(), signal)).toEqual([]);
  expect(await leftOf(record(), freshReach())).toEqual([]);
  expect(fake.containers.get(id)?.NetworkSettings?.Networks).toMatchObject({
    lab_m1: { NetworkID: before?.['lab_m1']?.NetworkID, Aliases: ['broker-1', id.slice(0, 12)] },
  });
});

test('a container that does not run is put back all the same: it keeps its limits and its place', async () => {
  await damage();
  fake.change(id, { Running: false, Status: 'exited', Pid: 0 });
  fake.addressGiven = '';
  expect(await performUndo([record()], freshReach(), signal)).toEqual([]);
  expect(await leftOf(record(), freshReach())).toEqual([]);
});

test('what was removed with its container is put back, and an engine that is gone is told with commands', async () => {
  fake.containers.delete(id);
  expect(await performUndo([record()], freshReach(), signal)).toEqual([]);
  expect(await leftOf(record(), freshReach())).toEqual([]);
  await fake.stop();
  const left = await leftOf(record(), freshReach());
  expect(left.map(({ byHand }) => byHand.split(' ').slice(0, 3).join(' '))).toEqual([
    'docker network disconnect',
    'docker update --cpu-quota=-1',
  ]);
  expect(left[0]?.what).toContain('cannot be reached');
});

describe('helpers beside a container', () => {
  const place = () => ({ node: NODE, container: { engine: fake.url, id } });
  const disturbance = { name: 'ackproof-r-loss', runId: 'r', how: 'loss' as const, share: 0.1, correlation: 0 };
  const fill = { name: 'ackproof-r-fill', runId: 'r', directory: '/data', leaveBytes: 0 };
  const undone = async (step: UndoStep): Promise<readonly unknown[]> => {
    const undo = { fault: 'packet-loss' as const, steps: [step] };
    const before = (await leftOf(undo, freshReach())).map(({ what }) => what);
    expect(await performUndo([undo], freshReach(), signal)).toEqual([]);
    expect(await leftOf(undo, freshReach())).toEqual([]);
    return [before, [...fake.containers.keys()]];
  };

  // Red before: a broker that was down as its fault was healed had no interface, and "nothing is left behind".
  test('that hold a disturbance of one which has ended are left, and go', async () => {
    fake.prints = () => 'held\n';
    const control = await containerOf(NODE, { engine: fake.url, id }, signal);
    await control?.disturb(NODE, disturbance, signal);
    fake.change(id, { Running: false, Status: 'exited', Pid: 0 });
    expect(await undone({ do: 'end-disturbance', ...place(), disturbance })).toEqual([
      [`${NODE}: 1 containers beside it hold a disturbance of its packets`],
      [id],
    ]);
  });

  test('that hold a cut of one which has ended are left, and go', async () => {
    const cut = {
      name: 'r-cut',
      runId: 'r',
      program: 'iptables',
      image: 'i',
      chain: 'ACKPROOF-1-2',
      peers: [],
      rules: [],
    };
    fake.prints = () => 'held\n';
    const control = await containerOf(NODE, { engine: fake.url, id }, signal);
    await control?.cut(NODE, { ...cut, sinceMs: 1 }, signal);
    fake.change(id, { Running: false, Status: 'exited', Pid: 0 });
    const [before, after] = await undone({ do: 'end-cut', ...place(), cut: { ...cut, sinceMs: 1 } });
    expect(before).toEqual([expect.stringMatching(/the helper \S+ is still there/u)]);
    expect(after).toEqual([id]);
  });

  // Red before: aborted right after it was started, its file was not there yet, and it went on to write it.
  test('that have not written anything yet are left, and go', async () => {
    fake.prints = () => '1000 gone\n';
    const control = await containerOf(NODE, { engine: fake.url, id }, signal);
    await control?.fill(NODE, fill, AbortSignal.timeout(300)).catch(() => undefined);
    expect(fake.containers.size).toBe(2);
    expect(await undone({ do: 'remove-fill', ...place(), fill })).toEqual([
      [`${NODE}: /data is filled, or still being so, with 1000 bytes free`],
      [id],
    ]);
  });

  // Red before: a run that died between making the one that fills and starting it was healed by nobody, who all asked that one.
  test('that were made and never started go also where nothing else runs', async () => {
    fake.prints = () => '1000 gone\n';
    const control = await containerOf(NODE, { engine: fake.url, id }, signal);
    await control?.fill(NODE, fill, AbortSignal.timeout(300)).catch(() => undefined);
    const [, helper = ''] = [...fake.containers.keys()];
    fake.change(helper, { Status: 'created' });
    fake.change(id, { Running: false, Status: 'exited', Pid: 0 });
    expect((await undone({ do: 'remove-fill', ...place(), fill })).at(1)).toEqual([id]);
  });
});
