import { describe, expect, it } from 'vitest';
import type { Clock } from '../../clock.ts';
import type { PartitionLog } from '../log/interfaces.ts';
import { IsolationWatch } from './isolation-watch.ts';
import type { OwnedPartition } from './owned-partitions.ts';

type Answer = 'owner' | 'not-owner' | 'store-away';

const silent = { info: (): void => undefined, warn: (): void => undefined, error: (): void => undefined };

/** A partition whose fence gives this answer. */
const owned = (answer: Answer): OwnedPartition => {
  const log = { isOwner: true, confirmOwnership: async () => await Promise.resolve(answer) };
  return { log: log as unknown as PartitionLog } as OwnedPartition;
};

/** A watch with a session of one second, and a controller that has been silent since `heardAt`. */
class Bench {
  heardAt = 0;
  closed = 0;
  readonly watch: IsolationWatch;
  private now = 0;

  constructor(answers: readonly Answer[]) {
    const clock: Clock = {
      now: () => this.now,
      wall: () => this.now,
      sleep: async () => {
        await Promise.resolve();
      },
    };
    this.watch = new IsolationWatch({
      clock,
      log: silent,
      sessionTimeoutMs: 1000,
      silentMs: () => this.now - this.heardAt,
      assigned: () => answers.map(owned),
      onIsolated: () => {
        this.closed += 1;
      },
    });
  }

  /** Looks every 250 ms for `ms`. */
  async pass(ms: number): Promise<boolean> {
    for (const end = this.now + ms; this.now < end; ) {
      this.now += 250;
      await this.watch.look();
    }
    return this.watch.isIsolated;
  }

  /** The whole process is stopped for `ms`. */
  freeze(ms: number): void {
    this.now += ms;
  }
}

describe('a broker', () => {
  it('is open while the controller is heard, whatever its fences say', async () => {
    expect(await new Bench(['not-owner']).pass(1000)).toBe(false);
  });

  it('is open while the controller is away but nothing of its own is somebody else’s', async () => {
    expect(await new Bench(['owner', 'store-away']).pass(5000)).toBe(false);
  });

  it('closes to clients, once, when it is silent and one partition is somebody else’s, and opens when it is heard', async () => {
    const bench = new Bench(['owner', 'not-owner']);
    expect(await bench.pass(2000)).toBe(true);
    expect(bench.closed).toBe(1);
    bench.heardAt = 2000;
    expect(await bench.pass(250)).toBe(false);
  });

  it('does not take its own pause for the silence of the controller', async () => {
    const bench = new Bench(['not-owner']);
    await bench.pass(500);
    bench.freeze(5000);
    expect(await bench.pass(1000)).toBe(false);
    expect(await bench.pass(500)).toBe(true);
  });
});
