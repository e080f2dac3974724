// The proxy's rules and counters over HTTP, JSON both ways, on a port of its own. It has no login: whoever reaches it can break what
// passes through, so it is on loopback unless told otherwise, and answers no web page.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { AckproofError, describeError, InputError } from '../errors.ts';
import type { Address } from '../vocabulary.ts';
import { DRAIN_WITHIN_MS, type S3ProxyControl } from './control.ts';
import { listenOn } from './listen.ts';
import type { RuleBook } from './rule-book.ts';

export interface AdminServer {
  readonly address: Address;
  stop(): Promise<void>;
}

export interface AdminParts {
  readonly control: S3ProxyControl;
  readonly rules: RuleBook;
}

interface AdminCall {
  /** Behind `/rules/`; empty elsewhere. */
  readonly id: string;
  /** Undefined where there was no body. */
  readonly body: unknown;
}

interface AdminAnswer {
  readonly status: number;
  readonly json: unknown;
}

const BODY_LIMIT_BYTES = 64 * 1024;

/** A call that is refused; the error says why and what to do. */
class Refusal extends Error {
  readonly status: number;
  readonly error: InputError;

  constructor(status: number, error: InputError) {
    super(error.message);
    this.status = status;
    this.error = error;
  }
}

const refusal = (status: number, code: string, message: string, hint: string): Refusal =>
  new Refusal(status, new InputError(code, message, { hint }));

const ok = (json: unknown): AdminAnswer => ({ status: 200, json });

const noSuchRule = (id: string): Refusal =>
  refusal(404, 'S3_PROXY_RULE_UNKNOWN', `No rule "${id}" is in force.`, 'GET /rules lists those that are.');

const drainSchema = z.strictObject({ withinMs: z.number().min(0).max(60_000).default(DRAIN_WITHIN_MS) }).prefault({});

const drainWithin = (body: unknown): number => {
  const parsed = drainSchema.safeParse(body);
  if (parsed.success) return parsed.data.withinMs;
  const [issue] = parsed.error.issues;
  throw refusal(
    400,
    'S3_PROXY_DRAIN',
    `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
    'Give withinMs or nothing.',
  );
};

type Route = (parts: AdminParts, call: AdminCall) => Promise<AdminAnswer> | AdminAnswer;

const ROUTES: Readonly<Record<string, Readonly<Record<string, Route>>>> = {
  '/rules': {
    GET: ({ rules }) => ok({ rules: rules.list() }),
    POST: ({ rules }, { body }) => ({ status: 201, json: rules.add(body) }),
    DELETE: ({ rules }) => ok({ removed: rules.removeAll() }),
  },
  '/rules/': {
    GET: ({ rules }, { id }) => {
      const rule = rules.find(id);
      if (rule === undefined) throw noSuchRule(id);
      return ok(rule);
    },
    DELETE: ({ rules }, { id }) => {
      if (!rules.remove(id)) throw noSuchRule(id);
      return ok({ removed: 1 });
    },
  },
  '/counters': { GET: async ({ control }) => ok(await control.counters()) },
  '/drain': { POST: async ({ control }, { body }) => ok(await control.drain(drainWithin(body))) },
};

const readBody = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_LIMIT_BYTES) {
      throw refusal(413, 'S3_PROXY_BODY', `More than ${BODY_LIMIT_BYTES} bytes.`, 'Send one rule at a time.');
    }
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return text.trim() === '' ? undefined : JSON.parse(text);
  } catch (thrown) {
    throw refusal(400, 'S3_PROXY_BODY', `The body is not JSON: ${describeError(thrown)}.`, 'Send one JSON document.');
  }
};

/** A browser says where a page came from; programs do not. */
const isFromPage = ({ headers }: IncomingMessage): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;

const answerTo = async (parts: AdminParts, request: IncomingMessage): Promise<AdminAnswer> => {
  if (isFromPage(request)) {
    throw refusal(403, 'S3_PROXY_PAGE', 'Web pages are not answered.', 'Use curl, or ackproof itself.');
  }
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const [, id = ''] = /^\/rules\/([^/]+)$/u.exec(path) ?? [];
  const routes = ROUTES[id === '' ? path : '/rules/'];
  if (routes === undefined) {
    throw refusal(404, 'S3_PROXY_PATH', `There is nothing at ${path}.`, 'Known: /rules, /rules/ID, /counters, /drain.');
  }
  const route = routes[request.method ?? ''];
  if (route === undefined) {
    const known = Object.keys(routes).join(', ');
    throw refusal(405, 'S3_PROXY_METHOD', `${request.method ?? ''} means nothing at ${path}.`, `Known: ${known}.`);
  }
  return await route(parts, { id, body: await readBody(request) });
};

/** S3_PROXY_RULE_EXISTS is about what is there already, the other errors about what was sent. */
const statusOf = (error: AckproofError): number => {
  if (error.code === 'S3_PROXY_RULE_EXISTS') return 409;
  return error.kind === 'input' ? 400 : 500;
};

const asAnswer = (thrown: unknown): AdminAnswer => {
  if (thrown instanceof Refusal) return refused(thrown.status, thrown.error);
  if (thrown instanceof AckproofError) return refused(statusOf(thrown), thrown);
  return { status: 500, json: { error: { code: 'S3_PROXY_BROKEN', message: describeError(thrown) } } };
};

const refused = (status: number, { code, message, hint }: AckproofError): AdminAnswer => ({
  status,
  json: { error: { code, message, hint } },
});

const serve = async (parts: AdminParts, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  let answer: AdminAnswer;
  try {
    answer = await answerTo(parts, request);
  } catch (thrown) {
    answer = asAnswer(thrown);
  }
  const bytes = Buffer.from(`${JSON.stringify(answer.json)}\n`);
  const headers = { 'content-type': 'application/json', 'content-length': bytes.length };
  response.writeHead(answer.status, answer.status === 413 ? { ...headers, connection: 'close' } : headers).end(bytes);
};

/** Throws EnvironmentError (S3_PROXY_PORT). */
export const startAdminApi = async (address: Address, parts: AdminParts): Promise<AdminServer> => {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void serve(parts, request, response);
  });
  return {
    address: await listenOn(server, address),
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
};
