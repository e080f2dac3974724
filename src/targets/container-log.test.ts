import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeEngine } from '../../test/support/fake-engine.ts';
import type { RawContainer } from './container-facts.ts';
import { ContainerLog } from './container-log.ts';
import { openDockerEngine } from './docker-engine.ts';

const recorded = join(import.meta.dirname, '..', '..', 'test', 'fixtures', 'docker', 'broker-1.json');

let fake: FakeEngine;
let id: string;
let directory: string;
let file: string;
let log: ContainerLog;

beforeEach(async () => {
  fake = await FakeEngine.start();
  const broker = JSON.parse(readFileSync(recorded, 'utf8')) as RawContainer;
  id = broker.Id;
  fake.containers.set(id, broker);
  directory = mkdtempSync(join(tmpdir(), 'ackproof-container-log-'));
  file = join(directory, 'broker-1.log');
  log = new ContainerLog(await openDockerEngine({ url: fake.url, because: 'this test' }), id, file);
  await log.follow(0);
});

afterEach(async () => {
  await log[Symbol.asyncDispose]();
  await fake.stop();
  rmSync(directory, { recursive: true, force: true });
});

const written = (): string => readFileSync(file, 'utf8');
const looks = (): number => fake.asked.filter((asked) => asked === `GET /containers/${id}/json`).length;

// Red before: nobody followed it any more, and the rest of the run found no bad sign in it.
test('a log that breaks while its container runs is followed again', async () => {
  fake.print(id, 'one\n');
  await expect.poll(written).toBe('one\n');
  fake.breakLogs();
  await expect.poll(() => fake.openLogs).toBe(1);
  fake.print(id, 'two\n');
  await expect.poll(written).toBe('one\ntwo\n');
});

test('one that ends with its container is followed when that is started again', async () => {
  fake.change(id, { Running: false, Status: 'exited', Pid: 0 });
  fake.breakLogs();
  await expect.poll(looks).toBe(1);
  expect(fake.openLogs).toBe(0);
  fake.change(id, { Running: true, Status: 'running', Pid: 7 });
  await log.follow(5);
  fake.print(id, 'again\n');
  await expect.poll(written).toBe('again\n');
  expect([fake.openLogs, looks()]).toEqual([1, 1]);
});

test('a stream that comes when nobody wants it any more is let go of', async () => {
  const late = new ContainerLog(await openDockerEngine({ url: fake.url, because: 'this test' }), id, file);
  const following = late.follow(0);
  await late[Symbol.asyncDispose]();
  await following;
  await expect.poll(() => fake.openLogs).toBe(1);
  fake.print(id, 'late\n');
  await expect.poll(written).toBe('late\n');
});
