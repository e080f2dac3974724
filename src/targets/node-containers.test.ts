import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeEngine } from '../../test/support/fake-engine.ts';
import type { RawContainer } from './container-facts.ts';
import { containerOf } from './container-heal.ts';
import { ContainerRoster } from './container-roster.ts';
import { type DockerEngine, openDockerEngine } from './docker-engine.ts';
import { NodeContainers } from './node-containers.ts';

const NODE = 'broker/1';
const signal = AbortSignal.timeout(60_000);
const recorded = join(import.meta.dirname, '..', '..', 'test', 'fixtures', 'docker', 'broker-1.json');

let fake: FakeEngine;
let engine: DockerEngine;
let id: string;
let containers: NodeContainers;

beforeEach(async () => {
  fake = await FakeEngine.start();
  const broker = JSON.parse(readFileSync(recorded, 'utf8')) as RawContainer;
  id = broker.Id;
  fake.containers.set(id, { ...broker, HostConfig: { Memory: 805_306_368, MemorySwap: 1_610_612_736 } });
  engine = await openDockerEngine({ url: fake.url, because: 'this test' });
  containers = new NodeContainers(engine, new ContainerRoster([{ node: NODE, id }]));
});

afterEach(async () => {
  await fake.stop();
});

test('limits are set, seen, and set back to what they were', async () => {
  const before = await containers.limits(NODE);
  await containers.setLimits(NODE, { cpuQuotaUs: 10_000 }, signal);
  expect(await containers.limits(NODE)).toEqual({ ...before, cpuQuotaUs: 10_000 });
  await containers.setLimits(NODE, before, signal);
  expect(await containers.limits(NODE)).toEqual(before);
});

test('a container is taken out of its network and put back with its aliases, and neither twice', async () => {
  const before = await containers.endpoints(NODE);
  expect(before).toMatchObject([{ network: 'lab_m1', aliases: ['broker-1'], address: '172.18.0.3' }]);
  const [endpoint] = before;
  for (let time = 0; time < 2; time++) await containers.disconnect(NODE, endpoint!.networkId, signal);
  expect(await containers.endpoints(NODE)).toEqual([]);
  for (let time = 0; time < 2; time++) await containers.connect(NODE, endpoint!, signal);
  expect(await containers.endpoints(NODE)).toEqual(before);
  const orders = fake.asked.filter((asked) => asked.startsWith('POST /networks/'));
  expect(orders.map((asked) => asked.split('/').at(-1))).toEqual(['disconnect', 'connect']);
});

test('an endpoint that came out different is told, field by field', async () => {
  const [endpoint] = await containers.endpoints(NODE);
  await containers.disconnect(NODE, endpoint!.networkId, signal);
  fake.addressGiven = '172.18.0.9';
  await expect(containers.connect(NODE, endpoint!, signal)).rejects.toThrow(
    /address in lab_m1 is 172\.18\.0\.9, was 172\.18\.0\.3/,
  );
});

test('counters come from the engine, and are 0 for a container that does not run', async () => {
  expect(await containers.usage(NODE)).toEqual({ throttledPeriods: 0, memoryBytes: 0, memoryLimitHits: 0 });
  fake.counters = {
    cpu_stats: { throttling_data: { throttled_periods: 7 } },
    memory_stats: { usage: 4096, failcnt: 2 },
  };
  expect(await containers.usage(NODE)).toEqual({ throttledPeriods: 7, memoryBytes: 4096, memoryLimitHits: 2 });
});

test('a process that knows only the reference has the same control, and none of what was removed', async () => {
  const control = await containerOf(NODE, containers.reference(NODE), signal);
  expect(await control?.limits(NODE)).toEqual(await containers.limits(NODE));
  await expect(control?.limits('broker/2')).rejects.toMatchObject({ code: 'TARGET_NO_SUCH_NODE' });
  fake.containers.delete(id);
  expect(await containerOf(NODE, containers.reference(NODE), signal)).toBeUndefined();
});
