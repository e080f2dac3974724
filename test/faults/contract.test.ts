// What every fault of the registry keeps, whatever it does: written once, run for all.
import { readdirSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { FAULT_REGISTRY } from '../../src/faults/registry.ts';
import type { CapabilityName, StartedTarget } from '../../src/targets/target.ts';
import { type ModelTarget, TOPIC } from './model-target.ts';
import { modelTest } from './model-test.ts';
import { contextOn, definitionOf, edgeNames, hasDuration, runOn, runUntil, specOf, WHOLE_LIFE } from './run-on.ts';

/** The shortest entry of each fault, without its duration. */
const ENTRIES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'all-brokers-kill': { allow: ['full-outage'] },
  'bandwidth-limit': { victim: { broker: 2 }, params: { rate: '8KiB' } },
  'broker-degrade': { victim: { broker: 2 }, params: { settings: { 'message.max.bytes': '2000' } } },
  'broker-join': { victim: { leaderOf: 'orders/1' } },
  'client-partition': { victim: { leaderOf: 'orders/1' } },
  command: { victim: { broker: 2 }, params: { name: 'switch' } },
  'connection-reset': { victim: { broker: 2 } },
  'cpu-throttle': { victim: { random: 1 } },
  'crash-loop': { victim: { leaderOf: 'orders/1' }, params: { times: 2, interval: '10ms' } },
  'disk-full': { victim: { random: 1 } },
  'disk-read-only': { victim: { random: 1 } },
  'graceful-stop': { victim: { leaderOf: 'orders/1' } },
  'leader-election': { victim: { leaderOf: 'orders/1' }, params: { stableFor: '200ms' } },
  'memory-pressure': { victim: { random: 1 }, params: { limit: '250MiB' } },
  'network-latency': { victim: { broker: 2 }, params: { latency: '1s' } },
  'node-isolate': { victim: { random: 1 } },
  'node-loss': { victim: { leaderOf: 'orders/1' }, allow: ['destroy-state'] },
  'object-loss': { allow: ['destroy-state'], params: { count: 2 } },
  'object-store-corrupt': { allow: ['corrupt'], params: { offset: '5B', count: 3 } },
  'object-store-denied': {},
  'object-store-error': {},
  'object-store-late-commit': { params: { after: '200ms' } },
  'object-store-latency': { params: { latency: '1s' } },
  'object-store-lost-response': {},
  'object-store-outage': {},
  'object-store-slow-body': { params: { rate: '8KiB' } },
  'object-store-throttle': { params: { retryAfter: '2s' } },
  'object-store-truncate': { allow: ['corrupt'] },
  'oom-kill': { victim: { random: 1 } },
  'packet-corrupt': { victim: { random: 1 } },
  'packet-duplicate': { victim: { random: 1 } },
  'packet-loss': { victim: { random: 1 } },
  'packet-reorder': { victim: { random: 1 } },
  'partition-reassignment': { victim: { leaderOf: 'orders/5' }, params: { to: [3, 2] } },
  'process-kill': { victim: { random: 1 } },
  'network-partition': { victim: { random: 1 }, params: { from: 'brokers' } },
  'process-pause': { victim: { random: 1 } },
  'request-loss': { victim: { broker: 2 } },
  'response-loss': { victim: { broker: 2 } },
  'rolling-restart': { params: { interval: '10ms' } },
  'wal-io-error': {},
  'wal-io-latency': { params: { latency: '200ms' } },
  'wal-io-stall': { victim: { broker: 2 } },
  'wal-outage': {},
};
const entryOf = (kind: string) => ({ fault: kind, ...(hasDuration(kind) ? { duration: '1m' } : {}), ...ENTRIES[kind] });
const HEALABLE = FAULT_REGISTRY.filter((fault) => fault.recovery === 'healable').map((fault) => fault.kind);
const never = new AbortController().signal;

const lacking = (target: ModelTarget, ...capabilities: readonly (CapabilityName | undefined)[]): StartedTarget => ({
  ...target,
  can: Object.fromEntries(Object.entries(target.can).filter(([name]) => !capabilities.some((each) => each === name))),
});

const prepareOn = async (target: StartedTarget, kind: string, seed = 1) => {
  const spec = specOf(entryOf(kind));
  return await definitionOf(kind).prepare(contextOn(target, seed), spec.victim, spec.params, never);
};

/** All that faults change and heal must put back, to compare with later: proxies, containers, replicas, settings. */
const standingOf = async (target: ModelTarget) => {
  const { links, containers } = target.can;
  const [link] = links.all;
  const { topics, administration } = target.cluster;
  const contained = containers.nodes.map(async (node) => [
    node,
    await containers.limits(node),
    await containers.endpoints(node),
  ]);
  const proxies: unknown =
    link === undefined ? {} : await (await fetch(`http://${link.admin.host}:${link.admin.port}/proxies`)).json();
  return {
    containers: await Promise.all(contained),
    proxies,
    rules: await target.storeProxy.control.rules(),
    replicas: (topics.get(TOPIC) ?? []).map((partition) => partition.replicas),
    settings: [...administration.settings],
    files: readdirSync(target.can.commands.folder),
  };
};

const allRun = async (target: ModelTarget): Promise<boolean> => {
  const { processes, spares } = target.can;
  const members = processes.nodes.filter((node) => !spares.brokers.some((spare) => spare.node === node));
  const states = await Promise.all(members.map(async (node) => await processes.state(node)));
  return states.every((state) => state === 'running');
};

/** With data objects, so that there is something to lose, and a partition that one broker has no replica of. */
const test = modelTest.extend<{ filled: undefined }>({
  filled: [
    async ({ target }, use) => {
      const id = Buffer.from(TOPIC.padEnd(16, '.').slice(-16)).toString('base64url');
      for (let first = 0; first < 50; first += 10) {
        await target.can.objectStore.put(`data/${id}/1/${first}`, Buffer.from('records'), never);
      }
      const [last] = target.cluster.topics.get(TOPIC)?.slice(-1) ?? [];
      if (last !== undefined) last.replicas = [3, 1];
      await use(undefined);
    },
    { auto: true },
  ],
});

describe('the registry', () => {
  test('is sorted, names each fault once, and says what each does in a sentence', () => {
    const kinds = FAULT_REGISTRY.map((fault) => fault.kind);
    expect(kinds).toEqual([...new Set(kinds)].sort());
    for (const { summary, kind } of FAULT_REGISTRY) {
      expect(summary, kind).toMatch(/^[A-Z].*\.$/);
      expect(kind).toMatch(/^[a-z]+(-[a-z]+)*$/);
    }
  });
});

describe.concurrent.each(FAULT_REGISTRY.map((fault) => fault.kind))('%s', (kind) => {
  const { requires, recovery, orElse } = definitionOf(kind);
  const isHealable = recovery === 'healable';

  test('is confirmed by all three kinds of evidence, and healed to what was before', async ({ target }) => {
    const before = await standingOf(target);
    const seen = await runUntil(target, entryOf(kind));
    expect(seen.outcome.reason, JSON.stringify(seen.samples.slice(-6))).toBeUndefined();
    expect(edgeNames(seen)).toEqual(isHealable ? WHOLE_LIFE : WHOLE_LIFE.slice(0, 3));
    expect(seen.outcome.confirmed).toBe(true);
    const { window } = seen.outcome;
    const inWindow = seen.samples.filter(({ at }) => at >= (window?.fromMs ?? 0) && at <= (window?.toMs ?? 0));
    expect(new Set(inWindow.map((sample) => sample.kind))).toEqual(new Set(['mechanism', 'effect', 'control']));
    expect(await allRun(target)).toBe(true);
    expect(await standingOf(target)).toEqual(before);
    // Canaries of orders are part of what is taken back.
    if (requires.includes('administration')) expect([...target.cluster.topics.keys()]).toEqual([TOPIC]);
  });

  test.for(requires.map((name) => ({ name })))('refuses a target without $name', async ({ name }, { target }) => {
    await expect(prepareOn(lacking(target, name, orElse), kind)).rejects.toThrow(/offers no|no path of its own/);
  });

  test('changes nothing while it prepares, and its undo is data', async ({ target }) => {
    const before = await standingOf(target);
    const prepared = await prepareOn(target, kind);
    expect(target.cluster.acts).toEqual([]);
    expect(await standingOf(target)).toEqual(before);
    expect(JSON.parse(JSON.stringify(prepared.undo))).toEqual(prepared.undo);
    expect(prepared.undo.steps.length > 0).toBe(isHealable);
    prepared.close?.();
  });

  test('chooses the same victims for the same seed', async ({ target }) => {
    const chosen = async (): Promise<unknown> => {
      const prepared = await prepareOn(target, kind, 7);
      prepared.close?.();
      return { victims: prepared.victims, chosen: prepared.chosen };
    };
    expect(await chosen()).toEqual(await chosen());
  });

  test('heals twice as well as once, also where nothing was ever applied', async ({ target }) => {
    const before = await standingOf(target);
    const prepared = await prepareOn(target, kind);
    await prepared.heal(never);
    await prepared.heal(never);
    expect(await allRun(target)).toBe(true);
    expect(await standingOf(target)).toEqual(before);
    prepared.close?.();
  });
});

describe.concurrent.each(HEALABLE)('%s, aborted', (kind) => {
  test('is healed at once when it is aborted in the middle', async ({ target }) => {
    const before = await standingOf(target);
    const aborting = new AbortController();
    const seen = await runOn(target, entryOf(kind), {
      signal: aborting.signal,
      onEvidence: ({ at, kind: sample, holds }) => {
        if (at > 0 && sample === 'mechanism' && holds) aborting.abort(new Error('enough'));
      },
    });
    expect(edgeNames(seen).slice(-2)).toEqual(['healing', 'healed']);
    expect(await allRun(target)).toBe(true);
    expect(await standingOf(target)).toEqual(before);
  });
});
