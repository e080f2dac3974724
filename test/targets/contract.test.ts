// What every target of the registry keeps, whatever it is: written once, run for all. The embedded cluster is the real one, with
// one broker; an external cluster is a fake that only has to be there.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freshHex } from '../../src/random.ts';
import { startTarget, TARGET_REGISTRY } from '../../src/targets/registry.ts';
import { servedBrokers } from '../../src/targets/served-addresses.ts';
import type { Capabilities, CapabilityName, StartedTarget } from '../../src/targets/target.ts';
import { type TargetSpec, targetSpecSchema } from '../../src/targets/target-spec.ts';
import { FakeCluster } from '../support/fake-cluster.ts';
import { accepts, processesOfRun, signal } from './cluster-fixture.ts';

/** How to make a target of each kind, and one that cannot start. */
interface Recipe {
  spec(cluster: FakeCluster): Readonly<Record<string, unknown>>;
  readonly broken: { readonly spec: Readonly<Record<string, unknown>>; readonly defects: readonly string[] };
}

const RECIPES: Readonly<Record<string, Recipe>> = {
  embedded: { spec: () => ({ brokers: 1 }), broken: { spec: { brokers: 1 }, defects: ['no-such-defect'] } },
  external: {
    spec: ({ bootstrap }) => ({ bootstrapServers: bootstrap.map(({ host, port }) => `${host}:${port}`) }),
    broken: { spec: { bootstrapServers: ['127.0.0.1:1'] }, defects: [] },
  },
};

const recipeOf = (kind: string): Recipe => {
  const recipe = RECIPES[kind];
  if (recipe === undefined) throw new Error(`Tell this test how a target of kind ${kind} is made.`);
  return recipe;
};

/** For each capability: that it does its thing, and that afterwards everything is as before. */
const PROOFS: {
  readonly [C in CapabilityName]: (can: Required<Capabilities>, target: StartedTarget) => Promise<void>;
} = {
  processes: async ({ processes }, target) => {
    for (const { node } of target.brokers) {
      const before = await processes.pause(node, signal);
      expect(await processes.state(node)).toBe('paused');
      await processes.resume(node, signal);
      expect(await processes.state(node)).toBe('running');
      expect(await processes.identity(node)).toEqual(before);
      expect(await processes.kill(node, signal)).toEqual(before);
      expect(await processes.state(node)).toBe('stopped');
      expect(await processes.start(node, signal)).not.toEqual(before);
      expect(await processes.terminate(node, 5_000, signal)).toEqual({ exitCode: 0 });
      expect(await processes.state(node)).toBe('stopped');
      await processes.start(node, signal);
    }
    expect(await Promise.all(processes.nodes.map(async (node) => await processes.state(node)))).toEqual(
      processes.nodes.map(() => 'running'),
    );
  },
  links: async ({ links }) => {
    for (const { admin, proxy, listen, upstream } of links.all) {
      const set = async (enabled: boolean): Promise<void> => {
        const url = `http://${admin.host}:${admin.port}/proxies/${proxy}`;
        const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ enabled }), signal });
        expect(await answer.json()).toMatchObject({ enabled });
      };
      expect(await accepts(listen), proxy).toBe(true);
      await set(false);
      expect([await accepts(listen), await accepts(upstream)], proxy).toEqual([false, true]);
      await set(true);
      expect(await accepts(listen), proxy).toBe(true);
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

let external: FakeCluster;
let runDirectory: string;

beforeAll(async () => {
  external = await FakeCluster.start();
});

afterAll(async () => {
  await external.stop();
});

beforeEach(() => {
  runDirectory = mkdtempSync(join(tmpdir(), 'ackproof-target-'));
});

afterEach(() => {
  rmSync(runDirectory, { recursive: true, force: true });
});

const specOf = (kind: string, more: Readonly<Record<string, unknown>>): TargetSpec =>
  targetSpecSchema.parse({ apiVersion: 'ackproof/v1', kind, ...more });

const start = async (kind: string, runId: string, directory = runDirectory): Promise<StartedTarget> =>
  await startTarget(specOf(kind, recipeOf(kind).spec(external)), {
    runId,
    runDirectory: directory,
    defects: [],
    signal,
  });

/** What a target leaves besides its logs. */
const leftIn = (directory: string): readonly string[] => readdirSync(directory).filter((name) => name !== 'logs');

test('the targets are sorted, named once, offer sorted capabilities, and each says what it is in a sentence', () => {
  const kinds = TARGET_REGISTRY.map(({ kind }) => kind);
  expect(kinds).toEqual([...new Set(kinds)].sort());
  for (const { kind, summary, offers } of TARGET_REGISTRY) {
    expect(kind).toMatch(/^[a-z]+(-[a-z]+)*$/u);
    expect(summary).toMatch(/^[A-Z].*\.$/u);
    expect(offers).toEqual([...new Set(offers)].sort());
  }
});

describe.each(TARGET_REGISTRY.map(({ kind, offers }) => ({ kind, offers })))('a target of kind $kind', (definition) => {
  const { kind, offers } = definition;

  test('starts and stops twice, and leaves nothing of its own', async () => {
    for (const round of [1, 2]) {
      const runId = `twice-${round}-${freshHex(6)}`;
      const target = await start(kind, runId);
      expect(target).toMatchObject({ kind, description: { kind } });
      expect(await servedBrokers(target.bootstrap[0]!, 5_000, signal)).toHaveLength(target.brokers.length);
      expect(processesOfRun(runId).length > 0).toBe(target.ephemeral);
      await target[Symbol.asyncDispose]();
      expect(processesOfRun(runId)).toEqual([]);
      expect(leftIn(runDirectory)).toEqual([]);
      expect(await accepts(target.bootstrap[0]!)).toBe(!target.ephemeral);
    }
  });

  test('that cannot start says why, and leaves nothing', async () => {
    const { spec, defects } = recipeOf(kind).broken;
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
      target = await start(kind, `can-${freshHex(6)}`, directory);
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
      await PROOFS[name](target.can as Required<Capabilities>, target);
      expect(target.casualties?.() ?? []).toEqual([]);
      const served = async (): Promise<number> => (await servedBrokers(target.bootstrap[0]!, 5_000, signal)).length;
      await expect.poll(served).toBe(target.brokers.length);
    });
  });
});
