// One HTTP request and its whole answer, within a deadline. The one thing to know is when a failure is ambiguous: as soon as
// the request had a connection to travel on, the other side may have got it.
import { type Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { StoreUnavailable } from '../log/store-unavailable.ts';

export interface Exchange {
  readonly agent: Agent;
  readonly endpoint: { readonly host: string; readonly port: number };
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** From the call to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const collect = (
  message: IncomingMessage,
  method: Exchange['method'],
  done: (reply: Reply) => void,
  fail: (why: string) => void,
): void => {
  const chunks: Buffer[] = [];
  message.on('data', (chunk: Buffer) => chunks.push(chunk));
  message.on('error', (error) => fail(`the answer broke off (${error.message})`));
  message.on('end', () => {
    const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    const declared = message.headers['content-length'];
    if (!message.complete || (method !== 'HEAD' && declared !== undefined && Number(declared) !== body.length)) {
      fail('the answer broke off');
      return;
    }
    done({ status: message.statusCode ?? 0, headers: message.headers, body });
  });
};

/**
 * The answer, whatever its status below 500. Throws StoreUnavailable for no connection, a broken one, a passed deadline, an
 * abort or a 5xx; `ambiguous` only for PUT and POST that may have arrived.
 */
export const exchange = async (options: Exchange): Promise<Reply> =>
  await new Promise((resolve, reject) => {
    const changes = options.method === 'PUT' || options.method === 'POST';
    let mayHaveArrived = false;
    const fail = (why: string, cause?: unknown): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
      const details = cause === undefined ? {} : { cause };
      const what = `${options.method} ${options.path}: ${why}`;
      reject(new StoreUnavailable(what, changes && mayHaveArrived, details));
      request.destroy();
    };
    const onAbort = (): void => fail('the call was given up', options.signal?.reason);
    const request = httpRequest({
      agent: options.agent,
      host: options.endpoint.host,
      port: options.endpoint.port,
      method: options.method,
      path: options.path,
      headers: { ...options.headers, ...(options.body === undefined ? {} : { 'content-length': options.body.length }) },
    });
    const timer = setTimeout(() => fail(`no answer within ${options.timeoutMs} ms`), options.timeoutMs);
    request.on('socket', (socket) => {
      if (!socket.connecting) mayHaveArrived = true;
      else socket.once('connect', () => (mayHaveArrived = true));
    });
    request.on('error', (error) => fail(error.message, error));
    request.on('response', (message) => {
      const done = (reply: Reply): void => {
        if (reply.status >= 500) {
          fail(`status ${reply.status}`);
          return;
        }
        clearTimeout(timer);
        options.signal?.removeEventListener('abort', onAbort);
        resolve(reply);
      };
      collect(message, options.method, done, fail);
    });
    if (options.signal?.aborted === true) onAbort();
    else {
      options.signal?.addEventListener('abort', onAbort, { once: true });
      request.end(options.body);
    }
  });
