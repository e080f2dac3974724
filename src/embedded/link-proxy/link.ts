// One proxied connection: the client's socket, the socket to the upstream, and a pipe each way. The client is accepted before
// the upstream is dialled, and what it sends meanwhile waits in its socket.
import { connect, type Socket } from 'node:net';
import type { Clock } from '../../clock.ts';
import { randomStream } from '../../random.ts';
import type { Address } from './address.ts';
import { Pipe } from './pipe.ts';
import type { LinkEnd, Stream, Toxic } from './stage.ts';

export interface LinkOptions {
  readonly number: number;
  readonly proxyName: string;
  readonly seed: number;
  readonly clock: Clock;
  readonly upstream: Address;
  readonly dialTimeoutMs: number;
  /** Toxics of the proxy at this moment, in order. */
  readonly toxics: readonly Toxic[];
  readonly onClosed: (link: Link) => void;
  readonly onDialFailed: () => void;
}

/** What one direction has carried. */
export interface Traffic {
  readonly receivedBytes: number;
  readonly passedBytes: number;
}

/** Write buffer of each socket; larger than a read, so that a receiver that keeps up never pauses the sender. */
export const SOCKET_BUFFER_BYTES = 256 * 1024;

/** How long a closing link may take to hand over what it has passed already. */
const LINGER_MS = 1000;

export class Link {
  readonly number: number;
  readonly clientPort: number;
  readonly openedAtMs: number;
  readonly #options: LinkOptions;
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #pipes: Readonly<Record<Stream, Pipe>>;
  #open = true;

  constructor(client: Socket, options: LinkOptions) {
    this.number = options.number;
    this.clientPort = client.remotePort ?? 0;
    this.openedAtMs = options.clock.wall();
    this.#options = options;
    this.#client = client;
    const { host, port } = options.upstream;
    const buffer = { highWaterMark: SOCKET_BUFFER_BYTES };
    this.#server = connect({ host, port, allowHalfOpen: true, noDelay: true, ...buffer });
    const endLink = (how: LinkEnd): void => this.end(how);
    this.#pipes = {
      upstream: new Pipe(client, this.#server, endLink),
      downstream: new Pipe(this.#server, client, endLink),
    };
    for (const toxic of options.toxics) this.#add(toxic);
    this.#watch();
  }

  /** Local port of the connection to the upstream; 0 while it is dialled. */
  get upstreamPort(): number {
    return this.#server.localPort ?? 0;
  }

  traffic(stream: Stream): Traffic {
    const { receivedBytes, passedBytes } = this.#pipes[stream];
    return { receivedBytes, passedBytes };
  }

  /** Makes this link follow a toxic that is new or was changed. */
  apply(toxic: Toxic): void {
    if (!this.#open) return;
    const pipe = this.#pipes[toxic.stream];
    if (!this.#affects(toxic)) pipe.remove(toxic.name);
    else if (pipe.has(toxic.name)) pipe.update(toxic);
    else this.#add(toxic);
  }

  remove(toxic: Toxic): void {
    this.#pipes[toxic.stream].remove(toxic.name);
  }

  /** `close` hands over what was passed already, for a bounded time; `reset` sends RST. Both directions end. */
  end(how: LinkEnd): void {
    if (!this.#open) return;
    this.#finish();
    for (const socket of [this.#client, this.#server]) {
      if (how === 'reset') socket.resetAndDestroy();
      else {
        socket.destroySoon();
        setTimeout(() => socket.destroy(), LINGER_MS).unref();
      }
    }
  }

  /** Closes at once, whatever is still to be handed over. */
  cut(): void {
    this.#finish();
    this.#client.destroy();
    this.#server.destroy();
  }

  /** The draw of a toxic for this link is a fixed number, so that changing the toxicity back undoes the change. */
  #affects(toxic: Toxic): boolean {
    if (toxic.toxicity >= 1) return true;
    return this.#random(toxic, 'draw').next() < toxic.toxicity;
  }

  #random(toxic: Toxic, purpose: string): ReturnType<typeof randomStream> {
    const { seed, proxyName, number } = this.#options;
    return randomStream(seed, `${proxyName}/${number}/${toxic.stream}/${toxic.name}/${purpose}`);
  }

  #add(toxic: Toxic): void {
    if (!this.#affects(toxic)) return;
    const context = { clock: this.#options.clock, random: this.#random(toxic, 'stage') };
    this.#pipes[toxic.stream].add(toxic, context);
  }

  #watch(): void {
    const server = this.#server;
    let connected = false;
    const dialFailed = (): void => {
      if (!this.#open) return;
      this.#options.onDialFailed();
      this.cut();
    };
    const giveUp = setTimeout(dialFailed, this.#options.dialTimeoutMs);
    server.once('connect', () => {
      connected = true;
      clearTimeout(giveUp);
      if (!this.#open) return;
      this.#pipes.upstream.start();
      this.#pipes.downstream.start();
    });
    server.once('close', () => clearTimeout(giveUp));
    server.on('error', () => {
      if (connected) this.end('reset');
      else dialFailed();
    });
    this.#client.on('error', () => this.end('reset'));
    for (const socket of [this.#client, server]) socket.on('close', () => this.#halfClosed());
  }

  /** Both ends have been passed on: a socket closes only after it has sent and received its end. */
  #halfClosed(): void {
    if (this.#client.destroyed && this.#server.destroyed) this.#finish();
  }

  #finish(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#pipes.upstream.close();
    this.#pipes.downstream.close();
    this.#options.onClosed(this);
  }
}
