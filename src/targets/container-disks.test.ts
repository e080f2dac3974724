import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeEngine } from '../../test/support/fake-engine.ts';
import { ContainerDisks, readLook } from './container-disks.ts';
import type { RawContainer } from './container-facts.ts';
import { ContainerRoster } from './container-roster.ts';
import { type DockerEngine, openDockerEngine } from './docker-engine.ts';

const NODE = 'broker/1';
const OPTIONS = { type: 'tmpfs', device: 'tmpfs', o: 'size=64m' };
const LABELS = { 'com.docker.compose.volume': 'log-1', 'ackproof.run': 'r1' };
const recorded = join(import.meta.dirname, '..', '..', 'test', 'fixtures', 'docker', 'broker-1.json');
const FULL = `directory 12 34.56
meta version=1
meta directory.id=old-id
partition __cluster_metadata-0
partition orders-0
partition orders-1
segment 100 orders-0/00000000000000000000.log
segment 20 orders-1/00000000000000000000.log
segment 7 __cluster_metadata-0/00000000000000000000.log
`;

let fake: FakeEngine;
let engine: DockerEngine;
let id: string;
let roster: ContainerRoster;
let disks: ContainerDisks;
let moved: string[];

beforeEach(async () => {
  fake = await FakeEngine.start();
  const raw = JSON.parse(readFileSync(recorded, 'utf8')) as RawContainer;
  id = raw.Id;
  fake.imageId = raw.Image;
  const Mounts = [{ Type: 'volume', Name: 'log-1', Destination: '/var/lib/kafka/data' }];
  const HostConfig = { Memory: 805_306_368, NetworkMode: 'lab_m1', Binds: ['log-1:/var/lib/kafka/data'] };
  fake.containers.set(id, { ...raw, Mounts, HostConfig });
  fake.volumes.set('log-1', { Name: 'log-1', Driver: 'local', CreatedAt: 'once', Labels: LABELS, Options: OPTIONS });
  fake.prints = (script) => (script.includes('-delete') ? '' : FULL);
  engine = await openDockerEngine({ url: fake.url, because: 'this test' });
  roster = new ContainerRoster([
    { node: NODE, id },
    { node: 'controller/1', id: 'none' },
  ]);
  moved = [];
  disks = new ContainerDisks(engine, roster, 'r1', (node, to) => moved.push(`${node} ${to}`));
});

afterEach(async () => {
  await fake.stop();
});

const kill = (): void => fake.change(id, { Running: false, Status: 'exited', Pid: 0 });

test('a look tells the directory, its id, partitions of topics and their bytes; controllers have no disk that is asked for', async () => {
  expect(disks.nodes).toEqual([NODE]);
  expect(await disks.look(NODE)).toEqual({
    directory: 'log-1 of once: 12 34.56',
    directoryId: 'old-id',
    partitions: 2,
    bytes: 120,
  });
  expect(readLook('')).toEqual({ directory: 'none', directoryId: 'none', partitions: 0, bytes: 0 });
});

test('a look at what does not run is taken beside it, and its helper is removed', async () => {
  kill();
  expect(await disks.look(NODE)).toMatchObject({ partitions: 2 });
  expect(fake.asked).toContain('POST /containers/create');
  expect([...fake.containers.keys()]).toEqual([id]);
});

test('container and volume are made again as they were, under the same name', async () => {
  kill();
  await disks.replace(NODE, 'new');
  const now = roster.idOf(NODE);
  expect(now).not.toBe(id);
  expect(moved).toEqual([`${NODE} ${now}`]);
  expect([...fake.containers.keys()]).toEqual([now]);
  const { Name, Config, HostConfig } = fake.containers.get(now) ?? {};
  expect(Name).toBe('/lab_broker-1_1');
  expect(Config?.Labels).toMatchObject({ 'ackproof.node': 'broker/1', 'com.docker.compose.project': 'lab' });
  expect(HostConfig).toMatchObject({ Memory: 805_306_368, NetworkMode: 'lab_m1' });
  const volume = fake.volumes.get('log-1');
  expect(volume).toMatchObject({ Labels: LABELS, Options: OPTIONS });
  expect(volume?.CreatedAt).not.toBe('once');
});

test('a volume that others have mounted, too, is emptied and stays', async () => {
  kill();
  fake.volumesInUse.add('log-1');
  const scripts: string[] = [];
  fake.prints = (script) => {
    scripts.push(script);
    return '';
  };
  await disks.replace(NODE, 'new');
  expect(scripts.join('\n')).toMatch(/find '\/var\/lib\/kafka\/data' -mindepth 1 -delete/u);
  expect(fake.volumes.get('log-1')?.CreatedAt).toBe('once');
  expect(roster.idOf(NODE)).not.toBe(id);
});

test('a directory that keeps its id keeps its volume, and its meta.properties as it was', async () => {
  kill();
  const scripts: string[] = [];
  fake.prints = (script) => {
    scripts.push(script);
    return '';
  };
  await disks.replace(NODE, 'kept');
  expect(fake.volumes.get('log-1')?.CreatedAt).toBe('once');
  expect(scripts.join('\n')).toMatch(/printf .*> '\/var\/lib\/kafka\/data\/log\/meta.properties'/u);
});

test('what could not be emptied is told, and the container stays', async () => {
  kill();
  fake.prints = () => 'left /var/lib/kafka/data/log/orders-0/0.log\n';
  await expect(disks.replace(NODE, 'new')).rejects.toThrow(/volume of broker\/1 cannot be emptied: left .*0\.log/u);
  expect(fake.containers.has(id)).toBe(true);
});

test('a container that came out different is told, field by field', async () => {
  kill();
  fake.madeWith = { HostConfig: { Memory: 1 }, Image: 'sha256:other', State: { Status: 'exited' } };
  await expect(disks.replace(NODE, 'new')).rejects.toThrow(
    /made anew, and not as it was: its image is sha256:other.*HostConfig.Memory is 1, was 805306368/u,
  );
});

test('nothing is taken away under a process, and nothing that is in no volume', async () => {
  await expect(disks.replace(NODE, 'new')).rejects.toMatchObject({ code: 'TARGET_NODE_RUNS' });
  const raw = fake.containers.get(id);
  if (raw !== undefined) fake.containers.set(id, { ...raw, Mounts: [] });
  kill();
  await expect(disks.replace(NODE, 'new')).rejects.toThrow(/\/var\/lib\/kafka\/data\/log is in no volume/u);
  expect(fake.asked.filter((asked) => asked.startsWith('DELETE'))).toEqual([]);
});
