// A conditional object store that answers at once, for tests of single modules; it can be told to be away for some requests.
import type {
  ByteRange,
  ConditionalStore,
  PutConditions,
  PutResult,
  StoredObject,
} from '../../src/embedded/log/interfaces.ts';
import { StoreUnavailable } from '../../src/embedded/log/store-unavailable.ts';
import { StoreContents } from './simulated-store.ts';

export class DirectStore implements ConditionalStore {
  readonly contents = new StoreContents();
  /** Every request made, as in "get wal/t/0/…", in order. */
  readonly requests: string[] = [];
  /** Whether the store is away for a request; by default it never is. */
  isAwayFor: (request: string) => boolean = () => false;

  async put(key: string, bytes: Uint8Array, conditions: PutConditions): Promise<PutResult> {
    await this.#admit(`put ${key}`);
    return this.contents.put(key, bytes.slice(), conditions);
  }

  async get(key: string, options?: { readonly range?: ByteRange }): Promise<StoredObject | undefined> {
    await this.#admit(`get ${key}`);
    const object = this.contents.objects.get(key);
    if (object === undefined || options?.range === undefined) return object;
    const { start, end } = options.range;
    return { etag: object.etag, bytes: object.bytes.slice(start, end + 1) };
  }

  async deleteAll(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.#admit(`delete ${key}`);
      this.contents.objects.delete(key);
    }
  }

  async *list(prefix: string, startAfter = ''): AsyncIterable<readonly string[]> {
    await this.#admit(`list ${prefix}`);
    yield this.contents.page(prefix, startAfter, Number.MAX_SAFE_INTEGER);
  }

  /** Keys that begin with `prefix`, in order. */
  keys(prefix: string): readonly string[] {
    return this.contents.page(prefix, '', Number.MAX_SAFE_INTEGER);
  }

  async #admit(request: string): Promise<void> {
    this.requests.push(request);
    await Promise.resolve();
    if (this.isAwayFor(request)) throw new StoreUnavailable(request, true);
  }
}
