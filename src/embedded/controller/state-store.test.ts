import { describe, expect, it } from 'vitest';
import type { Clock } from '../../clock.ts';
import type { ConditionalStore, PutConditions, PutResult } from '../log/interfaces.ts';
import { StoreUnavailable } from '../log/store-unavailable.ts';
import { type ControllerState, emptyState, reserveProducerIds } from './controller-state.ts';
import { StateStore } from './state-store.ts';

type Trouble = 'none' | 'lost-request' | 'lost-answer' | 'down';

/** A store of one object, with trouble to order for the next put. */
class OneObject implements ConditionalStore {
  trouble: Trouble = 'none';
  puts = 0;
  private held: { readonly bytes: Uint8Array; readonly etag: string } | undefined;

  async put(_key: string, bytes: Uint8Array, conditions: PutConditions): Promise<PutResult> {
    await Promise.resolve();
    const trouble = this.trouble;
    if (trouble !== 'down') this.trouble = 'none';
    if (trouble === 'lost-request' || trouble === 'down') throw new StoreUnavailable('put', true);
    const expected = conditions.ifNoneMatch === true ? undefined : conditions.ifMatch;
    if (this.held?.etag !== expected) return { status: 'precondition-failed' };
    this.puts += 1;
    this.held = { bytes, etag: `e${this.puts}` };
    if (trouble === 'lost-answer') throw new StoreUnavailable('put', true);
    return { status: 'stored', etag: this.held.etag };
  }

  async get(): Promise<{ readonly bytes: Uint8Array; readonly etag: string } | undefined> {
    await Promise.resolve();
    return this.held;
  }

  async deleteAll(): Promise<void> {
    await Promise.resolve();
    this.held = undefined;
  }

  async *list(): AsyncIterable<readonly string[]> {
    await Promise.resolve();
    yield [];
  }
}

const patientClock = (): Clock => {
  let now = 0;
  return {
    now: () => now,
    wall: () => now,
    sleep: async (ms) => {
      now += ms;
      await Promise.resolve();
    },
  };
};

const silent = { info: (): void => undefined, warn: (): void => undefined, error: (): void => undefined };

const openOn = (store: ConditionalStore): StateStore =>
  new StateStore({ store, key: 'k', clock: patientClock(), log: silent, empty: emptyState('c', 1, 'offsets') });

const reserve = (state: ControllerState): ControllerState => reserveProducerIds(state, 10);

describe('the stored state', () => {
  it('is read back by the next controller', async () => {
    const store = new OneObject();
    const { after } = await openOn(store).change(reserve, 1000);
    expect((await openOn(store).change((state) => state, 1000)).after).toEqual(after);
  });

  it('takes every change once when many are made at the same time', async () => {
    const states = openOn(new OneObject());
    const changes = await Promise.all(Array.from({ length: 20 }, async () => await states.change(reserve, 1000)));
    const ends = changes.map((change) => change.after.nextProducerId);
    expect(new Set(ends).size).toBe(20);
    expect(Math.max(...ends)).toBe(1000 + 20 * 10);
  });

  it('never gives one block of producer ids to two callers, even if answers are lost', async () => {
    const store = new OneObject();
    const states = openOn(store);
    const first = await states.change(reserve, 1000);
    for (const trouble of ['lost-answer', 'lost-request'] as const) {
      store.trouble = trouble;
      const next = await states.change(reserve, 1000);
      expect(next.before.nextProducerId).toBeGreaterThanOrEqual(first.after.nextProducerId);
    }
    const other = await openOn(store).change(reserve, 1000);
    const again = await states.change(reserve, 1000);
    expect(again.before.nextProducerId).toBeGreaterThanOrEqual(other.after.nextProducerId);
  });

  it('says that the store is away when the deadline has passed, and goes on when it is back', async () => {
    const store = new OneObject();
    const states = openOn(store);
    store.trouble = 'down';
    await expect(states.change(reserve, 500)).rejects.toMatchObject({ code: 'CONTROLLER_STORE_AWAY' });
    store.trouble = 'none';
    expect((await states.change(reserve, 500)).after.nextProducerId).toBe(1010);
  });

  it('is never begun anew by a controller that had one: that would forget every topic', async () => {
    const store = new OneObject();
    const states = openOn(store);
    await states.change(reserve, 500);
    await store.deleteAll();
    await expect(states.change(reserve, 500)).rejects.toMatchObject({ code: 'CONTROLLER_STATE_LOST' });
  });

  it('passes on what a change refuses, and makes the next change all the same', async () => {
    const states = openOn(new OneObject());
    const refusing = states.change(() => {
      throw new Error('no');
    }, 500);
    const next = states.change(reserve, 500);
    await expect(refusing).rejects.toThrow('no');
    expect((await next).after.nextProducerId).toBe(1010);
  });
});
