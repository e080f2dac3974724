// Lanes of kafkajs: one client, one producer, one call of it in flight. Their results come from the bytes the tap decoded, not from
// what the library resolved or threw; where the two differ the result says so. A lane goes to one partition, and the library sends
// a batch once; a split lane makes one call for several, as applications do, with the retries that the library has by default.
import { describeError, InternalError } from '../errors.ts';
import { nearestLogOffset } from '../wire/protocol.ts';
import type { Lane, LaneOptions, LaneResult, RecordToSend, SplitLane, SplitLaneOptions } from './client.ts';
import { createKafkaJs, explicitPartitioner, type Producer } from './kafkajs.ts';
import { type LibraryResult, resultOf, unacknowledged } from './kafkajs-result.ts';
import { SocketTap } from './socket-tap.ts';

/** The library insists on retries for an idempotent producer; our own deadline ends them. */
const IDEMPOTENT_RETRIES = 1_000_000;
const OWN_RETRY = { initialRetryTime: 20, maxRetryTime: 200 };
/** The library's own, written out. */
const DEFAULT_RETRY = { retries: 5, initialRetryTime: 300, maxRetryTime: 30_000 };
/** The library's own farewell may take so long; its sockets are gone before. */
const CLOSE_MS = 1000;

const retryOf = ({ idempotence, partitions }: SplitLaneOptions) => {
  if (idempotence) return { retries: IDEMPOTENT_RETRIES, ...OWN_RETRY };
  return partitions.length > 1 ? DEFAULT_RETRY : { retries: 0, ...OWN_RETRY };
};

class KafkaJsLane implements SplitLane {
  readonly #options: SplitLaneOptions;
  readonly #tap = new SocketTap();
  readonly #producer: Producer;
  #connected = false;
  #closed = false;

  constructor(options: SplitLaneOptions) {
    this.#options = options;
    const kafka = createKafkaJs({
      brokers: options.bootstrap.map((address) => `${address.host}:${address.port}`),
      clientId: options.clientId,
      requestTimeoutMs: options.attemptTimeoutMs,
      security: options.security,
      onSocket: (socket) => this.#tap.watch(socket),
    });
    this.#producer = kafka.producer({
      createPartitioner: explicitPartitioner,
      allowAutoTopicCreation: false,
      idempotent: options.idempotence,
      maxInFlightRequests: 1,
      metadataMaxAge: 300_000,
      retry: retryOf(options),
    });
  }

  async send(batches: readonly (readonly RecordToSend[])[]): Promise<readonly LaneResult[]> {
    const { idempotence, deliveryTimeoutMs, attemptTimeoutMs, partitions } = this.#options;
    this.#tap.begin();
    const deadlineMs = idempotence ? deliveryTimeoutMs : attemptTimeoutMs;
    const library = await this.#withDeadline(this.#sendThroughLibrary(batches), deadlineMs);
    return partitions.map((partition) => this.#resultOf(library, partition));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#tap.end('the lane was closed');
    await this.#withDeadline(
      this.#producer.disconnect().then(() => ({ resolved: true, baseOffsets: new Map<number, number>() })),
      CLOSE_MS,
    );
  }

  async #sendThroughLibrary(batches: readonly (readonly RecordToSend[])[]): Promise<LibraryResult> {
    const { topic, partitions, acks, attemptTimeoutMs } = this.#options;
    if (!this.#connected) {
      await this.#producer.connect();
      this.#connected = true;
    }
    const messages = partitions.flatMap((partition, index) =>
      (batches[index] ?? []).map(({ key, value, headers }) => ({ key, value, headers: { ...headers }, partition })),
    );
    const sent = { topic, acks: acks === 'all' ? -1 : acks, timeout: attemptTimeoutMs, messages };
    const results = await this.#producer.send(sent);
    const baseOffsets = new Map<number, number>();
    for (const { topicName, partition, baseOffset } of results) {
      if (topicName !== topic || baseOffset === undefined) continue;
      baseOffsets.set(partition, nearestLogOffset(Number.parseInt(baseOffset, 10)));
    }
    return { resolved: true, baseOffsets };
  }

  /** The library's promise or our deadline, whichever comes first; on the deadline the sockets are destroyed. */
  async #withDeadline(work: Promise<LibraryResult>, deadlineMs: number): Promise<LibraryResult> {
    const rejected = (error: string): LibraryResult => ({ resolved: false, baseOffsets: new Map(), error });
    const settled = work.catch((thrown: unknown) => rejected(describeError(thrown)));
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<LibraryResult>((resolve) => {
      timer = setTimeout(() => {
        this.#tap.end('the attempt ran out of time');
        resolve(rejected(`no answer within ${deadlineMs} ms`));
      }, deadlineMs);
    });
    const first = await Promise.race([settled, deadline]);
    clearTimeout(timer);
    return first;
  }

  #resultOf(library: LibraryResult, partition: number): LaneResult {
    const { topic, acks, profile, partitions } = this.#options;
    // With one partition every request is about it.
    const attempts = partitions.length === 1 ? this.#tap.attempts : this.#tap.attemptsOn(topic, partition);
    if (acks === 0) return unacknowledged(library, attempts);
    const answers = this.#tap.answers.filter((answer) => answer.topic === topic && answer.partition === partition);
    return resultOf(library, { partition, attempts, answers, damage: this.#tap.damage }, profile);
  }
}

export const openKafkaJsSplitLane = (options: SplitLaneOptions): SplitLane => new KafkaJsLane(options);

export const openKafkaJsLane = ({ partition, ...options }: LaneOptions): Lane => {
  const lane = new KafkaJsLane({ ...options, partitions: [partition] });
  return {
    send: async (records) => {
      const [result] = await lane.send([records]);
      if (result === undefined) throw new InternalError('LANE_SILENT', 'A lane told nothing of its batch.');
      return result;
    },
    close: async () => {
      await lane.close();
    },
  };
};
