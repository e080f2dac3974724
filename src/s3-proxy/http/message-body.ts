// The body of one message, taken from a connection in the stretches in which it comes.
import type { Found, Framing, Scanner } from './body-framing.ts';
import { scannerOf } from './body-framing.ts';
import type { Leaving, Peer } from './peer.ts';

/** A stretch of a body as it stood on the wire, and what is in it. */
export interface Stretch extends Omit<Found, 'end'> {
  readonly bytes: Buffer;
}

export class MessageBody {
  readonly framing: Framing;
  readonly #peer: Peer;
  readonly #scan: Scanner;
  #isComplete: boolean;
  #takenBytes = 0;
  #brokenBy: Leaving | undefined;

  constructor(peer: Peer, framing: Framing) {
    this.#peer = peer;
    this.framing = framing;
    this.#scan = scannerOf(framing);
    this.#isComplete = framing.kind === 'none';
  }

  /** Whether all of it was taken. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether any of it was. */
  get hasBegun(): boolean {
    return this.#takenBytes > 0;
  }

  /** How the connection was left that ended in the middle of it; undefined while it did not. */
  get brokenBy(): Leaving | undefined {
    return this.#brokenBy;
  }

  /** The next stretch; undefined after the last one, and where the connection ended before. Throws HttpRefusal. */
  async next(): Promise<Stretch | undefined> {
    if (this.#isComplete) return undefined;
    const chunk = await this.#peer.read();
    if (chunk === undefined) {
      this.#isComplete = this.framing.kind === 'until-close' && this.#peer.leftBy === 'close';
      if (!this.#isComplete) this.#brokenBy = this.#peer.leftBy;
      return undefined;
    }
    const { end, ...found } = this.#scan(chunk);
    if (end < chunk.length) this.#peer.putBack(chunk.subarray(end));
    this.#isComplete = found.isDone;
    this.#takenBytes += end;
    return { bytes: end < chunk.length ? chunk.subarray(0, end) : chunk, ...found };
  }

  /** Takes what is left of it and forgets it. */
  async discard(): Promise<void> {
    while ((await this.next()) !== undefined);
  }
}
