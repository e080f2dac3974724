import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeEngine } from '../../test/support/fake-engine.ts';
import { systemClock } from '../clock.ts';
import { ComposeWatch } from './compose-watch.ts';
import type { RawContainer } from './container-facts.ts';
import { ContainerNodes } from './container-nodes.ts';
import { ContainerRoster } from './container-roster.ts';
import { type DockerEngine, openDockerEngine } from './docker-engine.ts';

const NODE = 'broker/1';
const never = new AbortController().signal;
const recorded = join(import.meta.dirname, '..', '..', 'test', 'fixtures', 'docker', 'broker-1.json');

let fake: FakeEngine;
let id: string;
let engine: DockerEngine;
let directory: string;
let watch: ComposeWatch;
let nodes: ContainerNodes;

beforeEach(async () => {
  fake = await FakeEngine.start();
  const broker = JSON.parse(readFileSync(recorded, 'utf8')) as RawContainer;
  id = broker.Id;
  fake.containers.set(id, broker);
  engine = await openDockerEngine({ url: fake.url, because: 'this test' });
  directory = mkdtempSync(join(tmpdir(), 'ackproof-compose-watch-'));
  watch = new ComposeWatch(engine, [await engine.inspect(id)], directory);
  nodes = new ContainerNodes(engine, new ContainerRoster([{ node: NODE, id }]), () => Promise.resolve());
  watch.owner = nodes;
  await watch.start('lab', 0);
});

afterEach(async () => {
  await watch[Symbol.asyncDispose]();
  await fake.stop();
  rmSync(directory, { recursive: true, force: true });
});

const edge = (action: string, wallMs = systemClock.wall()): void =>
  fake.emit({ Type: 'container', Action: action, Actor: { ID: id, Attributes: {} }, timeNano: wallMs * 1_000_000 });

/** A gap in the engine's account, in which `act` happens. */
const gap = async (act: () => unknown = () => undefined): Promise<void> => {
  const before = watch.unwatched.length;
  const looks = (): number => fake.asked.filter((asked) => asked === `GET /containers/${id}/json`).length;
  await act();
  const looked = looks();
  fake.breakStreams();
  await expect.poll(() => watch.unwatched.filter(({ toMs }) => toMs !== undefined).length).toBe(before + 1);
  await expect.poll(looks).toBeGreaterThan(looked);
};

const restart = (startedAt: string): void => fake.change(id, { StartedAt: startedAt, Pid: 7000 });

test('the end of a container that nobody of us ended is told by its edge', async () => {
  edge('die');
  await expect.poll(() => [...watch.casualties]).toEqual([NODE]);
  expect(watch.unwatched).toEqual([]);
});

// Red before: the edge was in the gap, and nobody looked.
test('one that was restarted in a gap of the account has ended', async () => {
  await gap();
  expect(watch.unwatched).toMatchObject([{ toMs: expect.any(Number), why: expect.any(String) }]);
  expect([...watch.casualties]).toEqual([]);
  await gap(() => restart('2026-11-30T09:00:00.5Z'));
  await expect.poll(() => [...watch.casualties]).toEqual([NODE]);
});

test('so has one that does not run after a gap, and one that is not there', async () => {
  await gap(() => fake.change(id, { Running: false, Status: 'exited', Pid: 0 }));
  await expect.poll(() => [...watch.casualties]).toEqual([NODE]);
  watch.casualties.clear();
  fake.containers.delete(id);
  fake.breakStreams();
  await expect.poll(() => [...watch.casualties]).toEqual([NODE]);
});

test('a start that was told of before the gap is no restart in it', async () => {
  edge('start', Date.parse('2026-11-30T09:00:00.9Z'));
  await expect.poll(() => watch.hasTold(NODE, 'start', 0)).toBe(true);
  await gap(() => restart('2026-11-30T09:00:00.5Z'));
  expect([...watch.casualties]).toEqual([]);
});

// Red before: the edge of our own kill, told once more after the node was started again, was the end of a node by itself.
test('what we ended and started in a gap, or what is told of it later, is no end by itself', async () => {
  await gap(async () => {
    await nodes.kill(NODE, never);
    await nodes.start(NODE, never);
  });
  // By the engine's own clock, by which it was started anew a second later.
  edge('die', Date.parse('2026-11-30T05:59:59.5Z'));
  await expect.poll(() => watch.hasTold(NODE, 'die', 0)).toBe(true);
  expect([...watch.casualties]).toEqual([]);
});

test('a gap that lasts is told as one that lasts', async () => {
  await fake.stop();
  await expect.poll(() => watch.unwatched).toMatchObject([{ fromMs: expect.any(Number), why: expect.any(String) }]);
  expect(watch.unwatched[0]).not.toHaveProperty('toMs');
});
