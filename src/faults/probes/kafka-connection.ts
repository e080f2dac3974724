// A canary's own connection to a broker: raw enough to tell a refusal from a reset, an end or silence, which a client with
// retries would hide. One request at a time; a deadline on each. It never follows metadata, so it stays on its path.
import { connect, type Socket } from 'node:net';
import { systemClock } from '../../clock.ts';
import type { Address } from '../../targets/target.ts';
import type { ConnectionSecurity } from '../../wire/connection-security.ts';
import {
  type ApiName,
  decodeResponseFrame,
  encodeRequestFrame,
  FrameSplitter,
  type RequestInput,
  type ResponseBody,
} from '../../wire/protocol.ts';
import { logIn } from '../../wire/sasl-login.ts';
import { openTlsSocket } from '../../wire/tls-socket.ts';
import type { ProbeClass } from '../fault.ts';
import { addressText, classifySocketError, type PassedBytes, ProbeFailure, type ProbeResult } from './probe.ts';

const CLIENT_ID = 'ackproof-canary';
/** The versions in which every broker since Kafka 2.2 takes a login. */
const LOGIN_VERSION = 1;
const MAX_FRAME_BYTES = 4 * 1024 * 1024;

interface Waiting {
  readonly correlationId: number;
  readonly resolve: (frame: Buffer) => void;
  readonly reject: (failure: ProbeFailure) => void;
}

/** Ends `socket` and calls `late` when `deadlineMs` have passed or `signal` aborts; returns what stops the watch. */
const watchDeadline = (deadlineMs: number, signal: AbortSignal, late: (cause?: unknown) => void): (() => void) => {
  const done = new AbortController();
  void systemClock.sleep(deadlineMs, AbortSignal.any([signal, done.signal])).then(
    () => late(),
    () => {
      if (!done.signal.aborted) late(signal.reason);
    },
  );
  return () => done.abort();
};

export class KafkaCanaryConnection {
  readonly #socket: Socket;
  readonly #where: string;
  readonly #clientId: string;
  readonly #splitter = new FrameSplitter(MAX_FRAME_BYTES);
  #waiting: Waiting | undefined;
  #ended: ProbeClass | undefined;
  #correlationId = 0;
  #sentBytes = 0;
  #receivedBytes = 0;

  private constructor(socket: Socket, where: string, clientId: string) {
    this.#socket = socket;
    this.#where = where;
    this.#clientId = clientId;
    socket.on('data', (chunk: Buffer) => this.#onData(chunk));
    socket.on('error', (error) => this.#onEnd(classifySocketError(error)));
    socket.on('close', () => this.#onEnd('eof'));
  }

  /**
   * Connects, and logs in where that is asked for; rejects with a ProbeFailure. `deadlineMs` for each of the two. A longer
   * `clientId` than the usual one makes every request longer.
   */
  static async open(
    address: Address,
    deadlineMs: number,
    signal: AbortSignal,
    security?: ConnectionSecurity,
    clientId = CLIENT_ID,
  ): Promise<KafkaCanaryConnection> {
    const connection = await KafkaCanaryConnection.#connect(address, deadlineMs, signal, security, clientId);
    const sasl = security?.sasl;
    if (sasl === undefined) return connection;
    try {
      const ask = async <N extends 'SaslHandshake' | 'SaslAuthenticate'>(api: N, body: RequestInput<N>) =>
        await connection.ask(api, LOGIN_VERSION, body, deadlineMs, signal);
      await logIn(addressText(address), sasl, ask);
      return connection;
    } catch (thrown) {
      connection.close();
      if (thrown instanceof ProbeFailure) throw thrown;
      throw new ProbeFailure('auth', `Logging in at ${addressText(address)}`, thrown);
    }
  }

  static async #connect(
    address: Address,
    deadlineMs: number,
    signal: AbortSignal,
    security: ConnectionSecurity | undefined,
    clientId: string,
  ): Promise<KafkaCanaryConnection> {
    const where = addressText(address);
    const tls = security?.tls;
    const socket = tls === undefined ? connect({ ...address, noDelay: true }) : openTlsSocket(address, tls);
    await new Promise<void>((resolve, reject) => {
      const stopWatch = watchDeadline(deadlineMs, signal, (cause) => {
        socket.destroy();
        reject(new ProbeFailure('timeout', `Connecting to ${where}`, cause));
      });
      const fail = (error: Error): void => {
        stopWatch();
        reject(new ProbeFailure(classifySocketError(error), `Connecting to ${where}`, error));
      };
      socket.once('error', fail);
      socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
        stopWatch();
        socket.removeListener('error', fail);
        resolve();
      });
    });
    return new KafkaCanaryConnection(socket, where, clientId);
  }

  /** Requests handed over and answers received since it was opened. */
  get passed(): PassedBytes {
    return { upstream: this.#sentBytes, downstream: this.#receivedBytes };
  }

  /** How the connection ended, once it has. */
  get ended(): ProbeClass | undefined {
    return this.#ended;
  }

  /** Asks and waits for the answer. After a timeout the connection is kept, but a late answer is ignored. */
  async ask<N extends ApiName>(
    api: N,
    version: number,
    body: RequestInput<N>,
    deadlineMs: number,
    signal: AbortSignal,
  ): Promise<ResponseBody<N>> {
    const what = `${api} to ${this.#where}`;
    if (this.#ended !== undefined) throw new ProbeFailure(this.#ended, what);
    const correlationId = ++this.#correlationId;
    const request = encodeRequestFrame(api, version, { correlationId, clientId: this.#clientId }, body);
    const frame = await new Promise<Buffer>((resolve, reject) => {
      const stopWatch = watchDeadline(deadlineMs, signal, (cause) => {
        this.#waiting = undefined;
        reject(new ProbeFailure('timeout', what, cause));
      });
      this.#waiting = {
        correlationId,
        resolve: (answer) => {
          stopWatch();
          resolve(answer);
        },
        reject: (failure) => {
          stopWatch();
          reject(failure);
        },
      };
      this.#socket.write(request);
      this.#sentBytes += request.length;
    });
    return decodeResponseFrame(api, version, frame).body;
  }

  close(): void {
    this.#socket.destroy();
  }

  #onData(chunk: Buffer): void {
    this.#receivedBytes += chunk.length;
    for (const frame of this.#splitter.push(chunk)) {
      const waiting = this.#waiting;
      if (waiting === undefined || frame.length < 4 || frame.readInt32BE(0) !== waiting.correlationId) continue;
      this.#waiting = undefined;
      waiting.resolve(frame);
    }
  }

  #onEnd(how: ProbeClass): void {
    this.#ended ??= how;
    this.#waiting?.reject(new ProbeFailure(this.#ended, `A request to ${this.#where}`));
    this.#waiting = undefined;
  }
}

/** Times `work` and turns a ProbeFailure into its class; any other error is thrown on. */
export const timedProbe = async (work: () => Promise<void>): Promise<ProbeResult> => {
  const started = systemClock.now();
  try {
    await work();
    return { class: 'ok', ms: systemClock.now() - started };
  } catch (thrown) {
    if (thrown instanceof ProbeFailure) return { class: thrown.class, ms: systemClock.now() - started };
    throw thrown;
  }
};

/** Asks for ApiVersions on `connection`; the cheapest question a broker answers by itself. */
export const askApiVersions = async (
  connection: KafkaCanaryConnection,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<ProbeResult> =>
  await timedProbe(async () => {
    const answer = await connection.ask('ApiVersions', 0, {}, deadlineMs, signal);
    if (answer.errorCode !== 0) throw new ProbeFailure(`kafka:${answer.errorCode}`, 'ApiVersions');
  });

/** Opens a new connection and asks for ApiVersions on it. */
export const probeKafka = async (
  address: Address,
  deadlineMs: number,
  signal: AbortSignal,
  security?: ConnectionSecurity,
): Promise<ProbeResult> =>
  await timedProbe(async () => {
    const connection = await KafkaCanaryConnection.open(address, deadlineMs, signal, security);
    try {
      const answer = await askApiVersions(connection, deadlineMs, signal);
      if (answer.class !== 'ok') throw new ProbeFailure(answer.class, `ApiVersions to ${addressText(address)}`);
    } finally {
      connection.close();
    }
  });
