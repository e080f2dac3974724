// Makes a server listen, and says in a sentence why it cannot.
import type { AddressInfo, Server } from 'node:net';
import { EnvironmentError } from '../errors.ts';
import type { Address } from '../vocabulary.ts';

/** Where it listens; port 0 is any free one. Throws EnvironmentError (S3_PROXY_PORT). */
export const listenOn = async (server: Server, { host, port }: Address): Promise<Address> => {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
    return { host, port: (server.address() as AddressInfo).port };
  } catch (cause) {
    throw new EnvironmentError('S3_PROXY_PORT', `The S3 proxy cannot listen on ${host}:${port}.`, {
      hint: 'Choose a port that nobody has and an address of this machine, or 0 for any free port.',
      cause,
    });
  }
};
