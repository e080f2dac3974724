// Ports for nodes that go away and come back: below those the kernel gives to outgoing connections and apart from those that
// clusters take, so that nobody else has the port meanwhile.
import { createServer, type Server } from 'node:net';

const HOST = '127.0.0.1';
const FIRST_PORT = 12_000;
const PORTS = 8_000;

const listen = async (server: Server, port: number): Promise<void> =>
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: HOST, port, exclusive: true }, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });

const isTaken = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'EADDRINUSE';

/** Listens on `port`, or on the next free port of the range when it is 0; which port it is. */
export const listenSteadily = async (server: Server, port: number): Promise<number> => {
  if (port !== 0) {
    await listen(server, port);
    return port;
  }
  const start = Math.floor(Math.random() * PORTS);
  for (let step = 0; step < PORTS; step++) {
    const candidate = FIRST_PORT + ((start + step) % PORTS);
    try {
      await listen(server, candidate);
      return candidate;
    } catch (thrown) {
      if (!isTaken(thrown)) throw thrown;
    }
  }
  throw new Error(`No port is free on ${HOST} from ${FIRST_PORT} on.`);
};

/** `count` different ports of the range that nobody listens on. */
export const steadyPorts = async (count: number): Promise<readonly number[]> => {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(servers.map(async (server) => await listenSteadily(server, 0)));
  await Promise.all(servers.map(async (server) => await new Promise((closed) => server.close(closed))));
  return ports;
};
