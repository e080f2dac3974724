// The broker's own client of the object store: plain HTTP on kept connections, no signature, and above all no retries. Each
// call is one request with a deadline; what a failed one may have done is said by `ambiguous`, and the caller decides.
import { Agent } from 'node:http';
import { EnvironmentError } from '../../errors.ts';
import type { ByteRange, ConditionalStore, PutConditions, PutResult, StoredObject } from '../log/interfaces.ts';
import { deleteDocument } from './delete-document.ts';
import { type Exchange, exchange, type Reply } from './http-exchange.ts';
import { parseListPage } from './list-page.ts';

export { StoreUnavailable } from '../log/store-unavailable.ts';

export interface S3ClientOptions {
  readonly endpoint: { readonly host: string; readonly port: number };
  readonly bucket: string;
  /** Stands as `client` in the store's request log. */
  readonly clientName: string;
  /** Deadline of each call, connecting included. */
  readonly timeoutMs: number;
  readonly maxSockets: number;
  /** Keys on one page of a listing; default 1000, which is also the most a store gives. */
  readonly listPageKeys?: number;
}

/** Settings every call takes. */
export interface CallOptions {
  /** Gives the call up; it then throws StoreUnavailable like one that timed out. */
  readonly signal?: AbortSignal;
}

/** The store answered, and said no: an answer that repeating the call would not change. */
export class StoreRefused extends EnvironmentError {
  readonly status: number;
  /** S3's word for it, `NoSuchBucket` for example. */
  readonly s3Code: string;

  constructor(what: string, status: number, s3Code: string) {
    super('STORE_REFUSED', `The object store answered ${what} with ${status} ${s3Code}.`, {
      hint: 'Check the bucket, the key and the store itself.',
    });
    this.status = status;
    this.s3Code = s3Code;
  }
}

export interface ObjectHead {
  readonly etag: string;
  readonly sizeBytes: number;
}

const codeOf = (reply: Reply): string =>
  /<Code>([^<]*)<\/Code>/.exec(reply.body.toString('utf8'))?.[1] ?? reply.headers['x-ackproof-code']?.toString() ?? '';

const refused = (request: Exchange, reply: Reply): StoreRefused =>
  new StoreRefused(`${request.method} ${request.path}`, reply.status, codeOf(reply));

const etagOf = (reply: Reply): string => (reply.headers.etag ?? '').replace(/^"(.*)"$/, '$1');

/** No object of this name, as opposed to no bucket of this name. */
const isMissingKey = (reply: Reply): boolean => reply.status === 404 && codeOf(reply) === 'NoSuchKey';

/** The most keys S3 puts on one page, and takes in one request to delete them. */
const MOST_KEYS = 1000;

export class S3Client implements ConditionalStore {
  readonly #options: S3ClientOptions;
  readonly #agent: Agent;

  constructor(options: S3ClientOptions) {
    this.#options = options;
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.maxSockets, scheduling: 'lifo' });
  }

  /** Stores an object, durably. Throws StoreUnavailable or StoreRefused. */
  async put(key: string, bytes: Uint8Array, conditions: PutConditions = {}, options?: CallOptions): Promise<PutResult> {
    const headers: Record<string, string> = {};
    if (conditions.ifNoneMatch === true) headers['if-none-match'] = '*';
    if (conditions.ifMatch !== undefined) headers['if-match'] = `"${conditions.ifMatch}"`;
    const request = this.#request('PUT', this.#pathOf(key), headers, bytes, options);
    const reply = await exchange(request);
    if (reply.status === 200) return { status: 'stored', etag: etagOf(reply) };
    const gone = conditions.ifMatch !== undefined && isMissingKey(reply);
    if (reply.status === 412 || gone) return { status: 'precondition-failed' };
    throw refused(request, reply);
  }

  /** The object or a part of it; undefined when there is none. A range beyond its end throws StoreRefused. */
  async get(key: string, options?: CallOptions & { readonly range?: ByteRange }): Promise<StoredObject | undefined> {
    const range = options?.range;
    const headers: Record<string, string> = range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` };
    const request = this.#request('GET', this.#pathOf(key), headers, undefined, options);
    const reply = await exchange(request);
    if (isMissingKey(reply)) return undefined;
    if (reply.status !== (range === undefined ? 200 : 206)) throw refused(request, reply);
    return { etag: etagOf(reply), bytes: reply.body };
  }

  /** Undefined when there is no such object. */
  async head(key: string, options?: CallOptions): Promise<ObjectHead | undefined> {
    const request = this.#request('HEAD', this.#pathOf(key), {}, undefined, options);
    const reply = await exchange(request);
    if (isMissingKey(reply)) return undefined;
    if (reply.status !== 200) throw refused(request, reply);
    return { etag: etagOf(reply), sizeBytes: Number(reply.headers['content-length']) };
  }

  /** Deleting what is not there is no error. The deadline is that of each request of up to 1000 keys. */
  async deleteAll(keys: readonly string[], options?: CallOptions): Promise<void> {
    for (let at = 0; at < keys.length; at += MOST_KEYS) {
      const body = deleteDocument(keys.slice(at, at + MOST_KEYS));
      const request = this.#request('POST', `/${this.#options.bucket}?delete`, {}, body, options);
      const reply = await exchange(request);
      if (reply.status !== 200 || codeOf(reply) !== '') throw refused(request, reply);
    }
  }

  /** Pages of keys in ascending order, each after `startAfter`; the deadline is each page's. */
  async *list(
    prefix: string,
    startAfter?: string,
    options?: CallOptions,
  ): AsyncGenerator<readonly string[], void, void> {
    const pageKeys = String(this.#options.listPageKeys ?? MOST_KEYS);
    let token: string | undefined;
    do {
      const query = new URLSearchParams({ 'list-type': '2', 'encoding-type': 'url', 'max-keys': pageKeys, prefix });
      if (token !== undefined) query.set('continuation-token', token);
      else if (startAfter !== undefined) query.set('start-after', startAfter);
      const path = `/${this.#options.bucket}?${query.toString()}`;
      const request = this.#request('GET', path, {}, undefined, options);
      const reply = await exchange(request);
      if (reply.status !== 200) throw refused(request, reply);
      const page = parseListPage(reply.body.toString('utf8'));
      token = page.next;
      yield page.keys;
    } while (token !== undefined);
  }

  /** Ends the kept connections; calls under way fail. */
  close(): void {
    this.#agent.destroy();
  }

  #pathOf(key: string): string {
    return `/${this.#options.bucket}/${encodeURIComponent(key).replaceAll('%2F', '/')}`;
  }

  #request(
    method: Exchange['method'],
    path: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array | undefined,
    options: CallOptions | undefined,
  ): Exchange {
    const { endpoint, clientName, timeoutMs } = this.#options;
    return {
      agent: this.#agent,
      endpoint,
      method,
      path,
      headers: { ...headers, 'x-ackproof-client': clientName },
      ...(body === undefined ? {} : { body }),
      timeoutMs,
      ...(options?.signal === undefined ? {} : { signal: options.signal }),
    };
  }
}
