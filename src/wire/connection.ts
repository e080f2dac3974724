// One connection to one broker: versions negotiated when it opens, requests pipelined, answers matched by correlation id.
// Whatever makes an answer doubtful (a deadline, a cancel, a wrong id, bytes that are not the protocol) ends the connection,
// so that no late answer can be taken for another one.
import type { Socket } from 'node:net';
import { deadlineSignal, systemClock } from '../clock.ts';
import type { Address } from '../vocabulary.ts';
import {
  type BrokerVersions,
  chooseVersion,
  FIRST_ASKED_VERSION,
  isVersionRefusal,
  readVersions,
  SOFTWARE,
} from './api-negotiation.ts';
import { connectSocket, formatAddress } from './connect-socket.ts';
import type { ConnectionSecurity } from './connection-security.ts';
import { Exchange, type RequestOptions } from './exchange.ts';
import {
  type ApiName,
  correlationIdOf,
  DEFAULT_MAX_FRAME_BYTES,
  decodeResponseFrame,
  encodeRequestFrame,
  FrameSplitter,
  type RequestInput,
  type ResponseBody,
  WireError,
} from './protocol.ts';
import { LoginSession } from './sasl-session.ts';
import { isTlsTrouble, tlsError } from './tls-socket.ts';

export type { RequestOptions } from './exchange.ts';

export interface ConnectionOptions extends Address {
  readonly clientId: string | null;
  /** Milliseconds for connecting, negotiating and logging in together. */
  readonly connectTimeoutMs: number;
  /** Requests sent and not yet answered; more wait their turn. Default 5. */
  readonly maxInFlight?: number;
  readonly maxFrameBytes?: number;
  readonly security?: ConnectionSecurity | undefined;
  /** Sees every byte as it is sent and received, but not those of a login. */
  readonly onBytes?: (direction: 'sent' | 'received', bytes: Buffer) => void;
  readonly signal?: AbortSignal;
}

const DEFAULT_IN_FLIGHT = 5;
const MAX_CORRELATION_ID = 0x7fffffff;

export class Connection {
  readonly address: Address;
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #splitter: FrameSplitter;
  readonly #waiting: Exchange[] = [];
  readonly #inFlight: Exchange[] = [];
  readonly #session: LoginSession | undefined;
  #versions: BrokerVersions = new Map();
  #nextCorrelationId = 1;
  #closeReason: WireError | undefined;

  private constructor(socket: Socket, options: ConnectionOptions) {
    this.address = { host: options.host, port: options.port };
    this.#socket = socket;
    this.#options = options;
    this.#splitter = new FrameSplitter(options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES);
    const sasl = options.security?.sasl;
    const where = formatAddress(this.address);
    this.#session = sasl === undefined ? undefined : new LoginSession(where, sasl);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (cause) => this.#end(this.#brokenError(cause)));
    socket.on('close', () => this.#end(this.#closedError('the broker closed the connection')));
  }

  /**
   * Connects and negotiates. A broker that does not know our ApiVersions is asked again in version 0, on a new connection if
   * it hung up over the question.
   */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const startedMs = systemClock.now();
    const remainingMs = (): number => options.connectTimeoutMs - (systemClock.now() - startedMs);
    const attempt = async (version: number): Promise<Connection> => {
      const socket = await connectSocket(options, remainingMs(), options.signal, options.security?.tls);
      const connection = new Connection(socket, options);
      try {
        await connection.#negotiate(version, remainingMs);
        await connection.#logIn(remainingMs);
        return connection;
      } catch (error) {
        connection.close();
        throw error;
      }
    };
    try {
      return await attempt(FIRST_ASKED_VERSION);
    } catch (error) {
      const hungUp = error instanceof WireError && error.code === 'WIRE_CLOSED' && remainingMs() > 0;
      if (!hungUp) throw error;
      return await attempt(0);
    }
  }

  get closed(): boolean {
    return this.#closeReason !== undefined;
  }

  /** Why the connection ended; undefined while it lives. */
  get closeReason(): WireError | undefined {
    return this.#closeReason;
  }

  /** What the broker said it takes. */
  get brokerVersions(): BrokerVersions {
    return this.#versions;
  }

  /** The version in which `request` would ask. */
  versionOf(api: ApiName): number {
    return chooseVersion(api, this.#versions);
  }

  /**
   * Asks and waits for the answer. Errors are `WireError`: `sent` false means that nothing left the process. A deadline or
   * cancel after sending closes the connection, and with it every other request in flight.
   */
  async request<N extends ApiName>(api: N, body: RequestInput<N>, options: RequestOptions): Promise<ResponseBody<N>> {
    const version = chooseVersion(api, this.#versions, options.version);
    const left = this.#session?.isDue === true ? await this.#logInAgain(this.#session, options) : options;
    const frame = await this.#exchange(api, version, body, left);
    return this.#decode(api, version, frame);
  }

  /** Sends a request that no broker answers: Produce with acks=0. */
  post<N extends ApiName>(api: N, body: RequestInput<N>, version?: number): void {
    if (this.#closeReason !== undefined) throw notSent(this.#closeReason);
    if (this.#session?.isDue === true) {
      this.#renew(this.#session).catch(() => undefined);
      throw notSent(this.#closedError('it is logging in again'));
    }
    const chosen = chooseVersion(api, this.#versions, version);
    this.#write(encodeRequestFrame(api, chosen, this.#header(), body));
  }

  /** Ends the connection at once; requests in flight fail with `WIRE_CLOSED`. */
  close(): void {
    this.#end(this.#closedError('we closed the connection'));
  }

  async #negotiate(version: number, remainingMs: () => number): Promise<void> {
    const { signal } = this.#options;
    const options = (): RequestOptions => ({ deadlineMs: remainingMs(), ...(signal === undefined ? {} : { signal }) });
    const frame = await this.#exchange('ApiVersions', version, SOFTWARE, options());
    if (version !== 0 && isVersionRefusal(frame)) {
      this.#versions = readVersions(await this.#exchange('ApiVersions', 0, {}, options()), 0);
      return;
    }
    this.#versions = readVersions(frame, version);
  }

  async #logIn(remainingMs: () => number): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    const { signal } = this.#options;
    await session.logIn(async (api, body) => {
      const version = chooseVersion(api, this.#versions);
      const options = { deadlineMs: remainingMs(), ...(signal === undefined ? {} : { signal }) };
      return this.#decode(api, version, await this.#exchange(api, version, body, options));
    });
  }

  /** The login is about to run out: what was asked before is let through, then it is renewed, and everybody else waits. */
  #renew(session: LoginSession): Promise<void> {
    return session.renew(async () => {
      await Promise.allSettled([...this.#inFlight, ...this.#waiting].map(async ({ answer }) => await answer));
      const until = systemClock.now() + this.#options.connectTimeoutMs;
      try {
        await this.#logIn(() => until - systemClock.now());
      } catch (error) {
        this.#end(this.#closedError('the login could not be renewed', error));
        throw error;
      }
    });
  }

  /** What is left of the request's time once the login holds again. */
  async #logInAgain(session: LoginSession, options: RequestOptions): Promise<RequestOptions> {
    const startedMs = systemClock.now();
    const ended = deadlineSignal(options.deadlineMs, options.signal);
    const given = new Promise<never>((_, reject) => {
      const late = (): void => {
        const code = options.signal?.aborted === true ? 'WIRE_CANCELLED' : 'WIRE_DEADLINE';
        reject(new WireError(code, `${formatAddress(this.address)} did not renew the login in time.`, { sent: false }));
      };
      ended.addEventListener('abort', late, { once: true });
    });
    given.catch(() => undefined);
    await Promise.race([this.#renew(session), given]);
    return { ...options, deadlineMs: options.deadlineMs - (systemClock.now() - startedMs) };
  }

  #header(): { correlationId: number; clientId: string | null } {
    const correlationId = this.#nextCorrelationId;
    this.#nextCorrelationId = correlationId === MAX_CORRELATION_ID ? 1 : correlationId + 1;
    return { correlationId, clientId: this.#options.clientId };
  }

  async #exchange<N extends ApiName>(
    api: N,
    version: number,
    body: RequestInput<N>,
    options: RequestOptions,
  ): Promise<Buffer> {
    if (this.#closeReason !== undefined) throw notSent(this.#closeReason);
    if (options.signal?.aborted === true) {
      throw new WireError('WIRE_CANCELLED', `${api} was cancelled before it was sent.`, { sent: false });
    }
    const header = this.#header();
    const frame = encodeRequestFrame(api, version, header, body);
    const question = { api, version, correlationId: header.correlationId, frame };
    const exchange = new Exchange(question, options, (given, error) => this.#giveUp(given, error));
    this.#waiting.push(exchange);
    this.#sendWaiting();
    return await exchange.answer;
  }

  #sendWaiting(): void {
    const limit = this.#options.maxInFlight ?? DEFAULT_IN_FLIGHT;
    while (this.#closeReason === undefined && this.#inFlight.length < limit) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      next.sent = true;
      this.#inFlight.push(next);
      this.#write(next.frame);
    }
  }

  #write(frame: Buffer): void {
    if (this.#session?.isBusy !== true) this.#options.onBytes?.('sent', frame);
    this.#socket.write(frame);
  }

  #receive(chunk: Buffer): void {
    if (this.#session?.isBusy !== true) this.#options.onBytes?.('received', chunk);
    if (this.#closeReason !== undefined) return;
    try {
      for (const frame of this.#splitter.push(chunk)) this.#answer(frame);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.#end(error);
    }
    this.#sendWaiting();
  }

  #answer(frame: Buffer): void {
    const correlationId = correlationIdOf(frame);
    const oldest = this.#inFlight[0];
    if (oldest?.correlationId !== correlationId) {
      throw new WireError(
        'WIRE_CORRELATION_MISMATCH',
        `${formatAddress(this.address)} answered correlation id ${correlationId}; awaited was ${oldest?.correlationId ?? 'none'}.`,
      );
    }
    this.#inFlight.shift();
    oldest.succeed(frame);
  }

  #decode<N extends ApiName>(api: N, version: number, frame: Buffer): ResponseBody<N> {
    try {
      return decodeResponseFrame(api, version, frame).body;
    } catch (error) {
      if (error instanceof WireError) this.#end(error);
      throw error;
    }
  }

  #giveUp(exchange: Exchange, error: WireError): void {
    if (exchange.sent) {
      this.#inFlight.splice(this.#inFlight.indexOf(exchange), 1);
      this.#end(this.#closedError('given up by us', error));
    } else {
      this.#waiting.splice(this.#waiting.indexOf(exchange), 1);
    }
    exchange.fail(error);
  }

  #end(reason: WireError): void {
    if (this.#closeReason !== undefined) return;
    this.#closeReason = reason;
    this.#socket.destroy();
    for (const exchange of this.#inFlight.splice(0)) exchange.fail(reason);
    for (const exchange of this.#waiting.splice(0)) exchange.fail(notSent(reason));
  }

  #brokenError(cause: unknown): WireError {
    // A broker refuses our certificate only after our side of TLS is done, and bytes may be damaged at any time.
    const isTls = this.#options.security?.tls !== undefined && isTlsTrouble(cause);
    return isTls
      ? tlsError(formatAddress(this.address), cause, true)
      : this.#closedError('the connection broke', cause);
  }

  #closedError(what: string, cause?: unknown): WireError {
    const inFlight = this.#inFlight.map(({ api }) => api).join(', ');
    const awaited = inFlight === '' ? 'nothing' : inFlight;
    return new WireError('WIRE_CLOSED', `${formatAddress(this.address)}: ${what}; awaited was ${awaited}.`, { cause });
  }
}

/** The same end of the connection, as seen by a request that was never sent. */
const notSent = (reason: WireError): WireError =>
  new WireError(reason.code, reason.message, { cause: reason.cause, sent: false });
