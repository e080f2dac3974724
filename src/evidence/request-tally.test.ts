import { expect, it } from 'vitest';
import type { StoreRequest } from '../targets/target.ts';
import { tallyRequests } from './request-tally.ts';

const request = (change: Partial<StoreRequest> = {}): StoreRequest => ({
  at: 10,
  durationMs: 1,
  listener: 'data',
  method: 'PUT',
  operation: 'PutObject',
  key: 'k',
  status: 200,
  requestBytes: 5,
  responseBytes: 2,
  complete: true,
  ...change,
});

it('requests are counted by path, operation and status, within the window', () => {
  const requests = [
    request(),
    request({ at: 19 }),
    request({ at: 20 }),
    request({ at: 9 }),
    request({ status: 503 }),
    request({ listener: 'direct', operation: 'ListObjectsV2' }),
  ];
  const both = { requests: 2, requestBytes: 10, responseBytes: 4 };
  const one = { requests: 1, requestBytes: 5, responseBytes: 2 };
  expect(tallyRequests(requests, { fromMs: 10, toMs: 20 })).toEqual([
    { path: 'data', operation: 'PutObject', status: 200, ...both },
    { path: 'data', operation: 'PutObject', status: 503, ...one },
    { path: 'harness', operation: 'ListObjectsV2', status: 200, ...one },
  ]);
});
