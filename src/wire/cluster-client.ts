// A client of a whole cluster: bootstrap addresses, metadata, one connection per broker. It promises nothing about retries;
// it finds the right broker and asks. Lanes that must not disturb each other take a client each, because a request that runs
// into its deadline closes the connection it used.
import { systemClock } from '../clock.ts';
import { describeError } from '../errors.ts';
import type { Address, BrokerId } from '../vocabulary.ts';
import {
  type BrokerAddress,
  type ClusterMetadata,
  findPartition,
  type PartitionMetadata,
  toClusterMetadata,
} from './cluster-metadata.ts';
import { formatAddress } from './connect-socket.ts';
import type { Connection, ConnectionOptions } from './connection.ts';
import { ConnectionPool } from './connection-pool.ts';
import type { ConnectionSecurity } from './connection-security.ts';
import { type Deadline, requestOptions } from './deadline.ts';
import { WireError } from './protocol.ts';

export interface ClusterClientOptions {
  /** Tried in turn. */
  readonly bootstrap: readonly Address[];
  readonly clientId: string;
  /** For one connection, its negotiation included. Default 3 s. */
  readonly connectTimeoutMs?: number;
  /** For one request about metadata. Default 3 s. */
  readonly metadataTimeoutMs?: number;
  /** How long cached metadata is believed. Default 30 s. */
  readonly metadataMaxAgeMs?: number;
  readonly maxInFlight?: number;
  readonly security?: ConnectionSecurity | undefined;
  /** Where to connect instead of the address a broker advertises, e.g. its direct listener. */
  readonly addressOf?: (broker: BrokerAddress) => Address;
  readonly onBytes?: ConnectionOptions['onBytes'];
}

export interface LeaderConnection {
  readonly connection: Connection;
  readonly broker: BrokerId;
  /** −1 where the metadata tells none. */
  readonly leaderEpoch: number;
}

interface CachedMetadata {
  readonly metadata: ClusterMetadata;
  readonly topic: string;
  readonly takenMs: number;
}

const DEFAULT_TIMEOUT_MS = 3_000;
const DEFAULT_MAX_AGE_MS = 30_000;

/** No other broker will take what one of the cluster has refused like this. */
const FOR_GOOD: ReadonlySet<string> = new Set(['WIRE_LOGIN_REFUSED', 'WIRE_SASL_MECHANISM']);

const isForGood = (error: unknown): boolean => error instanceof WireError && FOR_GOOD.has(error.code);

export class ClusterClient {
  readonly #options: ClusterClientOptions;
  readonly #pool: ConnectionPool;
  #cached: CachedMetadata | undefined;
  /** What was believed until the last trouble, to see whether a fresh look says anything new. */
  #doubted: ClusterMetadata | undefined;
  #brokers: readonly BrokerAddress[] = [];
  #nextAddress = 0;
  #lastAsked = '';
  /** Asked last: the broker that answered about metadata most recently, while its answer leads nowhere, and that leader. */
  #shunned: ReadonlySet<string> = new Set();

  /** Connects to nothing yet. */
  constructor(options: ClusterClientOptions) {
    this.#options = options;
    this.#pool = new ConnectionPool({
      clientId: options.clientId,
      connectTimeoutMs: options.connectTimeoutMs ?? DEFAULT_TIMEOUT_MS,
      ...(options.maxInFlight === undefined ? {} : { maxInFlight: options.maxInFlight }),
      security: options.security,
      ...(options.onBytes === undefined ? {} : { onBytes: options.onBytes }),
    });
  }

  /** Fresh metadata of the named topics, of all topics (`null`) or of brokers only (`[]`), from any broker that answers. */
  async metadata(topics: readonly string[] | null, deadline: Deadline): Promise<ClusterMetadata> {
    const body = { topics: topics?.map((name) => ({ name })) ?? null, allowAutoTopicCreation: false };
    const connection = await this.anyConnection(deadline);
    this.#lastAsked = formatAddress(connection.address);
    const limitMs = this.#options.metadataTimeoutMs ?? DEFAULT_TIMEOUT_MS;
    const metadata = toClusterMetadata(await connection.request('Metadata', body, requestOptions(deadline, limitMs)));
    this.#brokers = metadata.brokers;
    return metadata;
  }

  /** A connection to the leader of a partition, by cached metadata where that is young enough. One try, no patience. */
  async leaderConnection(topic: string, partition: number, deadline: Deadline): Promise<LeaderConnection> {
    const row = findPartition(await this.#metadataOf(topic, deadline), topic, partition);
    this.#noteProgress(topic, row);
    if (row.leader === undefined) {
      this.forgetMetadata();
      throw new WireError('WIRE_REFUSED', `${topic}/${partition} has no leader.`, { kafkaCode: 5, sent: false });
    }
    const connection = await this.brokerConnection(row.leader, deadline);
    return { connection, broker: row.leader, leaderEpoch: row.leaderEpoch };
  }

  /**
   * Makes the next `leaderConnection` look at fresh metadata. When that says what was doubted already, the look after it goes
   * to another broker: one that is cut off from its controller names itself the leader for ever.
   */
  forgetMetadata(): void {
    this.#doubted = this.#cached?.metadata ?? this.#doubted;
    this.#cached = undefined;
  }

  /** A connection to one broker, by the address it advertises or the one that `addressOf` gives. */
  async brokerConnection(broker: BrokerId, deadline: Deadline): Promise<Connection> {
    const known = this.#brokers.some(({ id }) => id === broker);
    if (!known) await this.metadata([], deadline);
    const found = this.#brokers.find(({ id }) => id === broker);
    if (found === undefined) {
      this.forgetMetadata();
      throw new WireError('WIRE_REFUSED', `Broker ${broker} is not in the metadata.`, { kafkaCode: 8, sent: false });
    }
    try {
      return await this.#pool.get(this.#addressOf(found), deadline);
    } catch (error) {
      this.forgetMetadata();
      throw error;
    }
  }

  /** A connection to any broker: one that is open already, else the first that can be reached. */
  async anyConnection(deadline: Deadline): Promise<Connection> {
    const failures: string[] = [];
    for (const address of this.#candidates()) {
      try {
        return await this.#pool.get(address, deadline);
      } catch (error) {
        if (deadline.signal?.aborted === true || isForGood(error)) throw error;
        failures.push(describeError(error));
      }
    }
    throw new WireError('WIRE_UNREACHABLE', `No broker could be reached. ${failures.join(' ')}`, { sent: false });
  }

  /** Closes every connection; requests in flight fail. The client cannot be used afterwards. */
  close(): void {
    this.#pool.close();
  }

  async #metadataOf(topic: string, deadline: Deadline): Promise<ClusterMetadata> {
    const cached = this.#cached;
    const maxAgeMs = this.#options.metadataMaxAgeMs ?? DEFAULT_MAX_AGE_MS;
    if (cached?.topic === topic && systemClock.now() - cached.takenMs < maxAgeMs) return cached.metadata;
    const metadata = await this.metadata([topic], deadline);
    this.#cached = { metadata, topic, takenMs: systemClock.now() };
    return metadata;
  }

  #addressOf(broker: BrokerAddress): Address {
    return this.#options.addressOf?.(broker) ?? broker;
  }

  /** Every known address, those with an open connection first and shunned ones last, else in turn. */
  #candidates(): readonly Address[] {
    const all = [...this.#options.bootstrap, ...this.#brokers.map((broker) => this.#addressOf(broker))];
    const distinct = [...new Map(all.map((address) => [formatAddress(address), address])).values()];
    const start = this.#nextAddress++ % Math.max(1, distinct.length);
    const inTurn = [...distinct.slice(start), ...distinct.slice(0, start)];
    const rank = (address: Address): number =>
      (this.#shunned.has(formatAddress(address)) ? 2 : 0) + (this.#pool.isOpen(address) ? 0 : 1);
    return inTurn.sort((one, other) => rank(one) - rank(other));
  }

  #noteProgress(topic: string, row: PartitionMetadata): void {
    if (this.#doubted === undefined) return;
    const before = this.#doubted.topics.find(({ name }) => name === topic)?.partitions[row.partition];
    const isNews = before?.leader !== row.leader || before?.leaderEpoch !== row.leaderEpoch;
    const leader = this.#brokers.find(({ id }) => id === row.leader);
    const leaderAddress = leader === undefined ? [] : [formatAddress(this.#addressOf(leader))];
    this.#shunned = isNews ? new Set() : new Set([this.#lastAsked, ...leaderAddress]);
    this.#doubted = undefined;
  }
}
