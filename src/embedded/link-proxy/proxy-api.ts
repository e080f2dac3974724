// Toxiproxy's HTTP API, version 2.12, over the proxies of this program, and one path of our own that tells what passes through
// them while it passes.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { describeError } from '../../errors.ts';
import { ApiError, badRequestBody } from './api-error.ts';
import type { ProxySet } from './proxy-set.ts';
import { toxicJson } from './toxic-spec.ts';

/** The version of Toxiproxy whose API this is. */
const API_VERSION = '2.12.0';
const BODY_LIMIT_BYTES = 1024 * 1024;

interface ApiAnswer {
  readonly status: number;
  /** Undefined for no body. */
  readonly json?: unknown;
}

interface Call {
  readonly method: string;
  /** Percent-decoded segments of the path. */
  readonly path: readonly string[];
  /** Undefined when there was no body. */
  readonly body: unknown;
}

export interface ApiOptions {
  readonly proxies: ProxySet;
  /** Wall clock; in the answer of our own path, so that a restart shows. */
  readonly startedAtMs: number;
}

const ok = (json: unknown): ApiAnswer => ({ status: 200, json });
const created = (json: unknown): ApiAnswer => ({ status: 201, json });
const noContent: ApiAnswer = { status: 204 };
const isChange = (method: string): boolean => method === 'POST' || method === 'PATCH';
const notAllowed = (): ApiError => new ApiError(405, 'method not allowed');

const onService = async ({ proxies, startedAtMs }: ApiOptions, call: Call): Promise<ApiAnswer> => {
  switch (`${call.method} /${call.path.join('/')}`) {
    case 'GET /proxies':
      return ok(Object.fromEntries(proxies.all().map((proxy) => [proxy.name, proxy.json()])));
    case 'POST /proxies':
      return created((await proxies.create(call.body)).json());
    case 'POST /populate':
      return created({ proxies: (await proxies.populate(call.body)).map((proxy) => proxy.json()) });
    case 'POST /reset':
      await proxies.reset();
      return noContent;
    case 'GET /version':
      return ok({ version: API_VERSION });
    case 'GET /_ackproof/connections':
      return ok({
        startedAtMs,
        pid: process.pid,
        proxies: Object.fromEntries(proxies.all().map((proxy) => [proxy.name, proxy.traffic()])),
      });
    default:
      throw new ApiError(404, '404 page not found');
  }
};

const onProxy = async (proxies: ProxySet, name: string, call: Call): Promise<ApiAnswer> => {
  if (call.method === 'GET') return ok(proxies.get(name).json());
  if (isChange(call.method)) return ok((await proxies.change(name, call.body)).json());
  if (call.method !== 'DELETE') throw notAllowed();
  await proxies.remove(name);
  return noContent;
};

const onToxics = (proxies: ProxySet, name: string, call: Call): ApiAnswer => {
  const proxy = proxies.get(name);
  if (call.method === 'GET') return ok(proxy.toxics().map(toxicJson));
  if (call.method === 'POST') return ok(toxicJson(proxy.addToxic(call.body)));
  throw notAllowed();
};

const onToxic = (proxies: ProxySet, name: string, toxicName: string, call: Call): ApiAnswer => {
  const proxy = proxies.get(name);
  if (call.method === 'GET') return ok(toxicJson(proxy.toxic(toxicName)));
  if (isChange(call.method)) return ok(toxicJson(proxy.changeToxic(toxicName, call.body)));
  if (call.method !== 'DELETE') throw notAllowed();
  proxy.removeToxic(toxicName);
  return noContent;
};

const answerTo = async (options: ApiOptions, call: Call): Promise<ApiAnswer> => {
  const [first, name, third, toxicName, ...more] = call.path;
  if (first !== 'proxies' || name === undefined) return await onService(options, call);
  if (third === undefined) return await onProxy(options.proxies, name, call);
  if (third !== 'toxics' || more.length > 0) throw new ApiError(404, '404 page not found');
  return toxicName === undefined
    ? onToxics(options.proxies, name, call)
    : onToxic(options.proxies, name, toxicName, call);
};

const readBody = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_LIMIT_BYTES) throw badRequestBody(`more than ${BODY_LIMIT_BYTES} bytes`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return text.trim() === '' ? undefined : JSON.parse(text);
  } catch (thrown) {
    throw badRequestBody(describeError(thrown));
  }
};

const segmentsOf = (url: string): readonly string[] => {
  try {
    return (url.split('?', 1)[0] ?? '').split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    throw new ApiError(404, '404 page not found');
  }
};

const refusal = (thrown: unknown): ApiAnswer => {
  const status = thrown instanceof ApiError ? thrown.status : 500;
  const error = thrown instanceof ApiError ? thrown.message : describeError(thrown);
  return { status, json: { error, status } };
};

const send = (response: ServerResponse, answer: ApiAnswer): void => {
  if (answer.json === undefined) {
    response.writeHead(answer.status).end();
    return;
  }
  const bytes = Buffer.from(JSON.stringify(answer.json));
  response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes);
};

const serve = async (options: ApiOptions, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  let answer: ApiAnswer;
  try {
    const path = segmentsOf(request.url ?? '');
    const body = await readBody(request);
    answer = await answerTo(options, { method: request.method ?? '', path, body });
  } catch (thrown) {
    answer = refusal(thrown);
  }
  send(response, answer);
};

/** The API's server; the caller makes it listen, on loopback. */
export const createProxyApi = (options: ApiOptions): Server =>
  createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void serve(options, request, response);
  });
