// The bodies of small objects that were written or read lately, so that reading an epoch or index object touches no disk.
// Whatever is in here is also on disk and durable: an entry is added only after its object was published.

/** Least recently used bodies, bounded by bytes. */
export class HotObjects {
  readonly #bodies = new Map<string, Buffer>();
  readonly #objectLimitBytes: number;
  readonly #totalLimitBytes: number;
  #totalBytes = 0;

  constructor(objectLimitBytes: number, totalLimitBytes: number) {
    this.#objectLimitBytes = objectLimitBytes;
    this.#totalLimitBytes = totalLimitBytes;
  }

  get(key: string): Buffer | undefined {
    const body = this.#bodies.get(key);
    if (body === undefined) return undefined;
    this.#bodies.delete(key);
    this.#bodies.set(key, body);
    return body;
  }

  /** Replaces what was held for the key; a body over the object limit is not held at all. */
  set(key: string, body: Buffer): void {
    this.delete(key);
    if (body.length > this.#objectLimitBytes) return;
    this.#bodies.set(key, body);
    this.#totalBytes += body.length;
    for (const oldest of this.#bodies.keys()) {
      if (this.#totalBytes <= this.#totalLimitBytes) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const body = this.#bodies.get(key);
    if (body === undefined) return;
    this.#bodies.delete(key);
    this.#totalBytes -= body.length;
  }
}
