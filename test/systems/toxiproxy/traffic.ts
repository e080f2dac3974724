// Bytes through a proxy: a server that answers, one exchange with it as a client sees it, and a crowd of short connections
// with data queued in both directions, which is what healing a proxy must survive.
import { once } from 'node:events';
import { createServer, type Server, Socket } from 'node:net';
import type { Address } from '../../../src/vocabulary.ts';

const HOST = '127.0.0.1';

export interface Upstream extends AsyncDisposable {
  readonly address: Address;
  /** All text that arrived, of every connection. */
  received(): string;
}

const stop = async (server: Server, sockets: ReadonlySet<Socket>): Promise<void> => {
  const closed = once(server, 'close');
  server.close();
  for (const socket of sockets) socket.destroy();
  await closed;
};

/** A server that answers `answer to <text>` to each chunk; `pushBytes` also sends so much every 4 ms to everybody. */
export const startUpstream = async (options: { readonly pushBytes?: number } = {}): Promise<Upstream> => {
  const sockets = new Set<Socket>();
  let received = '';
  const server = createServer((socket) => {
    sockets.add(socket);
    const push = options.pushBytes === undefined ? undefined : Buffer.alloc(options.pushBytes, '.');
    const pushing = push === undefined ? undefined : setInterval(() => socket.write(push), 4);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(pushing);
      sockets.delete(socket);
    });
    socket.on('data', (chunk) => {
      const text = chunk.toString();
      received = (received + text).slice(-100_000);
      if (push === undefined) socket.write(`answer to ${text}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const { port } = server.address() as { port: number };
  return {
    address: { host: HOST, port },
    received: () => received,
    [Symbol.asyncDispose]: async () => await stop(server, sockets),
  };
};

export interface Exchange {
  readonly ending: 'refused' | 'answered' | 'closed' | 'reset' | 'silent';
  readonly tookMs: number;
}

/** Opens a connection, sends `text` and waits for an answer, an end, or `patienceMs` of nothing. */
export const exchange = async (address: Address, text: string, patienceMs: number): Promise<Exchange> => {
  const started = performance.now();
  const socket = new Socket();
  const ending = await new Promise<Exchange['ending']>((resolve) => {
    const timer = setTimeout(() => resolve('silent'), patienceMs);
    const finish = (how: Exchange['ending']): void => {
      clearTimeout(timer);
      resolve(how);
    };
    socket.on('error', (error: NodeJS.ErrnoException) => finish(error.code === 'ECONNREFUSED' ? 'refused' : 'reset'));
    socket.on('close', () => finish('closed'));
    socket.on('data', () => finish('answered'));
    socket.connect(address.port, address.host, () => socket.write(text));
  });
  socket.destroy();
  return { ending, tookMs: performance.now() - started };
};

export interface Churn extends AsyncDisposable {
  /** Connections so far to which data came. */
  served(): number;
}

/** Keeps `count` clients connecting, talking and leaving within 400 ms each, until it is disposed of. */
export const startChurn = (address: Address, count: number): Churn => {
  let over = false;
  let served = 0;
  const client = async (): Promise<void> => {
    while (!over) {
      const socket = new Socket();
      socket.on('error', () => undefined);
      socket.once('data', () => served++);
      socket.resume();
      socket.connect(address.port, address.host);
      const talking = setInterval(() => socket.write(Buffer.alloc(64)), 10);
      await new Promise((resolve) => setTimeout(resolve, 200 + 200 * Math.random()));
      clearInterval(talking);
      socket.destroy();
    }
  };
  const clients = Array.from({ length: count }, client);
  return {
    served: () => served,
    [Symbol.asyncDispose]: async () => {
      over = true;
      await Promise.all(clients);
    },
  };
};
