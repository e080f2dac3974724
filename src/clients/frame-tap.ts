// Reads along on one socket of a library: every whole frame that is handed over, and every one that arrives, before the library
// sees it. Bytes that are no frames are told once; they never disturb the library itself.
import type { Socket } from 'node:net';
import { describeError } from '../errors.ts';
import { FrameSplitter } from '../wire/protocol.ts';

const MAX_FRAME_BYTES = 128 * 1024 * 1024;

export interface FrameListener {
  /** One request frame without its length. */
  onRequest(frame: Buffer): void;
  /** One response frame without its length. */
  onResponse(frame: Buffer): void;
  /** What passed could not be read as Kafka's protocol, in words. */
  onDamage(why: string): void;
}

const bytesOf = (chunk: Uint8Array | string): Buffer =>
  typeof chunk === 'string'
    ? Buffer.from(chunk, 'latin1')
    : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);

/** Listens from now on; call it before the library uses the socket. */
export const tapFrames = (socket: Socket, listener: FrameListener): void => {
  const outgoing = new FrameSplitter(MAX_FRAME_BYTES);
  const incoming = new FrameSplitter(MAX_FRAME_BYTES);
  const guarded = (read: () => void): void => {
    try {
      read();
    } catch (thrown) {
      listener.onDamage(describeError(thrown));
    }
  };
  const write = socket.write.bind(socket) as (...parts: unknown[]) => boolean;
  const tapped = (chunk: Uint8Array | string, ...rest: unknown[]): boolean => {
    guarded(() => {
      for (const frame of outgoing.push(bytesOf(chunk))) listener.onRequest(frame);
    });
    return write(chunk, ...rest);
  };
  socket.write = tapped;
  socket.prependListener('data', (chunk: Buffer) => {
    guarded(() => {
      for (const frame of incoming.push(chunk)) listener.onResponse(frame);
    });
  });
};
