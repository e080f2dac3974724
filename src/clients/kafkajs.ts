// The only importer of kafkajs. Every option that decides what a test means is passed explicitly, so that a changed default
// of the library cannot change what is tested; its own retries are off, because the harness counts attempts.
import { createRequire } from 'node:module';
import { connect, type Socket } from 'node:net';
import type {
  Kafka as KafkaClient,
  KafkaConfig,
  logLevel as LogLevel,
  Partitioners as PartitionerNames,
  SASLOptions,
} from 'kafkajs';
import { describeError, InternalError } from '../errors.ts';
import type { Address } from '../vocabulary.ts';
import { decompress } from '../wire/compression.ts';
import type { ConnectionSecurity, SaslSettings } from '../wire/connection-security.ts';
import { openTlsSocket } from '../wire/tls-socket.ts';

export type { Consumer, EachBatchPayload, Producer } from 'kafkajs';

interface LibraryCodec {
  compress(): Promise<Buffer>;
  decompress(bytes: Buffer): Promise<Buffer>;
}

interface KafkaJsModule {
  readonly CompressionCodecs: Record<number, () => LibraryCodec>;
  readonly Kafka: new (config: KafkaConfig) => KafkaClient;
  readonly logLevel: typeof LogLevel;
  readonly Partitioners: typeof PartitionerNames;
}

let loaded: KafkaJsModule | undefined;

/** By the numbers that name them in a batch. The library itself reads gzip only, and leaves the others to whoever uses it. */
const READ_BY_US = { 2: 'snappy', 3: 'lz4', 4: 'zstd' } as const;

const codecOf = (name: (typeof READ_BY_US)[keyof typeof READ_BY_US]): LibraryCodec => ({
  compress: async () =>
    await Promise.reject(new InternalError('KAFKAJS_COMPRESSES', `Nothing here is to be compressed with ${name}.`)),
  decompress: async (bytes) => await Promise.resolve(decompress(name, bytes)),
});

/** Loads the library on first use: it costs 80 ms that `--help` and `judge` need not pay. */
const kafkajsModule = (): KafkaJsModule => {
  if (loaded !== undefined) return loaded;
  loaded = createRequire(import.meta.url)('kafkajs') as KafkaJsModule;
  for (const [number, name] of Object.entries(READ_BY_US)) {
    loaded.CompressionCodecs[Number(number)] = () => codecOf(name);
  }
  return loaded;
};

/** So long before a login runs out the library logs in again; one that holds no longer than this it would renew for ever. */
const RENEWED_BEFORE_MS = 2_000;

export interface KafkaJsOptions {
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** After this a request is given up by the library itself, ms. */
  readonly requestTimeoutMs: number;
  readonly security?: ConnectionSecurity | undefined;
  /** Called with each new socket before the library uses it. */
  onSocket(socket: Socket): void;
}

/** What the library throws over bytes that it cannot read would end the process: it ends the socket that brought them. */
const guardData = (socket: Socket): void => {
  const emit = socket.emit.bind(socket) as (...told: unknown[]) => boolean;
  socket.emit = (...told: unknown[]): boolean => {
    try {
      return emit(...told);
    } catch (thrown) {
      if (told[0] !== 'data') throw thrown;
      socket.destroy(new Error(`The library cannot read what came: ${describeError(thrown)}`, { cause: thrown }));
      return true;
    }
  };
};

/** The same TLS that our own client speaks; the library's own settings for it are not used. */
const openSocket = (address: Address, security: ConnectionSecurity | undefined, onConnect: () => void): Socket => {
  const tls = security?.tls;
  if (tls === undefined) return connect(address, onConnect);
  const socket = openTlsSocket(address, tls);
  socket.once('secureConnect', onConnect);
  return socket;
};

const LIBRARY_NAMES = {
  PLAIN: 'plain',
  'SCRAM-SHA-256': 'scram-sha-256',
  'SCRAM-SHA-512': 'scram-sha-512',
} as const;

const saslOption = (sasl: SaslSettings | undefined): { readonly sasl?: SASLOptions } =>
  sasl === undefined
    ? {}
    : {
        sasl: {
          mechanism: LIBRARY_NAMES[sasl.mechanism],
          username: sasl.username.reveal(),
          password: sasl.password.reveal(),
        },
      };

/** A client that speaks through sockets we hold in our own hands. */
export const createKafkaJs = (options: KafkaJsOptions): KafkaClient => {
  const { Kafka, logLevel } = kafkajsModule();
  return new Kafka({
    clientId: options.clientId,
    brokers: [...options.brokers],
    connectionTimeout: options.requestTimeoutMs,
    authenticationTimeout: options.requestTimeoutMs,
    reauthenticationThreshold: RENEWED_BEFORE_MS,
    ...saslOption(options.security?.sasl),
    requestTimeout: options.requestTimeoutMs,
    enforceRequestTimeout: true,
    logLevel: logLevel.NOTHING,
    // As many as there are other bootstrap servers to connect to; no request of a producer is sent again by this.
    retry: { retries: options.brokers.length - 1, initialRetryTime: 10, maxRetryTime: 50 },
    socketFactory: ({ host, port, onConnect }) => {
      const socket = openSocket({ host, port }, options.security, onConnect);
      socket.setNoDelay(true);
      guardData(socket);
      options.onSocket(socket);
      return socket;
    },
  });
};

/** Record i goes to the partition that it names; the library's own partitioner is never asked. */
export const explicitPartitioner: typeof PartitionerNames.DefaultPartitioner = () => (partitioned) => {
  const { partition } = partitioned.message;
  if (partition === undefined) throw new TypeError('a record without an explicit partition');
  return partition;
};
