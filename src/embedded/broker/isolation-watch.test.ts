import { describe, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import type { PartitionLog } from '../log/interfaces.ts';
import { IsolationWatch } from './isolation-watch.ts';
import type { OwnedPartition } from './owned-partitions.ts';

type Answer = 'owner' | 'not-owner' | 'store-away';

const silent = { info: (): void => undefined, warn: (): void => undefined, error: (): void => undefined };

/** A partition whose fence gives the answers, one after another. */
const owned = (answer: () => Answer): OwnedPartition => {
  const log = { isOwner: true, confirmOwnership: async () => await Promise.resolve(answer()) };
  return { log: log as unknown as PartitionLog } as OwnedPartition;
};

const bench = (silentMs: () => number, partitions: readonly OwnedPartition[]) => {
  const closed: number[] = [];
  const watch = new IsolationWatch({
    clock: systemClock,
    log: silent,
    sessionTimeoutMs: 1000,
    silentMs,
    assigned: () => partitions,
    onIsolated: () => closed.push(1),
  });
  return { watch, closed };
};

describe('a broker', () => {
  it('is open while the controller is heard, whatever its fences say', async () => {
    const { watch } = bench(() => 900, [owned(() => 'not-owner')]);
    await watch.look();
    expect(watch.isIsolated).toBe(false);
  });

  it('is open while the controller is away but everything is still its own', async () => {
    const { watch } = bench(() => 5000, [owned(() => 'owner'), owned(() => 'store-away')]);
    await watch.look();
    expect(watch.isIsolated).toBe(false);
  });

  it('closes to clients, once, when it is silent and one partition is somebody else’s, and opens when it is heard', async () => {
    let silence = 5000;
    const { watch, closed } = bench(() => silence, [owned(() => 'owner'), owned(() => 'not-owner')]);
    await watch.look();
    await watch.look();
    expect([watch.isIsolated, closed.length]).toEqual([true, 1]);
    silence = 10;
    await watch.look();
    expect(watch.isIsolated).toBe(false);
  });
});
