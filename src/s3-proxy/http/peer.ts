// One end of an exchange, the caller or the store: a socket whose bytes are read one stretch at a time, and which is left in one of
// two ways. Reading goes a bounded way ahead of whoever takes the bytes, so that a lost connection is noticed while nobody reads.
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** How a connection is left: with a reset (RST), or closed as if all was said (FIN). */
export type Leaving = 'reset' | 'close';

/** Bytes that are read ahead in the usual case. */
const AHEAD_BYTES = 256 * 1024;
/** How long the other side is listened to after all was sent, so that unread bytes do not turn the close into a reset. */
const LINGER_MS = 2000;

export class Peer {
  readonly socket: Socket;
  /** Aborts when the other side has ended, or the connection is lost. */
  readonly gone: AbortSignal;
  readonly #gone = new AbortController();
  #queue: Buffer[] = [];
  #queued = 0;
  #aheadBytes = AHEAD_BYTES;
  #isDiscarding = false;
  #wasReset = false;
  #readable: (() => void) | undefined;
  #writable: (() => void) | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    this.gone = this.#gone.signal;
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('end', () => this.#end());
    socket.on('close', () => this.#end());
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.#wasReset ||= error.code === 'ECONNRESET';
    });
    socket.on('drain', () => this.#writable?.());
  }

  /** How the other side left. */
  get leftBy(): Leaving {
    return this.#wasReset ? 'reset' : 'close';
  }

  /** Whether it was left from this side. */
  get isLeft(): boolean {
    return this.#isDiscarding;
  }

  /** Whether nothing has come that was not taken. */
  get isQuiet(): boolean {
    return this.#queued === 0;
  }

  #take(chunk: Buffer): void {
    if (this.#isDiscarding) return;
    this.#queue.push(chunk);
    this.#queued += chunk.length;
    if (this.#queued >= this.#aheadBytes) this.socket.pause();
    this.#readable?.();
  }

  #end(): void {
    this.#gone.abort();
    this.#readable?.();
    this.#writable?.();
  }

  /** From now on so much is read ahead of whoever takes it. */
  readAhead(bytes: number): void {
    this.#aheadBytes = bytes;
    if (this.#queued < bytes) this.socket.resume();
  }

  readAheadAsUsual(): void {
    this.readAhead(AHEAD_BYTES);
  }

  /** The next stretch of bytes, never empty; undefined when there are no more. */
  async read(): Promise<Buffer | undefined> {
    while (this.#queue.length === 0) {
      if (this.#gone.signal.aborted || this.#isDiscarding) return undefined;
      await new Promise<void>((resolve) => {
        this.#readable = resolve;
      });
      this.#readable = undefined;
    }
    const chunk = this.#queue.shift();
    if (chunk === undefined) return undefined;
    this.#queued -= chunk.length;
    // Not at once: to stop and start for every stretch costs more than to read it.
    if (this.#queued <= this.#aheadBytes / 2 && this.socket.isPaused()) this.socket.resume();
    return chunk;
  }

  /** What was read too far is the next that is read. */
  putBack(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#queue.unshift(bytes);
    this.#queued += bytes.length;
  }

  #canWrite(): boolean {
    return this.socket.writable && !this.#isDiscarding;
  }

  /** Resolves when there is room for more; false when the connection is lost, or was left. */
  async write(bytes: Buffer): Promise<boolean> {
    if (!this.#canWrite()) return false;
    if (this.socket.write(bytes)) return true;
    while (this.#canWrite() && this.socket.writableNeedDrain) {
      await new Promise<void>((resolve) => {
        this.#writable = resolve;
      });
      this.#writable = undefined;
    }
    return this.#canWrite();
  }

  /** Takes and forgets whatever still comes; who waits for bytes is told that there are no more. */
  #discard(): void {
    this.#isDiscarding = true;
    this.#queue = [];
    this.#queued = 0;
    this.socket.resume();
    this.#readable?.();
    this.#writable?.();
  }

  /** Ends the connection from this side; what was written before is sent unless it is reset. */
  leave(how: Leaving): void {
    if (this.#isDiscarding && how === 'close') return;
    this.#discard();
    if (this.socket.destroyed) return;
    if (how === 'reset') {
      if (this.socket instanceof TLSSocket || this.socket.connecting) this.socket.destroy();
      else this.socket.resetAndDestroy();
      return;
    }
    this.socket.end();
    this.socket.once('end', () => this.socket.destroySoon());
    if (this.socket.readableEnded) this.socket.destroySoon();
    else if (this.socket.writableFinished) this.#linger();
    else this.socket.once('finish', () => this.#linger());
  }

  /** Waits for the other side's end, no longer than a while. */
  #linger(): void {
    const timer = setTimeout(() => this.socket.destroy(), LINGER_MS);
    this.socket.once('close', () => clearTimeout(timer));
  }
}
