import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import { NO_LEADER, OFFSETS_TOPIC } from '../cluster-view.ts';
import { KAFKA } from '../error-codes.ts';
import type { ConditionalStore, PutConditions, PutResult } from '../log/interfaces.ts';
import { StoreUnavailable } from '../log/store-unavailable.ts';
import { Controller } from './controller.ts';
import { emptyState } from './controller-state.ts';
import { StateStore } from './state-store.ts';

class MemoryStore implements ConditionalStore {
  isAway = false;
  private held: { readonly bytes: Uint8Array; readonly etag: string } | undefined;
  private puts = 0;

  async put(_key: string, bytes: Uint8Array, conditions: PutConditions): Promise<PutResult> {
    await Promise.resolve();
    if (this.isAway) throw new StoreUnavailable('put', true);
    if (this.held?.etag !== conditions.ifMatch) return { status: 'precondition-failed' };
    this.puts += 1;
    this.held = { bytes, etag: `e${this.puts}` };
    return { status: 'stored', etag: this.held.etag };
  }

  async get(): Promise<{ readonly bytes: Uint8Array; readonly etag: string } | undefined> {
    await Promise.resolve();
    if (this.isAway) throw new StoreUnavailable('get', false);
    return this.held;
  }

  async deleteAll(): Promise<void> {
    await Promise.resolve();
  }

  async *list(): AsyncIterable<readonly string[]> {
    await Promise.resolve();
    yield [];
  }
}

const silent = { info: (): void => undefined, warn: (): void => undefined, error: (): void => undefined };
const endpoint = { host: '127.0.0.1', port: 1 };
const started: Controller[] = [];
afterEach(() => {
  for (const controller of started.splice(0)) controller.stop();
});

const startOn = async (store: ConditionalStore, gatherMs = 100): Promise<Controller> => {
  const empty = emptyState('c', 9, 'offsets');
  const states = new StateStore({ store, key: 'k', clock: systemClock, log: silent, empty });
  const timing = { sessionTimeoutMs: 300, heartbeatMs: 60, expectedBrokers: 3, gatherMs };
  const controller = await Controller.start({ states, clock: systemClock, log: silent, ...timing }, 1000);
  started.push(controller);
  return controller;
};

const register = async (controller: Controller, brokerId: number, incarnation = `i${brokerId}`): Promise<void> => {
  await controller.register({ brokerId, incarnation, advertised: endpoint, direct: endpoint });
};

/** Keeps the sessions of some brokers alive until stopped. */
const beating = (controller: Controller, brokerIds: readonly number[]): { stop(): void } => {
  const stopped = new AbortController();
  const isStopped = (): boolean => stopped.signal.aborted;
  for (const brokerId of brokerIds) {
    void (async () => {
      while (!isStopped()) await controller.heartbeat(brokerId, `i${brokerId}`, controller.view.version);
    })();
  }
  return { stop: () => stopped.abort() };
};

const ownersOf = (controller: Controller, name: string): readonly number[] =>
  controller.view.topics.find((topic) => topic.name === name)?.partitions.map((owner) => owner.leader) ?? [];

const wish = { name: 'orders', partitions: 3, replicationFactor: 3, configs: {} };

describe('at the start', () => {
  it('partitions wait for all expected brokers, so that the first one up does not get everything', async () => {
    const controller = await startOn(new MemoryStore(), 10_000);
    await register(controller, 1);
    await register(controller, 2);
    expect(ownersOf(controller, OFFSETS_TOPIC)).toEqual([NO_LEADER, NO_LEADER, NO_LEADER]);
    await register(controller, 3);
    expect(ownersOf(controller, OFFSETS_TOPIC)).toEqual([1, 2, 3]);
  });

  it('they do not wait for ever', async () => {
    const controller = await startOn(new MemoryStore(), 100);
    await register(controller, 1);
    const beats = beating(controller, [1]);
    await expect.poll(() => ownersOf(controller, OFFSETS_TOPIC)).toEqual([1, 1, 1]);
    beats.stop();
  });
});

describe('a heartbeat', () => {
  it('is held while there is nothing new, and answered at once when there is', async () => {
    const controller = await startOn(new MemoryStore());
    for (const brokerId of [1, 2, 3]) await register(controller, brokerId);
    const known = controller.view.version;
    expect(await controller.heartbeat(1, 'i1', known)).toEqual({ known: true });
    const held = controller.heartbeat(1, 'i1', known);
    await controller.createTopic(wish, false);
    expect((await held).view?.topics.map((topic) => topic.name)).toContain('orders');
  });

  it('of another incarnation, or of a broker that lapsed, is told to register', async () => {
    const controller = await startOn(new MemoryStore());
    await register(controller, 1);
    expect(await controller.heartbeat(1, 'before', 0)).toEqual({ known: false });
    await expect.poll(() => controller.view.brokers[0]?.live).toBe(false);
    expect(await controller.heartbeat(1, 'i1', 0)).toEqual({ known: false });
  });
});

describe('ownership', () => {
  it('leaves a broker that is silent, and only that one', async () => {
    const controller = await startOn(new MemoryStore());
    for (const brokerId of [1, 2, 3]) await register(controller, brokerId);
    const beats = beating(controller, [2, 3]);
    const first = beating(controller, [1]);
    await controller.createTopic(wish, false);
    first.stop();
    await expect.poll(() => ownersOf(controller, 'orders').includes(1), { timeout: 3000 }).toBe(false);
    expect(controller.view.brokers.map((broker) => broker.live)).toEqual([false, true, true]);
    beats.stop();
  });

  it('has moved when a resignation is answered', async () => {
    const controller = await startOn(new MemoryStore());
    for (const brokerId of [1, 2, 3]) await register(controller, brokerId);
    const view = await controller.resign(2, 'i2');
    const owners = view.topics.flatMap((topic) => topic.partitions.map((owner) => owner.leader));
    expect(owners).not.toContain(2);
    expect(owners).not.toContain(NO_LEADER);
  });

  it('is known by every other broker when a resignation is answered', async () => {
    const controller = await startOn(new MemoryStore());
    for (const brokerId of [1, 2, 3]) await register(controller, brokerId);
    const beats = beating(controller, [3]);
    let known = controller.view.version;
    const slow = (async (): Promise<void> => {
      await systemClock.sleep(100);
      const answer = await controller.heartbeat(1, 'i1', known);
      known = answer.view?.version ?? known;
      await controller.heartbeat(1, 'i1', known);
    })();
    const view = await controller.resign(2, 'i2');
    expect(known).toBe(view.version);
    await slow;
    beats.stop();
  });

  it('does not move for the resignation of an incarnation that is no more', async () => {
    const controller = await startOn(new MemoryStore());
    for (const brokerId of [1, 2, 3]) await register(controller, brokerId);
    const before = controller.view.version;
    await controller.resign(2, 'long ago');
    expect(controller.view.version).toBe(before);
  });

  it('does not move while the store is away, and does when it is back', async () => {
    const store = new MemoryStore();
    const controller = await startOn(store);
    for (const brokerId of [1, 2, 3]) await register(controller, brokerId);
    const before = controller.view;
    const beats = beating(controller, [2, 3]);
    store.isAway = true;
    await systemClock.sleep(600);
    expect(controller.view).toEqual(before);
    store.isAway = false;
    await expect.poll(() => controller.view.brokers[0]?.live, { timeout: 3000 }).toBe(false);
    beats.stop();
  });
});

describe('topics', () => {
  it('are there for the next controller, with everything else', async () => {
    const store = new MemoryStore();
    const controller = await startOn(store);
    for (const brokerId of [1, 2, 3]) await register(controller, brokerId);
    await controller.createTopic(wish, false);
    const ids = await controller.producerIds();
    controller.stop();
    const next = await startOn(store);
    expect(next.view.topics).toEqual(controller.view.topics);
    expect(next.view.brokers).toEqual(controller.view.brokers);
    expect((await next.producerIds()).first).toBe(ids.first + ids.count);
  });

  it('are known to every live broker when their creation is answered', async () => {
    const controller = await startOn(new MemoryStore());
    for (const brokerId of [1, 2, 3]) await register(controller, brokerId);
    let isToldLate = false;
    const isStopped = { now: false };
    const following = (async (): Promise<void> => {
      for (let version = controller.view.version; !isStopped.now; ) {
        const { view } = await controller.heartbeat(3, 'i3', version);
        if (view === undefined) continue;
        await systemClock.sleep(80);
        isToldLate = view.topics.some((topic) => topic.name === 'orders');
        version = view.version;
      }
    })();
    const beats = beating(controller, [1, 2]);
    await controller.createTopic(wish, false);
    expect(isToldLate).toBe(true);
    isStopped.now = true;
    beats.stop();
    await following;
  });

  it('are created although a live broker does not answer', async () => {
    const controller = await startOn(new MemoryStore());
    for (const brokerId of [1, 2, 3]) await register(controller, brokerId);
    const beats = beating(controller, [1, 2]);
    await controller.createTopic(wish, false);
    expect(ownersOf(controller, 'orders')).not.toEqual([]);
    beats.stop();
  });

  it('are created once and deleted once, and only checked where that is all that is asked', async () => {
    const controller = await startOn(new MemoryStore());
    for (const brokerId of [1, 2, 3]) await register(controller, brokerId);
    await controller.createTopic(wish, true);
    expect(ownersOf(controller, 'orders')).toEqual([]);
    const both = await Promise.allSettled([controller.createTopic(wish, false), controller.createTopic(wish, false)]);
    expect(both.map((result) => result.status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await controller.deleteTopic('orders');
    await expect(controller.deleteTopic('orders')).rejects.toMatchObject({ code: KAFKA.UNKNOWN_TOPIC_OR_PARTITION });
  });
});
