// A lane of kafkajs: one client, one producer, one batch in flight. Its result comes from the bytes the tap decoded, not from
// what the library resolved or threw; where the two differ the result says so.
import { describeError } from '../errors.ts';
import { judgeAnswer } from '../outcomes.ts';
import { nearestLogOffset } from '../wire/protocol.ts';
import type { Lane, LaneOptions, LaneResult, RecordToSend } from './client.ts';
import { createKafkaJs, explicitPartitioner, type Producer } from './kafkajs.ts';
import { type ProduceAnswer, SocketTap } from './socket-tap.ts';

/** The library insists on retries for an idempotent producer; our own deadline ends them. */
const IDEMPOTENT_RETRIES = 1_000_000;
/** The library's own farewell may take so long; its sockets are gone before. */
const CLOSE_MS = 1000;

interface LibraryResult {
  readonly resolved: boolean;
  readonly baseOffset?: number;
  readonly error?: string;
}

class KafkaJsLane implements Lane {
  readonly #options: LaneOptions;
  readonly #tap = new SocketTap();
  readonly #producer: Producer;
  #connected = false;
  #closed = false;

  constructor(options: LaneOptions) {
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
      retry: { retries: options.idempotence ? IDEMPOTENT_RETRIES : 0, initialRetryTime: 20, maxRetryTime: 200 },
    });
  }

  async send(records: readonly RecordToSend[]): Promise<LaneResult> {
    this.#tap.begin();
    const deadlineMs = this.#options.idempotence ? this.#options.deliveryTimeoutMs : this.#options.attemptTimeoutMs;
    const library = await this.#withDeadline(this.#sendThroughLibrary(records), deadlineMs);
    if (this.#options.acks === 0) return this.#unacknowledged(library);
    return this.#judge(library);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#tap.end('the lane was closed');
    await this.#withDeadline(
      this.#producer.disconnect().then(() => ({ resolved: true })),
      CLOSE_MS,
    );
  }

  async #sendThroughLibrary(records: readonly RecordToSend[]): Promise<LibraryResult> {
    const { topic, partition, acks, attemptTimeoutMs } = this.#options;
    if (!this.#connected) {
      await this.#producer.connect();
      this.#connected = true;
    }
    const results = await this.#producer.send({
      topic,
      acks: acks === 'all' ? -1 : acks,
      timeout: attemptTimeoutMs,
      messages: records.map(({ key, value, headers }) => ({ key, value, headers: { ...headers }, partition })),
    });
    const mine = results.find((result) => result.topicName === topic && result.partition === partition);
    if (mine?.baseOffset === undefined) return { resolved: true };
    return { resolved: true, baseOffset: nearestLogOffset(Number.parseInt(mine.baseOffset, 10)) };
  }

  /** The library's promise or our deadline, whichever comes first; on the deadline the sockets are destroyed. */
  async #withDeadline(work: Promise<LibraryResult>, deadlineMs: number): Promise<LibraryResult> {
    const settled = work.catch((thrown: unknown): LibraryResult => ({ resolved: false, error: describeError(thrown) }));
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<LibraryResult>((resolve) => {
      timer = setTimeout(() => {
        this.#tap.end('the attempt ran out of time');
        resolve({ resolved: false, error: `no answer within ${deadlineMs} ms` });
      }, deadlineMs);
    });
    const first = await Promise.race([settled, deadline]);
    clearTimeout(timer);
    return first;
  }

  #unacknowledged(library: LibraryResult): LaneResult {
    const attempts = this.#tap.attempts;
    if (attempts === 0) return this.#notSent(library);
    return { outcome: 'unknown', attempts, tainted: true, reason: 'unacknowledged' };
  }

  #notSent(library: LibraryResult): LaneResult {
    const reason = library.error ?? 'the library sent nothing';
    const result: LaneResult = { outcome: 'fail', attempts: 0, tainted: false, notSent: true, reason };
    return library.resolved ? { ...result, clientAnomaly: 'kafkajs resolved a send that left no socket' } : result;
  }

  #judge(library: LibraryResult): LaneResult {
    const { topic, partition, profile } = this.#options;
    const attempts = this.#tap.attempts;
    if (this.#tap.damage !== undefined) return { ...this.#silent(library, attempts), clientAnomaly: this.#tap.damage };
    if (attempts === 0) return this.#notSent(library);
    const answers = this.#tap.answers.filter((answer) => answer.topic === topic && answer.partition === partition);
    const last = answers.at(-1);
    if (last === undefined) return this.#silent(library, attempts);
    const tainted = attempts > 1;
    const { outcome, offsetTrusted, reason } = judgeAnswer(last.code, { isFirst: attempts === 1, tainted, profile });
    const anomaly = this.#difference(library, last, outcome === 'ok');
    return {
      outcome,
      attempts,
      tainted,
      ...(last.code === 0 ? {} : { code: last.code }),
      ...(outcome === 'ok' && offsetTrusted ? { baseOffset: last.baseOffset } : {}),
      ...(outcome === 'ok' ? {} : { reason }),
      ...(anomaly === undefined ? {} : { clientAnomaly: anomaly }),
    };
  }

  /** At least one request left and nothing came back that names this partition. */
  #silent(library: LibraryResult, attempts: number): LaneResult {
    const reason = library.error ?? 'the answer did not name the partition';
    const result: LaneResult = { outcome: 'unknown', attempts, tainted: true, reason };
    if (!library.resolved) return result;
    return { ...result, clientAnomaly: 'kafkajs resolved a send whose answer does not name the partition' };
  }

  #difference(library: LibraryResult, last: ProduceAnswer, ok: boolean): string | undefined {
    if (!library.resolved || (!ok && last.code === 0)) return undefined;
    if (last.code !== 0) return `kafkajs resolved although the broker answered error ${last.code}`;
    if (library.baseOffset !== last.baseOffset) {
      return `kafkajs reported offset ${String(library.baseOffset)}, the broker answered ${last.baseOffset}`;
    }
    return undefined;
  }
}

export const openKafkaJsLane = (options: LaneOptions): Lane => new KafkaJsLane(options);
