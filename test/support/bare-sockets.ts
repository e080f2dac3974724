// Both ends of a proxied connection as bare sockets: what was written and what arrived are bytes, and no library has touched them.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class BareSocket {
  readonly socket: Socket;
  /** Everything that has come, one character a byte. */
  received = '';
  /** How the other side left; undefined while it has not. */
  ended: 'close' | 'reset' | undefined;
  #news: (() => void) | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.received += chunk.toString('latin1');
      this.#news?.();
    });
    socket.on('end', () => this.#end('close'));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') this.#end('reset');
    });
    socket.on('close', () => this.#end('close'));
  }

  #end(how: 'close' | 'reset'): void {
    this.ended ??= how;
    this.#news?.();
  }

  send(text: string): void {
    this.socket.write(Buffer.from(text, 'latin1'));
  }

  /** Waits until what was received holds `text`. Fails where the connection ends before. */
  async until(text: string): Promise<void> {
    while (!this.received.includes(text)) {
      if (this.ended !== undefined) throw new Error(`It ended (${this.ended}) after ${JSON.stringify(this.received)}`);
      await this.#somethingNew();
    }
  }

  /** Waits until the other side has left. */
  async untilEnded(): Promise<'close' | 'reset'> {
    for (;;) {
      if (this.ended !== undefined) return this.ended;
      await this.#somethingNew();
    }
  }

  async #somethingNew(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#news = resolve;
    });
  }
}

/** A store that says nothing by itself: a test speaks for it. */
export class BareStore implements AsyncDisposable {
  readonly #server: Server;
  readonly #all: BareSocket[] = [];
  #taken = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => this.#all.push(new BareSocket(socket)));
  }

  static async start(): Promise<BareStore> {
    const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new BareStore(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections that were ever made. */
  get connections(): number {
    return this.#all.length;
  }

  /** The next connection that was made to it, each once. */
  async next(): Promise<BareSocket> {
    while (this.#all.length <= this.#taken) await once(this.#server, 'connection');
    return this.#all[this.#taken++]!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { socket } of this.#all) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** A caller that writes what it is told to. */
export const bareCaller = async (port: number): Promise<BareSocket> => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  return new BareSocket(socket);
};
