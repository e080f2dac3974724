// Ports that nobody listens on, and that a node which is down for a while finds free when it comes back.
import { createServer, type Server } from 'node:net';
import { describeError, EnvironmentError } from '../errors.ts';
import { claimPort, releasePorts } from '../ports.ts';

/** How many ports are looked at for each that is wanted. */
const TRIES = 50;

const listen = async (host: string, port: number): Promise<Server | undefined> =>
  await new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (thrown: NodeJS.ErrnoException) => {
      if (thrown.code === 'EADDRINUSE' || thrown.code === 'EACCES') resolve(undefined);
      else reject(thrown);
    });
    server.listen({ host, port, exclusive: true }, () => resolve(server));
  });

/** @throws EnvironmentError when there is none. */
const claimed = async (next: () => Promise<number>): Promise<number> => {
  try {
    return await next();
  } catch (cause) {
    throw new EnvironmentError('TARGET_NO_FREE_PORTS', `No port can be claimed: ${describeError(cause)}`, {
      cause,
      hint: 'End other clusters on this machine and try again.',
    });
  }
};

const close = async (server: Server): Promise<void> =>
  await new Promise((resolve) => {
    server.close(() => resolve());
  });

/**
 * `count` different ports on `host` that could be bound just now, all held at the same time while looking, and claimed until
 * `releasePorts`.
 * @throws EnvironmentError when there are too few.
 */
export const freePorts = async (host: string, count: number, next = claimPort): Promise<readonly number[]> => {
  const held: { readonly port: number; readonly server: Server }[] = [];
  try {
    for (let left = count * TRIES; left > 0 && held.length < count; left--) {
      const port = await claimed(next);
      const server = await listen(host, port);
      if (server === undefined) releasePorts([port]);
      else held.push({ port, server });
    }
    if (held.length < count) {
      throw new EnvironmentError(
        'TARGET_NO_FREE_PORTS',
        `Only ${held.length} of ${count} ports are free on ${host}, of ${count * TRIES} that were tried.`,
        { hint: 'End other clusters on this machine and try again.' },
      );
    }
    return held.map((each) => each.port);
  } catch (thrown) {
    releasePorts(held.map((each) => each.port));
    throw thrown;
  } finally {
    await Promise.all(held.map(async (each) => await close(each.server)));
  }
};
