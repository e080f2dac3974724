// Opens a TCP connection with a deadline. Nothing of Kafka in here.
import { connect, type Socket } from 'node:net';
import type { Address } from '../vocabulary.ts';
import { WireError } from './wire-error.ts';

export const formatAddress = ({ host, port }: Address): string => `${host}:${port}`;

/** A connected socket without Nagle's delay; `WIRE_CONNECT_FAILED` when refused or not up within `timeoutMs`. */
export const connectSocket = async (address: Address, timeoutMs: number, signal?: AbortSignal): Promise<Socket> =>
  await new Promise((resolve, reject) => {
    const socket = connect({ host: address.host, port: address.port, noDelay: true });
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      socket.removeAllListeners();
    };
    const fail = (why: string, cause?: unknown): void => {
      settle();
      socket.on('error', () => undefined);
      socket.destroy();
      const message = `No connection to ${formatAddress(address)}: ${why}.`;
      reject(new WireError('WIRE_CONNECT_FAILED', message, { cause, sent: false }));
    };
    const onAbort = (): void => fail('cancelled');
    const timer = setTimeout(() => fail(`not up within ${Math.round(timeoutMs)} ms`), timeoutMs);
    socket.once('error', (error) => fail('refused or unreachable', error));
    socket.once('connect', () => {
      settle();
      resolve(socket);
    });
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
  });
