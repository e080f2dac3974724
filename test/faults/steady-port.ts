// Listening for nodes that go away and come back: on ports that nobody else draws meanwhile.
import type { Server } from 'node:net';
import { claimPort } from '../../src/ports.ts';

const HOST = '127.0.0.1';
const TRIES = 50;

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

/** Listens on `port`, or on a steady port when it is 0; which port it is. */
export const listenSteadily = async (server: Server, port: number): Promise<number> => {
  if (port !== 0) {
    await listen(server, port);
    return port;
  }
  for (let left = TRIES; left > 0; left--) {
    const candidate = await claimPort();
    try {
      await listen(server, candidate);
      return candidate;
    } catch (thrown) {
      if (!isTaken(thrown)) throw thrown;
    }
  }
  throw new Error(`No port is free on ${HOST}, of ${TRIES} that were tried.`);
};
