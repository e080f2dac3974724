// Reads along on a consumer's sockets for the one answer the library keeps to itself: OFFSET_OUT_OF_RANGE, after which it goes
// on reading somewhere else as if nothing had happened.
import type { Socket } from 'node:net';
import { decodeResponseFrame } from '../wire/protocol.ts';
import { tapFrames } from './frame-tap.ts';

const FETCH_KEY = 1;
const OFFSET_OUT_OF_RANGE = 1;

export interface FetchWatch {
  readonly topic: string;
  readonly partition: number;
  onOutOfRange(): void;
}

/** Watches one socket. Answers that cannot be read are the library's own trouble: it reads the same bytes. */
export const watchFetches = (socket: Socket, watch: FetchWatch): void => {
  const awaited = new Map<number, number>();
  tapFrames(socket, {
    onRequest: (frame) => {
      if (frame.length >= 8 && frame.readInt16BE(0) === FETCH_KEY)
        awaited.set(frame.readInt32BE(4), frame.readInt16BE(2));
    },
    onResponse: (frame) => {
      const correlationId = frame.readInt32BE(0);
      const version = awaited.get(correlationId);
      if (version === undefined) return;
      awaited.delete(correlationId);
      const { responses } = decodeResponseFrame('Fetch', version, frame).body;
      const rows = responses.filter(({ topic }) => topic === watch.topic).flatMap(({ partitions }) => partitions);
      const mine = rows.find(({ partitionIndex }) => partitionIndex === watch.partition);
      if (mine?.errorCode === OFFSET_OUT_OF_RANGE) watch.onOutOfRange();
    },
    onDamage: () => undefined,
  });
};
