// One connection per address, opened when first needed and replaced when it has ended.
import type { Address } from '../vocabulary.ts';
import { formatAddress } from './connect-socket.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import type { Deadline } from './deadline.ts';
import { WireError } from './wire-error.ts';

export type PoolOptions = Omit<ConnectionOptions, 'host' | 'port' | 'signal'>;

export class ConnectionPool {
  readonly #options: PoolOptions;
  readonly #open = new Map<string, Connection>();
  readonly #opening = new Map<string, Promise<Connection>>();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** The connection to an address; opening it may take as long as the shorter of the connect timeout and the deadline. */
  async get(address: Address, deadline: Deadline): Promise<Connection> {
    const key = formatAddress(address);
    const open = this.#open.get(key);
    if (open?.closed === false) return open;
    const pending = this.#opening.get(key) ?? this.#start(key, address, deadline);
    return await pending;
  }

  /** Whether there is an open connection to an address right now. */
  isOpen(address: Address): boolean {
    return this.#open.get(formatAddress(address))?.closed === false;
  }

  close(): void {
    this.#closed = true;
    for (const connection of this.#open.values()) connection.close();
    this.#open.clear();
  }

  #start(key: string, address: Address, deadline: Deadline): Promise<Connection> {
    const opening = this.#openNow(key, address, deadline).finally(() => this.#opening.delete(key));
    this.#opening.set(key, opening);
    return opening;
  }

  async #openNow(key: string, address: Address, deadline: Deadline): Promise<Connection> {
    const { signal } = deadline;
    const connection = await Connection.open({
      ...this.#options,
      host: address.host,
      port: address.port,
      connectTimeoutMs: Math.min(this.#options.connectTimeoutMs, deadline.remainingMs()),
      ...(signal === undefined ? {} : { signal }),
    });
    if (this.#closed) {
      connection.close();
      throw new WireError('WIRE_CLOSED', `The client was closed while it connected to ${key}.`, { sent: false });
    }
    this.#open.set(key, connection);
    return connection;
  }
}
