import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeEngine } from '../../test/support/fake-engine.ts';
import type { PacketDisturbance } from './container-control.ts';
import type { RawContainer } from './container-facts.ts';
import { ContainerRoster } from './container-roster.ts';
import { openDockerEngine } from './docker-engine.ts';
import { NodeContainers } from './node-containers.ts';
import { disturbanceCommand, readDisturbanceLook } from './packet-disturbance.ts';

const NODE = 'broker/1';
const signal = AbortSignal.timeout(60_000);
const recorded = join(import.meta.dirname, '..', '..', 'test', 'fixtures', 'docker', 'broker-1.json');
const LOSS: PacketDisturbance = { name: 'ackproof-r-loss', runId: 'r', how: 'loss', share: 0.1, correlation: 0.25 };
const COUNTED = `Tcp: RtoAlgorithm RetransSegs InErrs
Tcp: 1 7 0
TcpExt: SyncookiesSent TCPDSACKRecv TCPSACKReorder
TcpExt: 0 3 2
all of it looked at
`;
const DISTURBED = `qdisc noqueue 0: dev lo root refcnt 2
 Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)
qdisc netem ac0f: dev eth0 root refcnt 2 limit 1000 loss 10%
 Sent 5000 bytes 40 pkt (dropped 4, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
qdisc netem 8001: dev eth1 root refcnt 2 limit 1000 loss 10%
 Sent 9 bytes 9 pkt (dropped 9, overlimits 0 requeues 0)
${COUNTED}`;

let fake: FakeEngine;
let id: string;
let containers: NodeContainers;
let scripts: string[];

beforeEach(async () => {
  fake = await FakeEngine.start();
  const broker = JSON.parse(readFileSync(recorded, 'utf8')) as RawContainer;
  id = broker.Id;
  fake.containers.set(id, broker);
  scripts = [];
  const engine = await openDockerEngine({ url: fake.url, because: 'this test' });
  containers = new NodeContainers(engine, new ContainerRoster([{ node: NODE, id }]));
});

afterEach(async () => {
  await fake.stop();
});

const prints = (text: string): void => {
  fake.prints = (script) => {
    scripts.push(script);
    return text;
  };
};

test('only our own discipline counts, and what its packets and the peers tell', () => {
  const counted = { resent: 7, twice: 3, outOfOrder: 2 };
  const inForce = [{ loss: 0.1 }];
  expect(readDisturbanceLook(DISTURBED)).toEqual({ interfaces: 1, inForce, packets: 40, dropped: 4, ...counted });
  expect(readDisturbanceLook(COUNTED)).toEqual({ interfaces: 0, inForce: [], packets: 0, dropped: 0, ...counted });
});

test('the share that is in force is read of each kind, and its correlation is no share', () => {
  const shown = `qdisc netem ac0f: dev eth0 root refcnt 2 limit 1000 delay 20.0ms  reorder 12.5% 50% gap 1\n${COUNTED}`;
  expect(readDisturbanceLook(shown).inForce).toEqual([{ reorder: 0.125 }]);
  expect(readDisturbanceLook(shown.replace('reorder', 'duplicate')).inForce).toEqual([{ duplicate: 0.125 }]);
});

test('a kernel without netem, and an image without tc, are told apart', async () => {
  prints('Error: Specified qdisc kind is unknown.\n');
  const refused = containers.refuseUndisturbable(NODE, 'r', signal);
  await expect(refused).rejects.toMatchObject({ code: 'NETEM_MISSING', hint: expect.stringContaining('modprobe') });
  prints('no-tc\n/bin/sh: tc: not found\n');
  await expect(containers.refuseUndisturbable(NODE, 'r', signal)).rejects.toMatchObject({ code: 'NETEM_NO_TC' });
  prints('has-netem\n');
  await containers.refuseUndisturbable(NODE, 'r', signal);
  // The container on which it was tried is gone again.
  expect([...fake.containers.keys()]).toEqual([id]);
});

test('it is held by a container that shares the network, and a discipline of somebody else is never replaced', async () => {
  prints('held\n');
  await containers.disturb(NODE, LOSS, signal);
  const holding = [...fake.containers.values()].at(-1);
  expect(holding?.HostConfig).toMatchObject({ NetworkMode: `container:${id}`, CapAdd: ['NET_ADMIN'] });
  expect(holding?.Config.Labels).toMatchObject({
    'ackproof.run': 'r',
    'ackproof.owner': expect.stringContaining(` ${process.pid} `) as string,
    'ackproof.disturbs': 'ackproof-r-loss',
  });
  expect(scripts.join('\n')).toContain('netem loss 10% 25%');
  prints('foreign eth0\n');
  await expect(containers.disturb(NODE, LOSS, signal)).rejects.toThrow(/eth0 has a queueing discipline already/u);
  // Red before: the one that was refused stayed beside a project that is somebody else's.
  expect([...fake.containers.keys()]).toEqual([id, holding?.Id]);
});

// Red before: whoever was slow to answer, or to begin, stayed.
test.each(['/logs', '/start'])('no helper is left where the engine does not answer for its %s', async (silentOn) => {
  prints('held\n');
  fake.silentOn = silentOn;
  await expect(containers.disturb(NODE, LOSS, AbortSignal.timeout(300))).rejects.toThrow();
  fake.silentOn = undefined;
  await expect.poll(() => [...fake.containers.keys()]).toEqual([id]);
});

test('packets that are put in another order are late as well, or none could overtake', async () => {
  prints('held\n');
  await containers.disturb(NODE, { ...LOSS, how: 'reorder', correlation: 0 }, signal);
  expect(scripts.join('\n')).toContain('netem delay 20ms reorder 10% ||');
});

test('its end is seen, and told where it is not', async () => {
  prints('held\n');
  await containers.disturb(NODE, LOSS, signal);
  prints(COUNTED);
  await containers.endDisturbance(NODE, LOSS, signal);
  expect([...fake.containers.keys()]).toEqual([id]);
  prints(DISTURBED);
  await expect(containers.endDisturbance(NODE, LOSS, signal)).rejects.toMatchObject({ code: 'NETEM_NOT_REMOVED' });
});

test('a container that does not run has no network that could be disturbed', async () => {
  fake.change(id, { Running: false, Status: 'exited', Pid: 0 });
  expect(await containers.disturbanceState(NODE)).toMatchObject({ interfaces: 0 });
  expect(disturbanceCommand(LOSS, 'c1')).toMatch(/label=ackproof\.disturbs=ackproof-r-loss.*--network container:c1/u);
});

// Red before: a look that was cut short read as one that found nothing.
test('a look that is not whole tells nothing', async () => {
  expect(() => readDisturbanceLook('')).toThrow(/no answer/u);
  expect(() => readDisturbanceLook(DISTURBED.slice(0, 300))).toThrow(/Nobody can tell/u);
  prints('');
  await expect(containers.disturbanceState(NODE)).rejects.toMatchObject({ code: 'NETEM_NOT_READ' });
  await expect(containers.disturbanceLeft(NODE, LOSS)).rejects.toMatchObject({ code: 'NETEM_NOT_READ' });
});

// Red before: what is done to the packets of a paused container goes on, and was taken for gone.
test('a paused container is looked at, and set free, from beside it', async () => {
  prints(DISTURBED);
  fake.change(id, { Paused: true, Status: 'paused' });
  expect(await containers.disturbanceLeft(NODE, LOSS)).toEqual({ interfaces: 1, holders: 0 });
  expect(fake.asked.filter((each) => each.includes('exec'))).toEqual([]);
  prints(COUNTED);
  await containers.endDisturbance(NODE, LOSS, signal);
  expect(scripts.join('\n')).toContain('tc qdisc del');
  expect([...fake.containers.keys()]).toEqual([id]);
});

// Red before: "removal is already in progress", as after a Ctrl-C while it was being started, was a heal that had failed.
test('who holds it and is being removed already is waited for', async () => {
  prints('held\n');
  await containers.disturb(NODE, LOSS, signal);
  const [, holder = ''] = [...fake.containers.keys()];
  fake.beingRemoved.add(holder);
  prints(COUNTED);
  await containers.endDisturbance(NODE, LOSS, signal);
  expect([...fake.containers.keys()]).toEqual([id]);
});

test('who holds it is left over also where the container has ended', async () => {
  prints('held\n');
  await containers.disturb(NODE, LOSS, signal);
  fake.change(id, { Running: false, Status: 'exited', Pid: 0 });
  expect(await containers.disturbanceLeft(NODE, LOSS)).toEqual({ interfaces: 0, holders: 1 });
  await containers.endDisturbance(NODE, LOSS, signal);
  expect([...fake.containers.keys()]).toEqual([id]);
});
