// Ports that nobody listens on, below the range from which the kernel takes ports for outgoing connections: a node that is
// down for a while must find its own port free when it comes back.
import { createServer, type Server } from 'node:net';
import { EnvironmentError } from '../errors.ts';
import { freshHex } from '../random.ts';

export const FIRST_PORT = 20_000;
export const LAST_PORT = 31_999;

const listen = async (host: string, port: number): Promise<Server | undefined> =>
  await new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (thrown: NodeJS.ErrnoException) => {
      if (thrown.code === 'EADDRINUSE' || thrown.code === 'EACCES') resolve(undefined);
      else reject(thrown);
    });
    server.listen({ host, port, exclusive: true }, () => resolve(server));
  });

const close = async (server: Server): Promise<void> =>
  await new Promise((resolve) => {
    server.close(() => resolve());
  });

/** Where to begin looking: anywhere, so that two runs that start together rarely look at the same ports. */
const anyPort = (): number => FIRST_PORT + (Number.parseInt(freshHex(6), 16) % (LAST_PORT - FIRST_PORT + 1));

/**
 * `count` different ports on `host` that could be bound just now, all held at the same time while looking.
 * @throws EnvironmentError when the whole range has too few.
 */
export const freePorts = async (host: string, count: number, start: number = anyPort()): Promise<readonly number[]> => {
  const held: { readonly port: number; readonly server: Server }[] = [];
  try {
    const size = LAST_PORT - FIRST_PORT + 1;
    for (let step = 0; step < size && held.length < count; step++) {
      const port = FIRST_PORT + ((start - FIRST_PORT + step) % size);
      const server = await listen(host, port);
      if (server !== undefined) held.push({ port, server });
    }
    if (held.length < count) {
      throw new EnvironmentError(
        'TARGET_NO_FREE_PORTS',
        `Only ${held.length} of ${count} ports are free on ${host} between ${FIRST_PORT} and ${LAST_PORT}.`,
        { hint: 'End other clusters on this machine and try again.' },
      );
    }
    return held.map((each) => each.port);
  } finally {
    await Promise.all(held.map(async (each) => await close(each.server)));
  }
};
