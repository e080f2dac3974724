// The proxy's own limits, and the memory that its actions share.

export interface ProxyLimits {
  /** Connections that one listener serves at a time; more are closed as they come. */
  readonly connections: number;
  /** A connection on which nothing moves for so long is closed, unless a rule holds its request. */
  readonly idleMs: number;
  /** Longest head of a message. */
  readonly headBytes: number;
  /** Longest wait for a connection to the store. */
  readonly connectMs: number;
  /** Of all requests together that `late-forward` keeps. */
  readonly keptBytes: number;
}

export const DEFAULT_LIMITS: ProxyLimits = {
  connections: 1024,
  idleMs: 300_000,
  headBytes: 64 * 1024,
  connectMs: 10_000,
  keptBytes: 256 * 1024 ** 2,
};

/** A number of bytes that several share. */
export class Budget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  has(bytes: number): boolean {
    return bytes <= this.#left;
  }

  /** False where so many are not left; none are taken then. */
  take(bytes: number): boolean {
    if (!this.has(bytes)) return false;
    this.#left -= bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#left += bytes;
  }
}
