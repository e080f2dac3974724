// How the embedded programs talk to each other: one JSON document each way over HTTP on loopback. Small on purpose, with a
// limit on what is read and a deadline on what is awaited.
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { AckproofError, DeadlineError, describeError, EnvironmentError } from '../errors.ts';
import type { Endpoint } from './cluster-view.ts';

const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** What a handler answers; status 200 unless it says otherwise. */
export interface JsonAnswer {
  readonly status?: number;
  readonly body: unknown;
}

/** `METHOD /path` → handler of the parsed body (undefined when there was none). */
export type JsonRoutes = Readonly<Record<string, (body: unknown) => Promise<JsonAnswer> | JsonAnswer>>;

const readBody = async (message: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) {
      throw new EnvironmentError('EMBEDDED_BODY_TOO_LARGE', `A document of more than ${MAX_BODY_BYTES} bytes.`);
    }
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? undefined : JSON.parse(text);
};

const respond = (response: ServerResponse, status: number, body: unknown): void => {
  const bytes = Buffer.from(JSON.stringify(body ?? {}));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
  response.end(bytes);
};

const handle = async (routes: JsonRoutes, message: IncomingMessage, response: ServerResponse): Promise<void> => {
  const path = (message.url ?? '/').split('?', 1)[0] ?? '/';
  const route = routes[`${message.method ?? 'GET'} ${path}`];
  if (route === undefined) {
    respond(response, 404, { error: `No such call: ${message.method ?? ''} ${path}.` });
    return;
  }
  try {
    const answer = await route(await readBody(message));
    respond(response, answer.status ?? 200, answer.body);
  } catch (thrown) {
    respond(response, thrown instanceof SyntaxError ? 400 : 500, { error: describeError(thrown) });
  }
};

/** A JSON server that listens; `close` also ends what is still connected. */
export interface JsonServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Makes `server` listen on `endpoint` (port 0 for a free one) and returns the port. Throws an EnvironmentError. */
export const listenOn = async (server: Server, endpoint: Endpoint): Promise<number> =>
  await new Promise<number>((resolve, reject) => {
    const onError = (cause: Error): void =>
      reject(
        new EnvironmentError('EMBEDDED_PORT', `Cannot listen on ${endpoint.host}:${endpoint.port}.`, {
          hint: 'Free the port or let the system choose one (port 0).',
          cause,
        }),
      );
    server.once('error', onError);
    server.listen(endpoint.port, endpoint.host, () => {
      server.off('error', onError);
      resolve((server.address() as AddressInfo).port);
    });
  });

export const startJsonServer = async (endpoint: Endpoint, routes: JsonRoutes): Promise<JsonServer> => {
  const server = createServer({ keepAliveTimeout: 60_000 }, (message, response) => {
    void handle(routes, message, response);
  });
  const port = await listenOn(server, endpoint);
  return {
    port,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};

/** The other side said no: its status and its sentence. */
class JsonCallRefused extends AckproofError {
  readonly status: number;

  constructor(call: string, status: number, reason: string) {
    super('EMBEDDED_CALL_REFUSED', 'environment', `${call} was answered with ${status}: ${reason}`);
    this.status = status;
  }
}

/** Calls one JSON server over kept connections. */
export interface JsonCaller {
  /** The parsed answer. Throws EnvironmentError, DeadlineError (after `deadlineMs`) or JsonCallRefused. */
  call(path: string, body: unknown, deadlineMs: number): Promise<unknown>;
  close(): void;
}

const reasonIn = (body: unknown): string => {
  const error = (body as { readonly error?: unknown } | undefined)?.error;
  return typeof error === 'string' ? error : 'no reason given';
};

export const createJsonCaller = (endpoint: Endpoint): JsonCaller => {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const exchange = async (path: string, body: unknown, signal: AbortSignal): Promise<unknown> => {
    const bytes = Buffer.from(JSON.stringify(body ?? {}));
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': bytes.length };
      const options = { agent, host: endpoint.host, port: endpoint.port, method: 'POST', path, headers, signal };
      request(options, resolve).on('error', reject).end(bytes);
    });
    const parsed = await readBody(answer);
    if (answer.statusCode !== 200) throw new JsonCallRefused(path, answer.statusCode ?? 0, reasonIn(parsed));
    return parsed;
  };
  return {
    call: async (path, body, deadlineMs) => {
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), deadlineMs);
      try {
        return await exchange(path, body, deadline.signal);
      } catch (cause) {
        if (cause instanceof JsonCallRefused) throw cause;
        const where = `${endpoint.host}:${endpoint.port}${path}`;
        if (deadline.signal.aborted) throw new DeadlineError(where, deadlineMs, 'no answer', { cause });
        throw new EnvironmentError('EMBEDDED_CALL_FAILED', `No answer from ${where}.`, { cause });
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => agent.destroy(),
  };
};
