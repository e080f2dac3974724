// Reads along on kafkajs's sockets: how often a produce request really left the process, and what the broker really
// answered. The library hides both, and has been seen to report an acknowledgement that no broker gave.
import type { Socket } from 'node:net';
import { decodeRequestFrame, decodeResponseFrame } from '../wire/protocol.ts';
import { tapFrames } from './frame-tap.ts';

const PRODUCE_KEY = 0;

export interface ProduceAnswer {
  readonly topic: string;
  readonly partition: number;
  readonly code: number;
  readonly baseOffset: number;
}

/** Produce requests of one socket that wait for their answer: correlation id → version. */
type Awaited = Map<number, number>;

const isNamed = (frame: Buffer, topic: string, partition: number): boolean => {
  try {
    const request = decodeRequestFrame(frame);
    if (request.api !== 'Produce') return false;
    const named = request.body.topicData.filter(({ name }) => name === topic);
    return named.some(({ partitionData }) => partitionData.some(({ index }) => index === partition));
  } catch {
    return true;
  }
};

/** The tap of one lane. A lane has one call in flight, so every produce frame it sees belongs to the batches of that call. */
export class SocketTap {
  /** Produce requests handed to a socket since `begin()`. */
  attempts = 0;
  /** Answers decoded since `begin()`, in order of arrival. */
  answers: ProduceAnswer[] = [];
  /** Set when bytes on a socket could not be read as Kafka's protocol. */
  damage: string | undefined;
  readonly #sockets = new Map<Socket, Awaited>();
  /** The requests of `attempts`, whole. */
  #requests: Buffer[] = [];
  #ended: string | undefined;

  /** A new batch: what is still answered to an earlier one is not taken for its answer. */
  begin(): void {
    this.attempts = 0;
    this.answers = [];
    this.#requests = [];
    for (const awaited of this.#sockets.values()) awaited.clear();
  }

  /** Those of `attempts` that named a partition. One that cannot be read may have named it, too. */
  attemptsOn(topic: string, partition: number): number {
    return this.#requests.filter((frame) => isNamed(frame, topic, partition)).length;
  }

  watch(socket: Socket): void {
    if (this.#ended !== undefined) {
      socket.destroy(new Error(this.#ended));
      return;
    }
    const awaited: Awaited = new Map();
    this.#sockets.set(socket, awaited);
    socket.once('close', () => this.#sockets.delete(socket));
    tapFrames(socket, {
      onRequest: (frame) => this.#onRequest(frame, awaited),
      onResponse: (frame) => this.#onResponse(frame, awaited),
      onDamage: (why) => {
        this.damage ??= why;
      },
    });
  }

  /**
   * Destroys every socket, and each that the library opens from now on: it may still be at work on the batch, and no byte of it
   * may leave once its outcome is decided.
   */
  end(reason: string): void {
    this.#ended ??= reason;
    for (const socket of this.#sockets.keys()) socket.destroy(new Error(reason));
    this.#sockets.clear();
  }

  #onRequest(frame: Buffer, awaited: Awaited): void {
    if (frame.length < 8 || frame.readInt16BE(0) !== PRODUCE_KEY) return;
    this.attempts += 1;
    this.#requests.push(frame);
    awaited.set(frame.readInt32BE(4), frame.readInt16BE(2));
  }

  #onResponse(frame: Buffer, awaited: Awaited): void {
    if (frame.length < 4) return;
    const correlationId = frame.readInt32BE(0);
    const version = awaited.get(correlationId);
    if (version === undefined) return;
    awaited.delete(correlationId);
    const { body } = decodeResponseFrame('Produce', version, frame);
    for (const topic of body.responses) {
      for (const partition of topic.partitionResponses) {
        this.answers.push({
          topic: topic.name,
          partition: partition.index,
          code: partition.errorCode,
          baseOffset: partition.baseOffset,
        });
      }
    }
  }
}
