// Which brokers have been heard of lately. The one thing to know: when the controller itself slept (paused, starved), nobody
// could have been heard, so every session begins anew instead of lapsing.
import type { Clock } from '../../clock.ts';

export class SessionTable {
  private readonly clock: Clock;
  private readonly timeoutMs: number;
  private readonly seenAt = new Map<number, number>();
  private checkedAt: number;

  constructor(clock: Clock, timeoutMs: number) {
    this.clock = clock;
    this.timeoutMs = timeoutMs;
    this.checkedAt = clock.now();
  }

  /** A broker was heard of just now. */
  touch(brokerId: number): void {
    this.seenAt.set(brokerId, this.clock.now());
  }

  forget(brokerId: number): void {
    this.seenAt.delete(brokerId);
  }

  /** The brokers among `live` whose session has run out. Call it several times within each timeout. */
  lapsed(live: readonly number[]): readonly number[] {
    const now = this.clock.now();
    const slept = now - this.checkedAt > this.timeoutMs / 2;
    this.checkedAt = now;
    if (slept) {
      for (const brokerId of live) this.seenAt.set(brokerId, now);
      return [];
    }
    return live.filter((brokerId) => {
      const seenAt = this.seenAt.get(brokerId);
      if (seenAt === undefined) this.seenAt.set(brokerId, now);
      return seenAt !== undefined && now - seenAt > this.timeoutMs;
    });
  }
}
