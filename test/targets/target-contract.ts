// What every target keeps, whatever it is: written once, run for each kind where that kind can be had.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freshHex } from '../../src/random.ts';
import { connectS3Proxy } from '../../src/s3-proxy/proxy-client.ts';
import { offersOf, startTarget } from '../../src/targets/registry.ts';
import { servedBrokers } from '../../src/targets/served-addresses.ts';
import type { Address, Capabilities, CapabilityName, StartedTarget } from '../../src/targets/target.ts';
import { type TargetSpec, targetSpecSchema } from '../../src/targets/target-spec.ts';
import { runCommand } from '../../src/targets/user-command.ts';
import { calmVolumes, disturbVolumes, volumeDisturbances } from '../../src/targets/volume-io.ts';
import { ClusterClient } from '../../src/wire/cluster-client.ts';
import { changeSettings, describeSettings } from '../../src/wire/config-changes.ts';
import { accepts, processesOfRun } from './cluster-fixture.ts';

/** How to make a target of a kind, and one that cannot start. */
export interface Recipe {
  spec(): Readonly<Record<string, unknown>>;
  readonly broken: { readonly spec: Readonly<Record<string, unknown>>; readonly defects: readonly string[] };
  /** How often it is started and stopped for that alone, at least once. */
  readonly rounds: number;
  /** How many brokers are killed and started again. */
  readonly brokersToBreak: number;
  /** How a broker ends that was asked to, and how long it may take. */
  readonly orderly: { readonly exitCode: number; readonly graceMs: number };
  /** Whether what it runs are processes of the run on this machine. */
  readonly hasProcesses: boolean;
}

/** Somebody listens there, and keeps the connection: a port that is published for a proxy accepts even where that is closed. */
const holds = async (address: Address): Promise<boolean> =>
  await new Promise((resolve) => {
    const socket = connect(address.port, address.host);
    const timer = setTimeout(() => end(true), 200);
    const end = (isOpen: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
  });

const signal = AbortSignal.timeout(600_000);

/** For each capability: that it does its thing, and that afterwards everything is as before. */
const PROOFS: {
  readonly [C in CapabilityName]: (can: Required<Capabilities>, target: StartedTarget, recipe: Recipe) => Promise<void>;
} = {
  administration: async (_, { brokers: [broker], evidenceBootstrap, security }) => {
    const client = new ClusterClient({ bootstrap: evidenceBootstrap, clientId: 'contract', security });
    const resource = { type: 'broker', name: String(broker!.id) } as const;
    const name = 'message.max.bytes';
    const inForce = async () => (await describeSettings(client, resource, [name], { deadlineMs: 10_000 })).get(name);
    const before = await inForce();
    await changeSettings(client, resource, { [name]: '500000' }, { deadlineMs: 10_000 });
    await expect.poll(inForce).toEqual({ value: '500000', isOwn: true });
    await changeSettings(client, resource, { [name]: null }, { deadlineMs: 10_000 });
    await expect.poll(inForce).toEqual(before);
    client.close();
  },
  commands: async ({ commands: { named, folder } }) => {
    for (const [name, { healed: argv, env, timeoutMs }] of Object.entries(named)) {
      const { exitCode } = await runCommand({ what: name, argv, folder, env, timeoutMs }, signal);
      expect(exitCode).toBe(0);
    }
  },
  processes: async ({ processes }, target, { brokersToBreak, orderly }) => {
    for (const { node } of target.brokers.slice(0, brokersToBreak)) {
      const before = await processes.pause(node, signal);
      expect(await processes.state(node)).toBe('paused');
      await processes.resume(node, signal);
      expect(await processes.state(node)).toBe('running');
      expect(await processes.identity(node)).toEqual(before);
      expect(await processes.kill(node, signal)).toEqual(before);
      expect(await processes.state(node)).toBe('stopped');
      expect(await processes.start(node, signal)).not.toEqual(before);
      const { exitCode, graceMs } = orderly;
      expect(await processes.terminate(node, graceMs, signal)).toEqual({ exitCode });
      expect(await processes.state(node)).toBe('stopped');
      await processes.start(node, signal);
    }
    const spares = target.can.spares?.brokers ?? [];
    const members = processes.nodes.filter((node) => !spares.some((spare) => spare.node === node));
    expect(await Promise.all(members.map(async (node) => await processes.state(node)))).toEqual(
      members.map(() => 'running'),
    );
  },
  disks: async ({ disks, processes }, target, { brokersToBreak }) => {
    expect(disks.nodes).toEqual(target.brokers.map(({ node }) => node));
    for (const node of disks.nodes.slice(0, brokersToBreak)) {
      const before = await disks.look(node);
      expect(await disks.look(node)).toMatchObject({ directory: before.directory, directoryId: before.directoryId });
      await expect(disks.replace(node, 'new')).rejects.toMatchObject({ code: 'TARGET_NODE_RUNS' });
      await processes.kill(node, signal);
      await disks.replace(node, 'kept');
      const kept = await disks.look(node);
      expect(kept).toMatchObject({ directoryId: before.directoryId, partitions: 0, bytes: 0 });
      expect(kept.directory).not.toBe(before.directory);
      await disks.replace(node, 'new');
      expect((await disks.look(node)).directoryId).not.toBe(before.directoryId);
      await processes.start(node, signal);
    }
  },
  containers: async ({ containers }, { brokers: [broker] }) => {
    const node = broker!.node;
    const before = {
      limits: await containers.limits(node, signal),
      endpoints: await containers.endpoints(node, signal),
    };
    await containers.setLimits(node, { cpuQuotaUs: 50_000 }, signal);
    expect(await containers.limits(node, signal)).toEqual({ ...before.limits, cpuQuotaUs: 50_000 });
    await containers.setLimits(node, before.limits, signal);
    for (const { networkId } of before.endpoints) await containers.disconnect(node, networkId, signal);
    expect(await containers.endpoints(node, signal)).toEqual([]);
    for (const endpoint of before.endpoints) await containers.connect(node, endpoint, signal);
    expect({
      limits: await containers.limits(node, signal),
      endpoints: await containers.endpoints(node, signal),
    }).toEqual(before);
    expect((await containers.usage(node, signal)).memoryBytes).toBeGreaterThan(0);
  },
  links: async ({ links }) => {
    for (const { admin, proxy, listen, upstream } of links.all) {
      const set = async (enabled: boolean): Promise<void> => {
        const url = `http://${admin.host}:${admin.port}/proxies/${proxy}`;
        const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ enabled }), signal });
        expect(await answer.json()).toMatchObject({ enabled });
      };
      expect(await holds(listen), proxy).toBe(true);
      await set(false);
      expect([await holds(listen), await holds(upstream)], proxy).toEqual([false, true]);
      await set(true);
      expect(await holds(listen), proxy).toBe(true);
    }
  },
  storeProxy: async ({ storeProxy, objectStore }) => {
    for (const { admin, listener, listen } of storeProxy.all) {
      const proxy = connectS3Proxy(admin);
      const ask = async (): Promise<number> => {
        const url = `http://${listen.host}:${listen.port}/${objectStore.bucket}?list-type=2&prefix=none/`;
        return (await fetch(url, { signal })).status;
      };
      expect(await ask(), listener).toBe(200);
      const action = { kind: 'status', status: 412 } as const;
      await proxy.addRule({ id: 'contract', ttlMs: 60_000, match: { listener, keyPrefix: 'none/' }, action });
      expect(await ask(), listener).toBe(412);
      expect((await proxy.counters()).rules['contract']).toMatchObject({ acted: 1 });
      expect(await proxy.removeRule('contract')).toBe(true);
      expect(await ask(), listener).toBe(200);
    }
  },
  volumeIo: async ({ volumeIo: { admin } }) => {
    const names = async () => (await volumeDisturbances(admin, signal)).map(({ name }) => name);
    const body = { kind: 'latency', volumes: ['nobody-'], methods: ['sync'], ttlMs: 60_000, latencyMs: 1 } as const;
    await disturbVolumes(admin, 'contract', body, signal);
    expect(await names()).toEqual(['contract']);
    await calmVolumes(admin, 'contract', signal);
    expect(await names()).toEqual([]);
  },
  spares: async ({ spares, processes }, target, { orderly }) => {
    for (const { node, advertised } of spares.brokers) {
      expect([await processes.state(node), target.brokers.some((broker) => broker.node === node)]).toEqual([
        'stopped',
        false,
      ]);
      await processes.start(node, signal);
      const known = async () => (await servedBrokers(target.bootstrap[0]!, 5_000, signal)).length;
      await expect.poll(known, { timeout: 30_000 }).toBe(target.brokers.length + 1);
      expect(await accepts(advertised)).toBe(true);
      await processes.terminate(node, orderly.graceMs, signal);
    }
  },
  objectStore: async ({ objectStore: store }) => {
    const key = `${store.dataPrefix}contract-test`;
    const keys = async (): Promise<readonly string[]> => (await store.list(key, signal)).map((object) => object.key);
    expect(await store.get(key, signal)).toBeUndefined();
    await store.put(key, Buffer.from('some bytes'), signal);
    expect(Buffer.from((await store.get(key, signal)) ?? []).toString()).toBe('some bytes');
    expect(await keys()).toEqual([key]);
    await store.remove(key, signal);
    expect(await store.get(key, signal)).toBeUndefined();
    expect(await keys()).toEqual([]);
  },
  cooling: async ({ cooling, brokerStats }, target) => {
    await cooling.cool(signal);
    for (const { stats } of await brokerStats.read(signal)) {
      expect(stats).toMatchObject({ backlogBytes: 0, cachedBytes: 0, recovering: 0 });
    }
    expect(await Promise.all(target.bootstrap.map(accepts))).toEqual(target.bootstrap.map(() => true));
  },
  brokerStats: async ({ brokerStats }, target) => {
    const nodes = (await brokerStats.read(signal)).map(({ node }) => node);
    expect(nodes).toEqual(target.brokers.map(({ node }) => node));
  },
};

const CAPABILITIES = Object.keys(PROOFS).sort() as readonly CapabilityName[];

const specOf = (kind: string, more: Readonly<Record<string, unknown>>): TargetSpec =>
  targetSpecSchema.parse({ apiVersion: 'ackproof/v1', kind, ...more });

/** What a target leaves besides its logs. */
const leftIn = (directory: string): readonly string[] => readdirSync(directory).filter((name) => name !== 'logs');

const describeKind = (kind: string, recipe: Recipe): void => {
  const offers = offersOf(specOf(kind, recipe.spec()));
  let runDirectory: string;

  beforeEach(() => {
    runDirectory = mkdtempSync(join(tmpdir(), 'ackproof-target-'));
  });

  afterEach(() => {
    rmSync(runDirectory, { recursive: true, force: true });
  });

  const start = async (runId: string, directory = runDirectory): Promise<StartedTarget> =>
    await startTarget(specOf(kind, recipe.spec()), { runId, runDirectory: directory, defects: [], signal });

  test('starts and stops, again where that is quick, and leaves nothing of its own', async () => {
    for (let round = 1; round <= recipe.rounds; round++) {
      const runId = `twice-${round}-${freshHex(6)}`;
      const target = await start(runId);
      expect(target).toMatchObject({ kind, description: { kind } });
      expect(await servedBrokers(target.bootstrap[0]!, 5_000, signal)).toHaveLength(target.brokers.length);
      expect(processesOfRun(runId).length > 0).toBe(recipe.hasProcesses);
      await target[Symbol.asyncDispose]();
      expect(processesOfRun(runId)).toEqual([]);
      expect(leftIn(runDirectory)).toEqual([]);
      expect(await accepts(target.bootstrap[0]!)).toBe(!target.ephemeral);
    }
  });

  test('that cannot start says why, and leaves nothing', async () => {
    const { spec, defects } = recipe.broken;
    const runId = `broken-${freshHex(6)}`;
    const starting = startTarget(specOf(kind, spec), { runId, runDirectory, defects, signal });
    await expect(starting).rejects.toMatchObject({ name: expect.stringMatching(/Error$/u), code: expect.any(String) });
    expect(processesOfRun(runId)).toEqual([]);
    expect(leftIn(runDirectory)).toEqual([]);
  });

  describe('once started', () => {
    let target: StartedTarget;
    let directory: string;

    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), 'ackproof-target-'));
      target = await start(`can-${freshHex(6)}`, directory);
    });

    afterAll(async () => {
      await target[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    });

    test('can do what it was said to offer before it was started, and nothing else', () => {
      expect(Object.keys(target.can).sort()).toEqual([...offers]);
      for (const name of CAPABILITIES) expect(target.can[name] !== undefined).toBe(offers.includes(name));
    });

    test.for([...offers])('does %s, and undoes it', async (name) => {
      await PROOFS[name](target.can as Required<Capabilities>, target, recipe);
      expect(target.casualties?.() ?? []).toEqual([]);
      const served = async (): Promise<number> => (await servedBrokers(target.bootstrap[0]!, 5_000, signal)).length;
      await expect.poll(served).toBe(target.brokers.length);
    });
  });
};

/** The whole contract, for one kind. */
export const describeTarget = (kind: string, recipe: Recipe): void => {
  describe(`a target of kind ${kind}`, () => describeKind(kind, recipe));
};
