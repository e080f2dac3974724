// Opens a TCP connection, or TLS on top of one, with a deadline. Nothing of Kafka in here.
import { connect, type Socket } from 'node:net';
import type { Address } from '../vocabulary.ts';
import type { TlsSettings } from './connection-security.ts';
import { isTlsTrouble, openTlsSocket, tlsError } from './tls-socket.ts';
import { WireError } from './wire-error.ts';

export const formatAddress = ({ host, port }: Address): string => `${host}:${port}`;

const openSocket = (address: Address, tls: TlsSettings | undefined): Socket => {
  if (tls === undefined) return connect({ host: address.host, port: address.port, noDelay: true });
  const socket = openTlsSocket(address, tls);
  socket.setNoDelay(true);
  return socket;
};

/**
 * A connected socket without Nagle's delay; `WIRE_CONNECT_FAILED` when refused or not up within `timeoutMs`, `WIRE_TLS_FAILED`
 * when the two sides do not come to terms.
 */
export const connectSocket = async (
  address: Address,
  timeoutMs: number,
  signal?: AbortSignal,
  tls?: TlsSettings,
): Promise<Socket> =>
  await new Promise((resolve, reject) => {
    const socket = openSocket(address, tls);
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      socket.removeAllListeners('error');
      socket.removeAllListeners('close');
    };
    const failWith = (error: WireError): void => {
      settle();
      socket.on('error', () => undefined);
      socket.destroy();
      reject(error);
    };
    const fail = (why: string, cause?: unknown): void => {
      const message = `No connection to ${formatAddress(address)}: ${why}.`;
      failWith(new WireError('WIRE_CONNECT_FAILED', message, { cause, sent: false }));
    };
    const onAbort = (): void => fail('cancelled');
    const timer = setTimeout(() => fail(`not up within ${Math.round(timeoutMs)} ms`), timeoutMs);
    socket.once('error', (error) => {
      if (tls !== undefined && isTlsTrouble(error)) failWith(tlsError(formatAddress(address), error, false));
      else fail('refused or unreachable', error);
    });
    socket.once('close', () => fail('it was closed before it was up'));
    socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
      settle();
      resolve(socket);
    });
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
  });
