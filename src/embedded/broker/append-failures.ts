// Tells in the broker's log when appends to a partition begin to fail and when they go on, once each, however many fail.
import type { ProgramLog } from '../program-log.ts';

interface Failing {
  readonly code: number;
  count: number;
}

export class AppendFailures {
  private readonly log: ProgramLog;
  private readonly failing = new Map<string, Failing>();

  constructor(log: ProgramLog) {
    this.log = log;
  }

  /** `code` is what the client was answered, 0 for success. */
  note(partition: string, code: number): void {
    const before = this.failing.get(partition);
    if (before?.code === code) {
      before.count += 1;
      return;
    }
    if (before !== undefined)
      this.log.info(`append to ${partition}: ${before.count} answered with code ${before.code}`);
    if (code === 0) {
      this.failing.delete(partition);
      return;
    }
    this.failing.set(partition, { code, count: 1 });
    this.log.warn(`append to ${partition} failed, answered with code ${code}`);
  }
}
