// The store behind the proxy, and connections to it, in the open or by TLS.
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { EnvironmentError } from '../errors.ts';
import { Peer } from './http/peer.ts';

export interface Upstream {
  readonly protocol: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  /** Name that the store's certificate must have, where it is another one than `host`. */
  readonly serverName?: string;
  /** Certificates of the authorities that vouch for the store, PEM, instead of those that Node.js knows. */
  readonly ca?: string;
}

/** `https://s3.example.com:443` for people. */
export const nameOf = ({ protocol, host, port }: Upstream): string =>
  `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`;

const WRITE_AHEAD_BYTES = 256 * 1024;

const open = (upstream: Upstream): { readonly socket: Socket; readonly ready: 'connect' | 'secureConnect' } => {
  const { protocol, host, port, serverName = host, ca } = upstream;
  const common = { host, port, noDelay: true, allowHalfOpen: true, highWaterMark: WRITE_AHEAD_BYTES };
  if (protocol === 'http') return { socket: connectTcp(common), ready: 'connect' };
  const isAddress = /^[\d.]+$|:/u.test(serverName);
  const socket = connectTls({
    ...common,
    ALPNProtocols: ['http/1.1'],
    ...(isAddress ? {} : { servername: serverName }),
    ...(ca === undefined ? {} : { ca }),
  });
  return { socket, ready: 'secureConnect' };
};

/** A new connection. Throws EnvironmentError (S3_PROXY_UPSTREAM). */
export const connectTo = async (upstream: Upstream, deadlineMs: number): Promise<Peer> => {
  const { socket, ready } = open(upstream);
  const peer = new Peer(socket);
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const failed = (why?: Error): void => reject(why ?? new Error('The connection was closed.'));
      timer = setTimeout(() => failed(new Error(`No connection within ${deadlineMs} ms.`)), deadlineMs);
      socket
        .once(ready, resolve)
        .once('error', failed)
        .once('close', () => failed());
    });
    return peer;
  } catch (cause) {
    socket.destroy();
    throw new EnvironmentError('S3_PROXY_UPSTREAM', `The object store ${nameOf(upstream)} cannot be reached.`, {
      hint: 'See that it runs and can be reached from the proxy; with https, that its certificate is for that name and known.',
      cause,
    });
  } finally {
    clearTimeout(timer);
  }
};
