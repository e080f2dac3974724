// One port of the proxy: the path of one broker to the store.
import { createServer, type Server } from 'node:net';
import type { Address } from '../vocabulary.ts';
import { CallerConnection, type ListenerParts } from './caller-connection.ts';
import { listenOn } from './listen.ts';

const WRITE_AHEAD_BYTES = 256 * 1024;

export interface RunningListener {
  readonly address: Address;
  /** Ends every connection. */
  stop(): Promise<void>;
}

const countedServer = (parts: ListenerParts, open: Set<CallerConnection>): Server => {
  const { tally, limits } = parts;
  const options = { allowHalfOpen: true, noDelay: true, highWaterMark: WRITE_AHEAD_BYTES };
  const server = createServer(options, (socket) => {
    const connection = new CallerConnection(socket, parts);
    open.add(connection);
    tally.openConnections++;
    tally.acceptedConnections++;
    socket.once('close', () => {
      open.delete(connection);
      tally.openConnections--;
    });
    void connection.serve();
  });
  server.maxConnections = limits.connections;
  server.on('drop', () => {
    tally.refusedConnections++;
  });
  return server;
};

/** Throws EnvironmentError (S3_PROXY_PORT). */
export const startListener = async (parts: ListenerParts, address: Address): Promise<RunningListener> => {
  const open = new Set<CallerConnection>();
  const server = countedServer(parts, open);
  return {
    address: await listenOn(server, address),
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const connection of open) connection.end('reset');
      await closed;
    },
  };
};
