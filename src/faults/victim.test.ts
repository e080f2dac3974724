import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ModelTarget, startModelTarget, TOPIC } from '../../test/faults/model-target.ts';
import { contextOn } from '../../test/faults/run-on.ts';
import type { VictimSelector } from './fault.ts';
import { resolveVictims } from './victim.ts';

const never = new AbortController().signal;
let target: ModelTarget;
beforeEach(async () => {
  target = await startModelTarget();
});
afterEach(async () => {
  await target[Symbol.asyncDispose]();
});

const nodesOf = async (selector: VictimSelector, seed = 1): Promise<readonly string[]> =>
  (await resolveVictims(contextOn(target, seed), selector, never)).nodes;

describe('victims', () => {
  it('are the leader of that moment, not of earlier', async () => {
    const selector: VictimSelector = { kind: 'leaderOf', topic: 'orders', partition: 0 };
    expect(await nodesOf(selector)).toEqual(['broker/1']);
    const [partition] = target.cluster.topics.get(TOPIC) ?? [];
    if (partition !== undefined) partition.leader = 3;
    expect(await nodesOf(selector)).toEqual(['broker/3']);
  });

  it('wait for a partition that is between two leaders', async () => {
    const [partition] = target.cluster.topics.get(TOPIC) ?? [];
    if (partition === undefined) throw new Error('no partition');
    partition.leader = -1;
    setTimeout(() => {
      partition.leader = 2;
    }, 150);
    expect(await nodesOf({ kind: 'leaderOf', topic: 'orders', partition: 0 })).toEqual(['broker/2']);
  });

  it('are a follower in sync, chosen by the seed', async () => {
    const selector: VictimSelector = { kind: 'followerOf', topic: 'orders', partition: 0 };
    const chosen = await Promise.all([1, 2, 3, 4, 5, 6].map(async (seed) => (await nodesOf(selector, seed))[0]));
    expect(new Set(chosen)).toEqual(new Set(['broker/2', 'broker/3']));
    expect((await nodesOf(selector, 1))[0]).toBe(chosen[0]);
  });

  it('are as many random brokers as asked, the same for the same seed', async () => {
    const pairs = await Promise.all(
      [1, 2, 3, 4, 5, 6].map(async (seed) => await nodesOf({ kind: 'random', count: 2 }, seed)),
    );
    for (const pair of pairs) expect(new Set(pair).size).toBe(2);
    expect(new Set(pairs.map(String)).size).toBeGreaterThan(1);
    expect(await nodesOf({ kind: 'random', count: 2 }, 1)).toEqual(pairs[0]);
  });

  it('are nodes that are no brokers where a fault can hit them', async () => {
    expect(await nodesOf({ kind: 'controller' })).toEqual(['controller/1']);
    expect(await nodesOf({ kind: 'object-store' })).toEqual(['object-store']);
    expect(await nodesOf({ kind: 'volume' })).toEqual(['volume']);
    expect(await nodesOf({ kind: 'all' })).toEqual(['broker/1', 'broker/2', 'broker/3']);
  });

  it('are a majority of controllers only with its permission, and where one is left', async () => {
    const selector: VictimSelector = { kind: 'controllers' };
    await expect(nodesOf(selector)).rejects.toThrow(/take the majority of the controllers away/);
    const allowed = { ...contextOn(target), allow: ['quorum-loss'] };
    await expect(resolveVictims(allowed, selector, never)).rejects.toThrow(/too few controllers/);
  });

  it('are a minority or a majority of the brokers, by the seed, with somebody on the other side', async () => {
    const minorities = await Promise.all(
      [1, 2, 3, 4, 5].map(async (seed) => await nodesOf({ kind: 'brokers-minority' }, seed)),
    );
    expect(minorities.map((nodes) => nodes.length)).toEqual([1, 1, 1, 1, 1]);
    expect(new Set(minorities.flat()).size).toBeGreaterThan(1);
    expect(await nodesOf({ kind: 'brokers-majority' })).toHaveLength(2);
    const pair = { ...target, brokers: target.brokers.slice(0, 2) };
    for (const kind of ['brokers-minority', 'brokers-majority'] as const) {
      await expect(resolveVictims(contextOn(pair), { kind }, never)).rejects.toThrow(/too few brokers to hit a m/);
    }
  });

  it('are a node by its name', async () => {
    expect(await nodesOf({ kind: 'node', node: 'broker/3' })).toEqual(['broker/3']);
    await expect(nodesOf({ kind: 'node', node: 'controller/4' })).rejects.toThrow(/no node controller\/4/);
  });

  it('are never guessed: an unknown broker and too many of them are said', async () => {
    await expect(nodesOf({ kind: 'broker', id: 9 })).rejects.toThrow(/no broker 9; the target has 1, 2, 3/);
    await expect(nodesOf({ kind: 'random', count: 4 })).rejects.toThrow(/4 brokers were to be hit/);
    await Promise.all(target.cluster.brokers.map(async (broker) => await broker.die()));
    await expect(nodesOf({ kind: 'leaderOf', topic: 'orders', partition: 0 })).rejects.toThrow(/No broker answers/);
    for (const broker of target.cluster.brokers) await broker.listen();
  });
});
