// A conditional object store behind a bad network. Each request may lose its answer, be lost, arrive after its sender gave up
// on it, or arrive twice; conditions are evaluated when it arrives. The etag is made from the content, as S3 makes it, so
// that a state that returned would be taken for the same.
import { crc32c } from '../../src/checksum.ts';
import type { ConditionalStore, PutConditions, PutResult, StoredObject } from '../../src/embedded/log/interfaces.ts';
import { StoreUnavailable } from '../../src/embedded/log/store-unavailable.ts';
import type { Random } from '../../src/random.ts';
import type { Happening, Process, World } from './world.ts';

/**
 * What becomes of a request. served: answered. unanswered: arrives soon, held: arrives much later, lost: never; in these three
 * the sender gives up. twice: answered, and arrives again much later.
 */
export type Fate = 'served' | 'unanswered' | 'held' | 'lost' | 'twice';

/** Decides the fate of each request; `what` describes it, as in "create wal/t/0/0000000001/000000000000". */
export interface Network {
  fateOf(what: string): Fate;
}

const BAD_FATES = ['unanswered', 'held', 'lost', 'twice'] as const;

/** A network that fails some requests, a share of `faultRate` from 0 to 1. */
export class RandomNetwork implements Network {
  faultRate: number;
  readonly #random: Random;

  constructor(random: Random, faultRate: number) {
    this.#random = random;
    this.faultRate = faultRate;
  }

  fateOf(): Fate {
    return this.#random.next() < this.faultRate ? this.#random.pick(BAD_FATES) : 'served';
  }
}

/** What the store holds; one for all processes. */
export class StoreContents {
  readonly objects = new Map<string, StoredObject>();

  put(key: string, bytes: Uint8Array, conditions: PutConditions): PutResult {
    const held = this.objects.get(key);
    const refused =
      (conditions.ifNoneMatch === true && held !== undefined) ||
      (conditions.ifMatch !== undefined && held?.etag !== conditions.ifMatch);
    if (refused) return { status: 'precondition-failed' };
    const etag = `${bytes.length}-${crc32c(bytes)}`;
    this.objects.set(key, { etag, bytes });
    return { status: 'stored', etag };
  }

  page(prefix: string, startAfter: string, limit: number): readonly string[] {
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > startAfter);
    return keys.sort().slice(0, limit);
  }
}

const PAGE_KEYS = 3;

/** The store as one process reaches it. */
export class SimulatedStore implements ConditionalStore {
  readonly #world: World;
  readonly #process: Process;
  readonly #contents: StoreContents;
  readonly #network: Network;

  constructor(world: World, process: Process, contents: StoreContents, network: Network) {
    this.#world = world;
    this.#process = process;
    this.#contents = contents;
    this.#network = network;
  }

  async put(key: string, bytes: Uint8Array, conditions: PutConditions): Promise<PutResult> {
    const copy = bytes.slice();
    const kind = conditions.ifMatch === undefined ? 'create' : 'replace';
    return await this.#request(`${kind} ${key}`, () => this.#contents.put(key, copy, conditions));
  }

  async get(key: string, options?: { range?: { start: number; end: number } }): Promise<StoredObject | undefined> {
    return await this.#request(`get ${key}`, () => {
      const object = this.#contents.objects.get(key);
      const range = options?.range;
      if (object === undefined || range === undefined) return object;
      return { etag: object.etag, bytes: object.bytes.subarray(range.start, range.end + 1) };
    });
  }

  /** Each key is a request of its own here, so that some are deleted and others not, or much later. */
  async deleteAll(keys: readonly string[]): Promise<void> {
    const deletions = keys.map(async (key) => {
      await this.#request(`delete ${key}`, () => {
        this.#contents.objects.delete(key);
      });
    });
    await Promise.all(deletions);
  }

  async *list(prefix: string, startAfter = ''): AsyncIterable<readonly string[]> {
    for (let after = startAfter; ; ) {
      const page = await this.#request(`list ${prefix} after ${after}`, () =>
        this.#contents.page(prefix, after, PAGE_KEYS),
      );
      if (page.length > 0) yield page;
      if (page.length < PAGE_KEYS) return;
      after = page.at(-1) ?? after;
    }
  }

  async #request<T>(what: string, perform: () => T): Promise<T> {
    const fate = this.#network.fateOf(what);
    this.#world.note(() => `${this.#process.name} sends ${what}${fate === 'served' ? '' : `, which will be ${fate}`}`);
    return await new Promise<T>((resolve, reject) => {
      const arrival = (answered: boolean): Happening => ({
        label: () => `${what} of ${this.#process.name} arrives`,
        happen: () => {
          const result = perform();
          if (answered) this.#answer(`an answer to ${what}`, () => resolve(result));
        },
      });
      if (fate === 'served' || fate === 'twice') this.#world.network.push(arrival(true));
      if (fate === 'unanswered') this.#world.network.push(arrival(false));
      if (fate === 'held' || fate === 'twice') this.#world.held.push(arrival(false));
      if (fate !== 'served' && fate !== 'twice') {
        this.#answer(`no answer to ${what}`, () => reject(new StoreUnavailable(what, true)));
      }
    });
  }

  #answer(what: string, happen: () => void): void {
    this.#world.deliver(this.#process, { label: () => `${this.#process.name} gets ${what}`, happen });
  }
}
