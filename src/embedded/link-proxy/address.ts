// `host:port` as Toxiproxy writes it, and listening on it. Port 0 is given a steady port (src/ports.ts): a disabled
// proxy frees its port, and must find it free when it is enabled again.
import type { AddressInfo, Server } from 'node:net';
import { claimPort, releasePorts } from '../../ports.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

const TRIES = 50;

/** Undefined for a text that is not `host:port`; IPv6 hosts stand in brackets, an empty host is loopback. */
export const parseAddress = (text: string): Address | undefined => {
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const [, six, name, port] = match;
  const host = six ?? (name === '' ? '127.0.0.1' : (name ?? ''));
  return Number(port) > 65_535 ? undefined : { host, port: Number(port) };
};

export const formatAddress = ({ host, port }: Address): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

const listenOnce = async (server: Server, address: Address): Promise<Address> =>
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host === 'localhost' ? '127.0.0.1' : address.host, () => {
      server.off('error', reject);
      const bound = server.address() as AddressInfo;
      resolve({ host: bound.address, port: bound.port });
    });
  });

/**
 * Listens, and returns where: the address as it was bound. A port given for port 0 is claimed, and the caller's to release.
 * Throws the system's error, EADDRINUSE for one.
 */
export const listenAt = async (server: Server, address: Address): Promise<Address> => {
  if (address.port !== 0) return await listenOnce(server, address);
  for (let attempt = 1; ; attempt++) {
    const port = await claimPort();
    try {
      return await listenOnce(server, { ...address, port });
    } catch (thrown) {
      releasePorts([port]);
      if ((thrown as NodeJS.ErrnoException).code !== 'EADDRINUSE' || attempt === TRIES) throw thrown;
    }
  }
};
