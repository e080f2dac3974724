// One client connection: frames in, answers out, in the order of the requests. Produce requests that follow each other are
// worked on together (the log groups them into one write); any other request waits for those before it, as in Kafka.
import type { Socket } from 'node:net';
import { describeError } from '../../errors.ts';
import { FrameSplitter } from '../../wire/frame-splitter.ts';
import {
  apiTable,
  type DecodedRequest,
  decodeRequestFrame,
  encodeResponseFrame,
  WireError,
} from '../../wire/protocol.ts';
import { KAFKA } from '../error-codes.ts';
import type { ProgramLog } from '../program-log.ts';
import { type Handler, type Handlers, isServed, type ListenerName, type NoAnswer } from './handler.ts';

export interface KafkaConnectionOptions {
  readonly listener: ListenerName;
  readonly handlers: Handlers;
  readonly log: ProgramLog;
  readonly maxFrameBytes: number;
}

/** Requests of one connection that may wait or be in progress before it is read no further. */
const MAX_QUEUED = 64;

const API_VERSIONS_KEY = apiTable.find((api) => api.name === 'ApiVersions')?.key;

/** The answer to an ApiVersions request of a version we do not know: version 0, code 35, and what we do know. */
const apiVersionsRefusal = (correlationId: number): Buffer =>
  encodeResponseFrame('ApiVersions', 0, correlationId, {
    errorCode: KAFKA.UNSUPPORTED_VERSION,
    apiKeys: apiTable
      .filter((api) => api.name === 'ApiVersions')
      .map((api) => ({ apiKey: api.key, minVersion: api.claimedMinVersion, maxVersion: api.maxVersion })),
  });

const isUnknownApiVersions = (thrown: unknown): thrown is WireError =>
  thrown instanceof WireError &&
  thrown.code === 'WIRE_UNSUPPORTED_VERSION' &&
  thrown.request?.apiKey === API_VERSIONS_KEY;

/** Bodies are objects. */
const isNoAnswer = (answer: unknown): answer is NoAnswer => typeof answer === 'string';

export class KafkaConnection {
  private readonly socket: Socket;
  private readonly options: KafkaConnectionOptions;
  private readonly splitter: FrameSplitter;
  private readonly waiting: (DecodedRequest | Buffer)[] = [];
  private readonly gone = new AbortController();
  private inProgress = 0;
  private lastApi: string | undefined;
  private sent: Promise<void> = Promise.resolve();
  private paused = false;

  constructor(socket: Socket, options: KafkaConnectionOptions) {
    this.socket = socket;
    this.options = options;
    this.splitter = new FrameSplitter(options.maxFrameBytes);
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.take(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => this.gone.abort());
    socket.on('drain', () => this.pump());
  }

  close(): void {
    this.socket.destroy();
  }

  private get peer(): string {
    return `${this.socket.remoteAddress ?? 'unknown'}:${this.socket.remotePort ?? 0}`;
  }

  /** Ends this connection, and only this one, with a line in the log. */
  private refuse(thrown: unknown): void {
    if (this.gone.signal.aborted) return;
    this.options.log.warn(`closing ${this.options.listener} connection of ${this.peer}: ${describeError(thrown)}`);
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    try {
      for (const frame of this.splitter.push(chunk)) this.waiting.push(this.decode(frame));
    } catch (thrown) {
      this.refuse(thrown);
      return;
    }
    this.pump();
  }

  /** The request, or the bytes of a ready answer where there is nothing to ask a handler. */
  private decode(frame: Buffer): DecodedRequest | Buffer {
    try {
      return decodeRequestFrame(frame);
    } catch (thrown) {
      if (isUnknownApiVersions(thrown)) return apiVersionsRefusal(thrown.request?.correlationId ?? 0);
      throw thrown;
    }
  }

  private pump(): void {
    while (!this.gone.signal.aborted && this.mayStart(this.waiting[0])) {
      const next = this.waiting.shift();
      if (next !== undefined) this.start(next);
    }
    const isFull = this.waiting.length + this.inProgress >= MAX_QUEUED || this.socket.writableNeedDrain;
    if (isFull !== this.paused) {
      this.paused = isFull;
      if (isFull) this.socket.pause();
      else this.socket.resume();
    }
  }

  private mayStart(next: DecodedRequest | Buffer | undefined): boolean {
    if (next === undefined || this.socket.writableNeedDrain) return false;
    if (this.inProgress === 0) return true;
    return (
      !Buffer.isBuffer(next) && next.api === 'Produce' && this.lastApi === 'Produce' && this.inProgress < MAX_QUEUED
    );
  }

  private start(request: DecodedRequest | Buffer): void {
    this.inProgress += 1;
    this.lastApi = Buffer.isBuffer(request) ? undefined : request.api;
    const answer = Buffer.isBuffer(request) ? Promise.resolve(request) : this.answer(request);
    this.sent = this.send(this.sent, answer);
  }

  /** Never rejects: a handler that throws is a bug of ours, and costs this connection. */
  private async send(before: Promise<void>, answer: Promise<Buffer | NoAnswer>): Promise<void> {
    try {
      const [bytes] = await Promise.all([answer, before]);
      if (bytes === 'close') this.socket.destroy();
      else if (bytes !== 'no-answer' && !this.gone.signal.aborted) this.socket.write(bytes);
    } catch (thrown) {
      this.refuse(thrown);
    } finally {
      this.inProgress -= 1;
      this.pump();
    }
  }

  private async answer(request: DecodedRequest): Promise<Buffer | NoAnswer> {
    const { api, version, correlationId } = request;
    // It was never offered, so whoever asks is closed on, as for a key that does not exist.
    if (!isServed(api)) return 'close';
    const handler = this.options.handlers[api] as Handler<typeof api>;
    const body = await handler(request.body as never, {
      listener: this.options.listener,
      version,
      clientId: request.clientId ?? '',
      clientHost: this.socket.remoteAddress ?? '',
      signal: this.gone.signal,
    });
    if (isNoAnswer(body)) return body;
    return encodeResponseFrame(api, version, correlationId, body);
  }
}
