// Watches who leads what: every broker is asked for Metadata by its direct listener, each in a loop of its own, so that a paused
// or dead broker delays nobody's answers but its own.
import { type Clock, systemClock } from '../clock.ts';
import { describeError } from '../errors.ts';
import type { BrokerNode } from '../targets/target.ts';
import type { BrokerId } from '../vocabulary.ts';
import { toClusterMetadata } from '../wire/cluster-metadata.ts';
import { Connection } from '../wire/connection.ts';
import type { ConnectionSecurity } from '../wire/connection-security.ts';
import { type InSyncFact, LeaderBook, type LeaderFact } from './leader-book.ts';

export interface LeaderWatchOptions {
  /** Asked by their direct listeners, in a loop each. */
  readonly brokers: readonly Pick<BrokerNode, 'id' | 'direct'>[];
  readonly topics: readonly string[];
  readonly security?: ConnectionSecurity | undefined;
  readonly onLeader: (fact: LeaderFact) => void;
  readonly onInSync?: (fact: InSyncFact) => void;
  /** A topic was deleted and created again while it was watched. */
  readonly onRecreated?: (topic: string, topicId: string) => void;
  /** A broker answers, or does not any more; told when it changes. */
  readonly onReach?: (broker: BrokerId, reached: boolean, detail: string) => void;
  /** Default 150. */
  readonly everyMs?: number;
  readonly clock?: Clock;
}

export interface LeaderWatch extends AsyncDisposable {
  leaderOf(topic: string, partition: number): LeaderFact | undefined;
  /** By the leader's word; none before it has told any. */
  inSyncOf(topic: string, partition: number): readonly number[];
}

const EVERY_MS = 150;
const CALL_DEADLINE_MS = 1_000;

/** One broker's loop: asks, tells, sleeps, until `signal` aborts. */
class Asker {
  readonly #broker: Pick<BrokerNode, 'id' | 'direct'>;
  readonly #options: LeaderWatchOptions;
  readonly #book: LeaderBook;
  #connection: Connection | undefined;
  #reached: boolean | undefined;

  constructor(broker: Pick<BrokerNode, 'id' | 'direct'>, options: LeaderWatchOptions, book: LeaderBook) {
    this.#broker = broker;
    this.#options = options;
    this.#book = book;
  }

  async run(signal: AbortSignal): Promise<void> {
    const clock = this.#options.clock ?? systemClock;
    while (!signal.aborted) {
      await this.#askOnce(signal);
      await clock.sleep(this.#options.everyMs ?? EVERY_MS, signal).catch(() => undefined);
    }
    this.#connection?.close();
  }

  async #askOnce(signal: AbortSignal): Promise<void> {
    try {
      this.#tell(await this.#ask(signal));
      this.#showReach(true, 'answers');
    } catch (thrown) {
      this.#connection?.close();
      this.#connection = undefined;
      if (!signal.aborted) this.#showReach(false, describeError(thrown));
    }
  }

  async #ask(signal: AbortSignal): Promise<ReturnType<typeof toClusterMetadata>> {
    this.#connection ??= await Connection.open({
      ...this.#broker.direct,
      clientId: 'ackproof-evidence',
      connectTimeoutMs: CALL_DEADLINE_MS,
      maxInFlight: 1,
      security: this.#options.security,
      signal,
    });
    const topics = this.#options.topics.map((name) => ({ name }));
    const body = { topics, allowAutoTopicCreation: false };
    return toClusterMetadata(
      await this.#connection.request('Metadata', body, { deadlineMs: CALL_DEADLINE_MS, signal }),
    );
  }

  #tell(metadata: ReturnType<typeof toClusterMetadata>): void {
    const { onLeader, onInSync, onRecreated } = this.#options;
    const news = this.#book.add(metadata, this.#broker.id);
    for (const fact of news.leaders) onLeader(fact);
    for (const fact of news.inSync) onInSync?.(fact);
    for (const { topic, topicId } of news.recreated) onRecreated?.(topic, topicId);
  }

  #showReach(reached: boolean, detail: string): void {
    if (this.#reached === reached) return;
    this.#reached = reached;
    this.#options.onReach?.(this.#broker.id, reached, detail);
  }
}

/** Starts watching; disposing it stops all loops and returns when they have ended. */
export const watchLeaders = (options: LeaderWatchOptions): LeaderWatch => {
  const book = new LeaderBook();
  const stop = new AbortController();
  const loops = options.brokers.map(async (broker) => {
    await new Asker(broker, options, book).run(stop.signal);
  });
  return {
    leaderOf: (topic, partition) => book.leaderOf(topic, partition),
    inSyncOf: (topic, partition) => book.inSyncOf(topic, partition),
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('The watch was stopped.'));
      await Promise.all(loops);
    },
  };
};
