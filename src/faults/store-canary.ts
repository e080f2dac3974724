// The canary of one endpoint of the object store: real S3 requests through it, about objects of its own. Keys are ackproof's, below
// one prefix for each fault, so that rules can be about them alone.
import type { S3Operation } from '../s3-proxy/s3-operation.ts';
import type { ObjectStoreAccess, StoreEndpoint } from '../targets/target.ts';
import { type Baseline, takeBaseline } from './probes/baseline.ts';
import type { HttpAnswered } from './probes/http-probe.ts';
import { probeStore } from './probes/store-probe.ts';

const BASELINE_DEADLINE_MS = 2000;
const SMALL_BODY = Buffer.from('canary of ackproof');

/** All keys of canaries begin so. */
export const CANARY_KEYS = '__ackproof-canary/';

/** What a canary can ask without harm; other operations are stood for by a write. */
const QUESTIONS = ['DeleteObject', 'GetObject', 'HeadObject', 'List', 'PutObject'] as const;
export type CanaryQuestion = (typeof QUESTIONS)[number];

/** How a canary asks for an operation; undefined where it cannot ask for it. */
export const questionFor = (op: S3Operation): CanaryQuestion | undefined => QUESTIONS.find((each) => each === op);

/** One answer, and what it was about. */
export type StoreAnswer = HttpAnswered & { readonly key: string };

export interface CanaryOptions {
  readonly endpoint: StoreEndpoint;
  readonly store: ObjectStoreAccess;
  /** Below `CANARY_KEYS`, with a slash at its end. */
  readonly prefix: string;
  /** Of what it reads and writes; a few bytes where it is left out. */
  readonly body?: Buffer;
}

export class StoreCanary {
  readonly endpoint: StoreEndpoint;
  readonly body: Buffer;
  readonly #options: CanaryOptions;
  readonly #written: string[] = [];
  #count = 0;

  constructor(options: CanaryOptions) {
    this.#options = options;
    this.endpoint = options.endpoint;
    this.body = options.body ?? SMALL_BODY;
  }

  /** `s3-data of broker/1`. */
  get name(): string {
    return `${this.endpoint.path} of ${this.endpoint.node}`;
  }

  get #readKey(): string {
    return `${this.#options.prefix}read`;
  }

  /** Puts what it reads, past every proxy. */
  async open(signal: AbortSignal): Promise<void> {
    await this.#options.store.put(this.#readKey, this.body, signal);
  }

  async baseline(question: CanaryQuestion, signal: AbortSignal): Promise<Baseline> {
    return await takeBaseline(
      `${question} on ${this.name}`,
      async () => await this.ask(question, BASELINE_DEADLINE_MS, signal),
    );
  }

  /** On a connection of its own; a write has a key of its own, too. */
  async ask(question: CanaryQuestion, deadlineMs: number, signal: AbortSignal): Promise<StoreAnswer> {
    const { endpoint, store, prefix } = this.#options;
    const fresh = `${prefix}${endpoint.listener}-${this.#count}`;
    const common = { address: endpoint.listen, deadlineMs };
    switch (question) {
      case 'GetObject':
      case 'HeadObject': {
        const method = question === 'GetObject' ? 'GET' : 'HEAD';
        const key = this.#readKey;
        return { ...(await probeStore(store, { ...common, method, key }, signal)), key };
      }
      case 'List': {
        const query = `list-type=2&prefix=${encodeURIComponent(prefix)}`;
        return { ...(await probeStore(store, { ...common, method: 'GET', query }, signal)), key: prefix };
      }
      case 'DeleteObject':
        // Nothing is there, and S3 says so by success.
        return { ...(await probeStore(store, { ...common, method: 'DELETE', key: fresh }, signal)), key: fresh };
      case 'PutObject': {
        this.#count++;
        this.#written.push(fresh);
        const { body } = this;
        return { ...(await probeStore(store, { ...common, method: 'PUT', key: fresh, body }, signal)), key: fresh };
      }
    }
  }

  /** Takes away what it wrote, past every proxy; what it reads stays, because it is asked for until all is seen to be well. */
  async tidy(signal: AbortSignal): Promise<void> {
    const { store } = this.#options;
    await Promise.all(this.#written.splice(0).map(async (key) => await store.remove(key, signal)));
  }
}
