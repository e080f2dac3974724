// Notices that this broker is cut off: the controller has been silent for longer than a session, and somebody else holds a
// partition that we were told is ours. Then what we know of the cluster is out of date, and clients are better served
// elsewhere. If the fence says that all is still ours, it is the controller that is away, and we go on.
import type { Clock } from '../../clock.ts';
import type { ProgramLog } from '../program-log.ts';
import type { OwnedPartition } from './owned-partitions.ts';

export interface IsolationWatchOptions {
  readonly clock: Clock;
  readonly log: ProgramLog;
  readonly sessionTimeoutMs: number;
  /** Milliseconds since the controller was last heard of. */
  readonly silentMs: () => number;
  /** What the newest view says is ours. */
  readonly assigned: () => readonly OwnedPartition[];
  /** Called once each time the broker finds itself cut off. */
  readonly onIsolated: () => void;
}

export class IsolationWatch {
  private readonly options: IsolationWatchOptions;
  private isolated = false;
  private stopped = false;

  constructor(options: IsolationWatchOptions) {
    this.options = options;
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

  /** One look. */
  async look(): Promise<void> {
    const { silentMs, sessionTimeoutMs, log, onIsolated } = this.options;
    const wasIsolated = this.isolated;
    this.isolated = silentMs() > sessionTimeoutMs && (await this.lostSomething());
    if (this.isolated === wasIsolated) return;
    if (this.isolated) {
      log.warn('cut off from the controller, and others own what was ours: closed to clients until it is heard again');
      onIsolated();
    } else {
      log.info('open to clients again');
    }
  }

  private async lostSomething(): Promise<boolean> {
    const logs = this.options.assigned().flatMap((entry) => (entry.log === undefined ? [] : [entry.log]));
    const answers = await Promise.all(
      logs.map(async (log) => (log.isOwner ? await log.confirmOwnership() : 'not-owner')),
    );
    return answers.includes('not-owner');
  }
}
