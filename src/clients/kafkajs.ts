// The only importer of kafkajs. Every option that decides what a test means is passed explicitly, so that a changed default
// of the library cannot change what is tested; its own retries are off, because the harness counts attempts.
import { createRequire } from 'node:module';
import { connect, type Socket } from 'node:net';
import type {
  Kafka as KafkaClient,
  KafkaConfig,
  logLevel as LogLevel,
  Partitioners as PartitionerNames,
} from 'kafkajs';
import { describeError } from '../errors.ts';

export type { Consumer, EachBatchPayload, Producer } from 'kafkajs';

interface KafkaJsModule {
  readonly Kafka: new (config: KafkaConfig) => KafkaClient;
  readonly logLevel: typeof LogLevel;
  readonly Partitioners: typeof PartitionerNames;
}

let loaded: KafkaJsModule | undefined;

/** Loads the library on first use: it costs 80 ms that `--help` and `judge` need not pay. */
const kafkajsModule = (): KafkaJsModule => {
  loaded ??= createRequire(import.meta.url)('kafkajs') as KafkaJsModule;
  return loaded;
};

export interface KafkaJsOptions {
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** After this a request is given up by the library itself, ms. */
  readonly requestTimeoutMs: number;
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

/** A client that speaks plain TCP through sockets we hold in our own hands. */
export const createKafkaJs = (options: KafkaJsOptions): KafkaClient => {
  const { Kafka, logLevel } = kafkajsModule();
  return new Kafka({
    clientId: options.clientId,
    brokers: [...options.brokers],
    connectionTimeout: options.requestTimeoutMs,
    requestTimeout: options.requestTimeoutMs,
    enforceRequestTimeout: true,
    logLevel: logLevel.NOTHING,
    // As many as there are other bootstrap servers to connect to; no request of a producer is sent again by this.
    retry: { retries: options.brokers.length - 1, initialRetryTime: 10, maxRetryTime: 50 },
    socketFactory: ({ host, port, onConnect }) => {
      const socket = connect({ host, port }, onConnect);
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
