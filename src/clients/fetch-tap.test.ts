import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { encodeRequestFrame, encodeResponseFrame } from '../wire/protocol.ts';
import { watchFetches } from './fetch-tap.ts';

const VERSION = 11;

const fetchOf = (correlationId: number): Buffer =>
  encodeRequestFrame(
    'Fetch',
    VERSION,
    { correlationId, clientId: 'tap-test' },
    { maxWaitMs: 1, minBytes: 1, topics: [], forgottenTopicsData: [] },
  );

const answerOf = (correlationId: number, partitionIndex: number, errorCode: number): Buffer => {
  const state = { highWatermark: -1, abortedTransactions: null, records: null };
  return encodeResponseFrame('Fetch', VERSION, correlationId, {
    errorCode: 0,
    responses: [{ topic: 'orders', partitions: [{ partitionIndex, errorCode, ...state }] }],
  });
};

const seenFor = (partitionIndex: number, errorCode: number): number => {
  let seen = 0;
  const socket = new Socket();
  watchFetches(socket, { topic: 'orders', partition: 2, onOutOfRange: () => (seen += 1) });
  socket.write(fetchOf(9));
  socket.emit('data', answerOf(9, partitionIndex, errorCode));
  socket.destroy();
  return seen;
};

test('an answer that the offset is out of range is told', () => {
  expect(seenFor(2, 1)).toBe(1);
});

test('another error, another partition and another question tell nothing', () => {
  expect([seenFor(2, 6), seenFor(1, 1), seenFor(2, 0)]).toEqual([0, 0, 0]);
  let seen = 0;
  const socket = new Socket();
  watchFetches(socket, { topic: 'orders', partition: 2, onOutOfRange: () => (seen += 1) });
  socket.emit('data', answerOf(9, 2, 1));
  expect(seen).toBe(0);
  socket.destroy();
});
