import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeEngine } from '../../test/support/fake-engine.ts';
import { type ContainerEdge, ContainerEdges, type EdgeGap, parseEdge } from './container-edges.ts';
import { containerFacts, type RawContainer } from './container-facts.ts';
import { containerState, startContainer, unpauseContainer } from './container-heal.ts';
import { ContainerNodes } from './container-nodes.ts';
import { ContainerRoster } from './container-roster.ts';
import { type DockerEngine, openDockerEngine } from './docker-engine.ts';
import { FrameStripper } from './frame-stripper.ts';

const recorded = (name: string): RawContainer =>
  JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', 'test', 'fixtures', 'docker', `${name}.json`), 'utf8'),
  ) as RawContainer;

const signal = AbortSignal.timeout(60_000);
const ready = async (): Promise<void> => await Promise.resolve();

let fake: FakeEngine;
let engine: DockerEngine;
let id: string;

beforeEach(async () => {
  fake = await FakeEngine.start();
  const broker = recorded('broker-1');
  id = broker.Id;
  fake.containers.set(id, broker);
  engine = await openDockerEngine({ url: fake.url, because: 'this test' });
});

afterEach(async () => {
  await fake.stop();
});

test('a container as a 20.10 engine tells it: state, environment, names in its network, published ports', () => {
  expect(containerFacts(recorded('broker-1'))).toMatchObject({
    id,
    name: 'lab_broker-1_1',
    status: 'running',
    pid: 19746,
    startedAtMs: Date.parse('2026-11-30T05:48:07.745Z'),
    health: 'healthy',
    environment: { KAFKA_NODE_ID: '1', KAFKA_BROKER_SESSION_TIMEOUT_MS: '6000' },
    networks: [{ name: 'lab_m1', address: '172.18.0.3', aliases: ['broker-1', '9f5532f65739'] }],
    published: [{ containerPort: 9095, host: '127.0.0.1', port: 29191 }],
  });
});

test('names of a newer engine and ports on every address are understood as well', () => {
  const raw = recorded('broker-1');
  const facts = containerFacts({
    ...raw,
    NetworkSettings: {
      Networks: {
        m1: { NetworkID: 'n', IPAddress: '10.0.0.2', Aliases: null, DNSNames: ['lab-broker-1-1', 'broker-1'] },
      },
      Ports: { '9095/tcp': [{ HostIp: '0.0.0.0', HostPort: '7' }], '9095/udp': [{ HostIp: '', HostPort: '8' }] },
    },
  });
  expect(facts.networks[0]?.aliases).toEqual(['lab-broker-1-1', 'broker-1']);
  expect(facts.published).toEqual([{ containerPort: 9095, host: '127.0.0.1', port: 7, everywhere: true }]);
});

test('containers are found by labels, all of which must be there', async () => {
  expect(await engine.containerIds({ 'com.docker.compose.project': 'lab', 'ackproof.node': '' })).toEqual([id]);
  expect(await engine.containerIds({ 'com.docker.compose.project': 'other' })).toEqual([]);
});

test('an engine too new for us is refused with what to do', async () => {
  const newer = await FakeEngine.start({ apiVersion: '1.99', minApiVersion: '1.60' });
  const opening = openDockerEngine({ url: newer.url, because: 'this test' });
  await expect(opening).rejects.toMatchObject({ code: 'DOCKER_API_VERSION', hint: 'Use a newer ackproof.' });
  await newer.stop();
});

test('no engine at all is a sentence with what to do', async () => {
  const opening = openDockerEngine({ url: 'unix:///no/such/docker.sock', because: 'this test' });
  await expect(opening).rejects.toMatchObject({
    code: 'DOCKER_NOT_FOUND',
    hint: expect.stringContaining('DOCKER_HOST'),
  });
});

test('a container that was removed, or is in another state, is told apart by the status code', async () => {
  await expect(engine.inspect('0'.repeat(64))).rejects.toMatchObject({ code: 'DOCKER_NOT_THERE' });
  await expect(engine.unpause(id)).rejects.toMatchObject({ code: 'DOCKER_CONFLICT' });
});

test('a call that gets no answer ends when its signal does', async () => {
  fake.silentOn = '/json';
  await expect(engine.inspect(id, AbortSignal.timeout(50))).rejects.toMatchObject({ name: 'TimeoutError' });
});

test('a node is killed, seen to be gone, and started as another process', async () => {
  const nodes = new ContainerNodes(engine, new ContainerRoster([{ node: 'broker/1', id }]), ready);
  const before = await nodes.identity('broker/1');
  expect(before).toEqual({
    pid: 19746,
    startedAt: Date.parse('2026-11-30T05:48:07.745Z'),
    container: { engine: fake.url, id },
  });
  expect(await nodes.kill('broker/1', signal)).toEqual(before);
  expect([await nodes.state('broker/1'), nodes.isEndedByUs('broker/1')]).toEqual(['stopped', true]);
  expect(await nodes.start('broker/1', signal)).not.toEqual(before);
  expect([await nodes.state('broker/1'), nodes.isEndedByUs('broker/1')]).toEqual(['running', false]);
});

// Red before: an end was compared with our own clock, which need not be that of the engine: told late it was nobody's, and the node's
// own end soon after its start was ours.
test('whose doing an end was that is told late, the engine’s clock alone decides', async () => {
  const nodes = new ContainerNodes(engine, new ContainerRoster([{ node: 'broker/1', id }]), ready);
  const firstLife = Date.parse('2026-11-30T05:48:07.745Z');
  await nodes.kill('broker/1', signal);
  await nodes.start('broker/1', signal);
  const secondLife = Date.parse('2026-11-30T06:00:00.5Z');
  expect(nodes.isEndedByUs('broker/1', firstLife + 60_000)).toBe(true);
  expect(nodes.isEndedByUs('broker/1', firstLife - 1)).toBe(false);
  expect(nodes.isEndedByUs('broker/1', secondLife + 1)).toBe(false);
  expect(nodes.isEndedByUs('broker/1', Date.now())).toBe(false);
});

test('a node that ended behind our back is gone, not stopped', async () => {
  const nodes = new ContainerNodes(engine, new ContainerRoster([{ node: 'broker/1', id }]), ready);
  fake.change(id, { Running: false, Status: 'exited', Pid: 0 });
  expect(await nodes.state('broker/1')).toBe('gone');
  await expect(nodes.kill('broker/1', signal)).rejects.toMatchObject({ code: 'TARGET_NODE_NOT_RUNNING' });
});

test('a node that somebody else has started meanwhile is no error', async () => {
  const nodes = new ContainerNodes(engine, new ContainerRoster([{ node: 'broker/1', id }]), ready);
  expect(await nodes.start('broker/1', signal)).toMatchObject({ pid: 19746 });
  await startContainer({ engine: fake.url, id }, signal);
  expect(fake.asked.filter((asked) => asked.endsWith('/start'))).toHaveLength(2);
});

test('pausing what is paused already is no error, and an unknown node is', async () => {
  const nodes = new ContainerNodes(engine, new ContainerRoster([{ node: 'broker/1', id }]), ready);
  await nodes.pause('broker/1', signal);
  await nodes.pause('broker/1', signal);
  expect(await nodes.state('broker/1')).toBe('paused');
  await nodes.resume('broker/1', signal);
  await nodes.resume('broker/1', signal);
  expect(await nodes.state('broker/1')).toBe('running');
  await expect(nodes.state('broker/9')).rejects.toMatchObject({ code: 'TARGET_NO_SUCH_NODE' });
});

test('a process that knows only the reference puts a container back, and sees that one is removed', async () => {
  const reference = { engine: fake.url, id };
  fake.change(id, { Paused: true, Status: 'paused' });
  expect(await containerState(reference)).toBe('paused');
  await unpauseContainer(reference, signal);
  fake.change(id, { Running: false, Status: 'exited', Pid: 0 });
  expect(await containerState(reference)).toBe('gone');
  await startContainer(reference, signal);
  expect(await containerState(reference)).toBe('running');
  fake.containers.delete(id);
  expect(await containerState(reference)).toBeUndefined();
});

test('edges are followed across a broken stream, and the gap is marked', async () => {
  const told: (ContainerEdge | EdgeGap)[] = [];
  const edges = await ContainerEdges.open(engine, {}, (edge) => told.push(edge));
  fake.emit({
    Type: 'container',
    Action: 'pause',
    Actor: { ID: id, Attributes: {} },
    timeNano: 1_796_018_716_560_000_000,
  });
  await expect.poll(() => told.length).toBe(1);
  fake.breakStreams();
  await expect.poll(() => fake.openStreams).toBe(1);
  fake.emit({ Type: 'container', Action: 'died', Actor: { ID: id }, time: 1_796_018_999 });
  await expect.poll(() => told.length).toBe(3);
  await edges[Symbol.asyncDispose]();
  expect(told).toMatchObject([
    { action: 'pause', id, wallMs: 1_796_018_716_560 },
    { gapFromMs: expect.any(Number), why: expect.any(String) },
    { action: 'die', id, wallMs: 1_796_018_999_000 },
  ]);
  await expect.poll(() => fake.openStreams).toBeLessThanOrEqual(1);
});

test('what is no line about a container is left out', () => {
  expect(parseEdge('{"Action":"connect"}')).toBeUndefined();
  expect(parseEdge('torn {')).toBeUndefined();
});

test('the frames of a log lose their headers wherever the chunks are cut', () => {
  const frame = (text: string): Buffer => {
    const header = Buffer.alloc(8);
    header[0] = 1;
    header.writeUInt32BE(Buffer.byteLength(text), 4);
    return Buffer.concat([header, Buffer.from(text)]);
  };
  const whole = Buffer.concat([frame('one\n'), frame(''), frame('two\n')]);
  for (let cut = 0; cut <= whole.length; cut++) {
    const stripper = new FrameStripper();
    const parts = [stripper.take(whole.subarray(0, cut)), stripper.take(whole.subarray(cut))];
    expect(Buffer.concat(parts).toString()).toBe('one\ntwo\n');
  }
});
