// The requests of a store's own log, counted by path, operation and status: what a reader needs to price them, and what tells that a
// store refused, or was asked more than usual.
import type { StoreRequest } from '../targets/target.ts';

export interface TalliedRequests {
  /** `harness`: made by ackproof itself. */
  readonly path: 'data' | 'wal' | 'harness';
  readonly operation: string;
  readonly status: number;
  readonly requests: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
}

/** Moments on the wall clock, ms; from `fromMs` on, and before `toMs`. */
export interface TallyWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Of the requests that arrived in the window; sorted by path, operation and status. An answer that broke off counts as it was begun. */
export const tallyRequests = (
  requests: readonly StoreRequest[],
  { fromMs, toMs }: TallyWindow,
): readonly TalliedRequests[] => {
  const rows = new Map<string, TalliedRequests>();
  for (const request of requests) {
    if (request.at < fromMs || request.at >= toMs) continue;
    const path = request.listener === 'direct' ? 'harness' : request.listener;
    const { operation = request.method, status } = request;
    const name = `${path} ${operation} ${status}`;
    const row = rows.get(name) ?? { path, operation, status, requests: 0, requestBytes: 0, responseBytes: 0 };
    rows.set(name, {
      ...row,
      requests: row.requests + 1,
      requestBytes: row.requestBytes + request.requestBytes,
      responseBytes: row.responseBytes + request.responseBytes,
    });
  }
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
};
