// The embedded object store behind the fault proxy, a caller whose connections are kept alive, and a way past the proxy.
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningStore, startStore } from '../../src/embedded/object-store/running-store.ts';
import { parseStoreConfig } from '../../src/embedded/object-store/store-config.ts';
import type { RuleCounters } from '../../src/s3-proxy/counters.ts';
import type { RuleSpec } from '../../src/s3-proxy/rule-schema.ts';
import { type RunningS3Proxy, startS3Proxy } from '../../src/s3-proxy/s3-proxy.ts';

export const BUCKET = 'records';

export interface Heard {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** Of the connection it came by. */
  readonly localPort: number;
}

export interface Call {
  readonly method: string;
  readonly key: string;
  readonly body?: Buffer | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Gives up after so long. */
  readonly withinMs?: number;
}

/** One call by `agent`; rejects with the socket's error where there is no whole answer. */
const callBy = async (agent: Agent, port: number, { method, key, body, headers, withinMs }: Call): Promise<Heard> =>
  await new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const path = `/${BUCKET}/${key}`;
    const sent = request(
      { agent, host: '127.0.0.1', port, method, path, headers: { ...length, ...headers } },
      (answer) => {
        const { localPort } = answer.socket;
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const { statusCode: status = 0, headers: heard } = answer;
          resolve({ status, headers: heard, body: Buffer.concat(chunks), localPort: localPort ?? 0 });
        });
      },
    );
    sent.on('error', reject);
    if (withinMs !== undefined) setTimeout(() => sent.destroy(new Error('gave up')), withinMs);
    sent.end(body);
  });

export class ProxiedStore implements AsyncDisposable {
  readonly store: RunningStore;
  readonly proxy: RunningS3Proxy;
  readonly #directory: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #direct = new Agent({ keepAlive: false });
  /** What the proxy said. */
  readonly notes: string[];

  private constructor(store: RunningStore, proxy: RunningS3Proxy, directory: string, notes: string[]) {
    this.store = store;
    this.proxy = proxy;
    this.#directory = directory;
    this.notes = notes;
  }

  static async start(limits: Readonly<Record<string, number>> = {}): Promise<ProxiedStore> {
    const directory = mkdtempSync(join(tmpdir(), 'ackproof-s3-proxy-'));
    const config = { directory, listeners: [{ name: 'data' }], buckets: [BUCKET], maxObjectBytes: 64 * 1024 ** 2 };
    const store = await startStore(parseStoreConfig(config));
    const notes: string[] = [];
    const upstream = { protocol: 'http' as const, host: '127.0.0.1', port: store.listeners['data']! };
    const listeners = ['data', 'wal'].map((name) => ({ name, upstream }));
    const proxy = await startS3Proxy({ listeners, admin: {}, seed: 42, limits }, (text) => notes.push(text));
    return new ProxiedStore(store, proxy, directory, notes);
  }

  /** Through the proxy, by a connection that is kept while it can be. */
  async call(call: Call): Promise<Heard> {
    return await callBy(this.#agent, this.proxy.listeners['data']!.port, call);
  }

  /** How a call fails: the socket's code, or what it said. */
  async failure(call: Call): Promise<string> {
    try {
      const { status } = await this.call(call);
      return `answered ${status}`;
    } catch (thrown) {
      const { code, message } = thrown as NodeJS.ErrnoException;
      return code ?? message;
    }
  }

  /** Past the proxy. */
  async direct(call: Call): Promise<Heard> {
    return await callBy(this.#direct, this.store.listeners['data']!, call);
  }

  /** Whether the object is there, by HEAD past the proxy. */
  async isStored(key: string): Promise<boolean> {
    return (await this.direct({ method: 'HEAD', key })).status === 200;
  }

  /** Past the proxy; empty where there is none. */
  async stored(key: string): Promise<string> {
    const { status, body } = await this.direct({ method: 'GET', key });
    return status === 200 ? body.toString() : '';
  }

  async rule(rule: Omit<RuleSpec, 'ttlMs'> & { readonly ttlMs?: number }): Promise<void> {
    await this.proxy.control.addRule({ ttlMs: 60_000, ...rule });
  }

  async counters(id: string): Promise<RuleCounters> {
    return (await this.proxy.control.counters()).rules[id]!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    await this.proxy.stop();
    await this.store.stop();
    rmSync(this.#directory, { recursive: true });
  }
}
