import { hostname } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeEngine } from '../../test/support/fake-engine.ts';
import { type DockerEngine, openDockerEngine } from './docker-engine.ts';
import { lockOwnerIsThere, lockProject, unlockProjects } from './project-lock.ts';

let fake: FakeEngine;
let engine: DockerEngine;

beforeEach(async () => {
  fake = await FakeEngine.start();
  engine = await openDockerEngine({ url: fake.url, because: 'this test' });
});

afterEach(async () => {
  await fake.stop();
});

/** The lock of a project, held by another process than this one. */
const heldBy = (owner: string): void => {
  const Labels = { 'ackproof.lock': 'shop', 'ackproof.run': 'r-1', 'ackproof.owner': owner };
  fake.volumes.set('ackproof-lock-shop', { Name: 'ackproof-lock-shop', Labels, Options: null });
};

test('a project is locked by one run at a time, and free again once that gives it back', async () => {
  await lockProject(engine, 'shop', 'r-1');
  await expect(lockProject(engine, 'shop', 'r-2')).rejects.toMatchObject({
    code: 'TARGET_LOCKED',
    message: expect.stringMatching(/"shop" is in use by run r-1 \(process \d+ on /u),
    hint: 'Wait for that run to end.',
  });
  await lockProject(engine, 'other', 'r-2');
  await unlockProjects(engine, 'r-1');
  await unlockProjects(engine, 'r-1');
  await lockProject(engine, 'shop', 'r-2');
  expect([...fake.volumes.keys()]).toEqual(['ackproof-lock-other', 'ackproof-lock-shop']);
});

test('a lock whose owner is dead is told with what to do, and taken over by nobody', async () => {
  heldBy(`${hostname()} ${2 ** 22 - 1} 1`);
  await expect(lockProject(engine, 'shop', 'r-2')).rejects.toMatchObject({
    message: expect.stringContaining('whose process is gone'),
    hint: expect.stringMatching(/heal --run r-1; .*docker volume rm ackproof-lock-shop/u),
  });
  expect(await lockOwnerIsThere(engine, 'r-1')).toBe(false);
});

test('of an owner on another machine nobody can say that it is dead', async () => {
  heldBy('elsewhere 12 34');
  await expect(lockProject(engine, 'shop', 'r-2')).rejects.toMatchObject({ hint: 'Wait for that run to end.' });
  expect(await lockOwnerIsThere(engine, 'r-1')).toBeUndefined();
  expect(await lockOwnerIsThere(engine, 'r-9')).toBeUndefined();
});
