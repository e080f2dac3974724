import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeEngine } from '../../test/support/fake-engine.ts';
import { type ContainerFacts, containerFacts, type RawContainer } from './container-facts.ts';
import { type DockerEngine, openDockerEngine } from './docker-engine.ts';
import { fillCommand, findLogVolume } from './volume-fill.ts';

const signal = AbortSignal.timeout(60_000);
const recorded = join(import.meta.dirname, '..', '..', 'test', 'fixtures', 'docker', 'broker-1.json');

let fake: FakeEngine;
let engine: DockerEngine;

beforeEach(async () => {
  fake = await FakeEngine.start();
  engine = await openDockerEngine({ url: fake.url, because: 'this test' });
});

afterEach(async () => {
  await fake.stop();
});

/** The recorded broker, with its log on a volume that was made with these options. */
const brokerOn = (Options: Readonly<Record<string, string>> | null): ContainerFacts => {
  fake.volumes.set('log-1', { Name: 'log-1', Labels: null, Options });
  const raw = JSON.parse(readFileSync(recorded, 'utf8')) as RawContainer;
  const mount = { Type: 'volume', Name: 'log-1', Destination: '/var/lib/kafka/data' };
  return containerFacts({ ...raw, Mounts: [{ Type: 'bind', Destination: '/var' }, mount] });
};

const isCapped = async (options: Readonly<Record<string, string>> | null): Promise<boolean | undefined> =>
  (await findLogVolume(engine, brokerOn(options), signal))?.isCapped;

test('only a volume with a size of its own counts as one that can be filled', async () => {
  expect(await isCapped({ type: 'tmpfs', device: 'tmpfs', o: 'mode=1777,size=64m' })).toBe(true);
  expect(await isCapped({ type: 'ext4', device: '/srv/log.img', o: 'loop' })).toBe(true);
  expect(await isCapped({ type: 'tmpfs', device: 'tmpfs', o: '' })).toBe(false);
  expect(await isCapped({ type: 'none', device: '/srv/log', o: 'bind' })).toBe(false);
  expect(await isCapped(null)).toBe(false);
});

test('the log is looked for in the innermost volume, and is none where it may be anywhere', async () => {
  const facts = brokerOn(null);
  expect(await findLogVolume(engine, facts, signal)).toMatchObject({ directory: '/var/lib/kafka/data' });
  const elsewhere = { ...facts, environment: { KAFKA_LOG_DIRS: '/data/log' } };
  expect(await findLogVolume(engine, elsewhere, signal)).toEqual({ directory: '/data/log', isCapped: false });
  const many = { ...facts, environment: { KAFKA_LOG_DIRS: '/data/1,/data/2' } };
  expect(await findLogVolume(engine, many, signal)).toBeUndefined();
  expect(await findLogVolume(engine, { ...facts, environment: {} }, signal)).toBeUndefined();
});

test('what is done by hand names the container that fills and the file that it left', () => {
  const fill = { name: 'ackproof-r-fill', runId: 'r', directory: '/data', leaveBytes: 0 };
  expect(fillCommand(fill, 'c1')).toMatch(
    /label=ackproof\.fill=ackproof-r-fill.*--volumes-from c1 .*-f \/data\/\.ackproof-r-fill$/u,
  );
});
