// Notices that this broker is cut off: the controller has been silent for longer than a session, and somebody else holds a
// partition that we were told is ours. Then what we know of the cluster is out of date, and clients are better served
// elsewhere. If the fence says that all is still ours, it is the controller that is away, and we go on. Silence counts only
// while this process runs: after a pause, the controller gets the time to be heard first.
import type { Clock } from '../../clock.ts';
import type { ProgramLog } from '../program-log.ts';
import type { OwnedPartition } from './owned-partitions.ts';

export interface IsolationWatchOptions {
  readonly clock: Clock;
  readonly log: ProgramLog;
  readonly sessionTimeoutMs: number;
  /** Milliseconds since the controller was last heard of. */
  readonly silentMs: () => number;
  /** The partitions of users' topics that the newest view says are ours. */
  readonly assigned: () => readonly OwnedPartition[];
  /** Called once each time the broker finds itself cut off. */
  readonly onIsolated: () => void;
}

export class IsolationWatch {
  private readonly options: IsolationWatchOptions;
  private isolated = false;
  private stopped = false;
  private lookedAt: number;
  /** Since when this process has been running without a gap. */
  private awakeSince: number;

  constructor(options: IsolationWatchOptions) {
    this.options = options;
    this.lookedAt = options.clock.now();
    this.awakeSince = this.lookedAt;
  }

  get isIsolated(): boolean {
    return this.isolated;
  }

  /** Watches until `stop`. Never rejects. */
  async run(): Promise<void> {
    const { clock, sessionTimeoutMs } = this.options;
    while (!this.stopped) {
      await clock.sleep(sessionTimeoutMs / 4);
      await this.look();
    }
  }

  stop(): void {
    this.stopped = true;
  }

  /** One look; to be made several times within each session timeout. */
  async look(): Promise<void> {
    const { log, onIsolated } = this.options;
    const wasIsolated = this.isolated;
    this.isolated = this.isSilent() && (await this.lostSomething());
    if (this.isolated === wasIsolated) return;
    if (this.isolated) {
      log.warn('cut off from the controller, and others own what was ours: closed to clients until it is heard again');
      onIsolated();
    } else {
      log.info('open to clients again');
    }
  }

  private isSilent(): boolean {
    const { clock, sessionTimeoutMs, silentMs } = this.options;
    const now = clock.now();
    if (now - this.lookedAt > sessionTimeoutMs / 2) this.awakeSince = now;
    this.lookedAt = now;
    return Math.min(silentMs(), now - this.awakeSince) > sessionTimeoutMs;
  }

  private async lostSomething(): Promise<boolean> {
    const logs = this.options.assigned().flatMap((entry) => (entry.log === undefined ? [] : [entry.log]));
    const answers = await Promise.all(
      logs.map(async (log) => (log.isOwner ? await log.confirmOwnership() : 'not-owner')),
    );
    return answers.includes('not-owner');
  }
}
