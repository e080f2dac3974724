import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { encodeRequestFrame, encodeResponseFrame } from '../wire/protocol.ts';
import { SocketTap } from './socket-tap.ts';

const VERSION = 7;

const request = (correlationId: number): Buffer =>
  encodeRequestFrame(
    'Produce',
    VERSION,
    { correlationId, clientId: 'tap-test' },
    { acks: -1, timeoutMs: 100, topicData: [] },
  );

const answer = (correlationId: number, baseOffset: number): Buffer =>
  encodeResponseFrame('Produce', VERSION, correlationId, {
    responses: [{ name: 'orders', partitionResponses: [{ index: 3, errorCode: 0, baseOffset }] }],
  });

/** A socket that was never connected: what is written waits, what arrives is emitted by hand. */
const watched = (tap: SocketTap): Socket => {
  const socket = new Socket();
  socket.on('error', () => undefined);
  tap.watch(socket);
  return socket;
};

test('attempts are counted as they are handed over, and answers read as they arrive', () => {
  const tap = new SocketTap();
  tap.begin();
  const socket = watched(tap);
  socket.write(request(1));
  socket.emit('data', answer(1, 17));
  expect(tap.attempts).toBe(1);
  expect(tap.answers).toEqual([{ topic: 'orders', partition: 3, code: 0, baseOffset: 17 }]);
  socket.destroy();
});

test('a frame that arrives in pieces is one answer', () => {
  const tap = new SocketTap();
  const socket = watched(tap);
  socket.write(request(1));
  const bytes = answer(1, 5);
  socket.emit('data', bytes.subarray(0, 7));
  expect(tap.answers).toEqual([]);
  socket.emit('data', bytes.subarray(7));
  expect(tap.answers).toHaveLength(1);
  socket.destroy();
});

test('an answer to an earlier batch that comes late is not taken for the answer to this one', () => {
  const tap = new SocketTap();
  const socket = watched(tap);
  tap.begin();
  socket.write(request(1));
  tap.begin();
  socket.write(request(2));
  socket.emit('data', answer(1, 10));
  expect(tap.answers).toEqual([]);
  socket.emit('data', answer(2, 20));
  expect(tap.answers.map(({ baseOffset }) => baseOffset)).toEqual([20]);
  socket.destroy();
});

test('once it has ended every socket is destroyed, those that are opened later too', () => {
  const tap = new SocketTap();
  const early = watched(tap);
  tap.end('over');
  const late = watched(tap);
  expect([early.destroyed, late.destroyed]).toEqual([true, true]);
});

test('bytes that are no frame are told as damage', () => {
  const tap = new SocketTap();
  const socket = watched(tap);
  socket.emit('data', Buffer.from([0xff, 0xff, 0xff, 0xff, 0]));
  expect(tap.damage).toMatch(/claims -1 bytes/);
  socket.destroy();
});
