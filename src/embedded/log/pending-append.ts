// An append between its acceptance and its answer.
import type { AppendBatch, AppendResult } from './interfaces.ts';

export interface PendingAppend {
  readonly batch: AppendBatch;
  readonly baseOffset: number;
  /** Resolves once; never rejects. */
  readonly result: Promise<AppendResult>;
  settle(result: AppendResult): void;
}

export const pendingAppend = (batch: AppendBatch, baseOffset: number): PendingAppend => {
  let settle: (result: AppendResult) => void = () => undefined;
  const result = new Promise<AppendResult>((resolve) => {
    settle = resolve;
  });
  return { batch, baseOffset, result, settle };
};
