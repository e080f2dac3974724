// The honest producer of one lane (producer, partition): one batch in flight, one partition per request, every attempt counted,
// and an outcome that never claims more than the answers say. It decides nothing about the run; after an unknown outcome an
// idempotent producer is retired, because its next sequence number is in doubt.
import { type Clock, systemClock } from '../clock.ts';
import { InternalError } from '../errors.ts';
import { judgeAnswer, judgeUnanswered, type OutcomeProfile, type UnansweredEnd } from '../outcomes.ts';
import type { Acks, Offset } from '../vocabulary.ts';
import type { ClusterClient, LeaderConnection } from './cluster-client.ts';
import { type Deadline, deadlineAfter, isPassingTrouble, tryUntil } from './deadline.ts';
import { errorCodeName, isRetriable } from './error-codes.ts';
import { type AttemptResult, produceOnce } from './produce-once.ts';
import { fetchProducerIdentity, NO_IDENTITY, nextSequence, type ProducerIdentity } from './producer-identity.ts';
import { encodeRecordBatch, type RecordInput } from './record-batch.ts';
import { WireError } from './wire-error.ts';

export interface ProducerOptions {
  /** One for each producer: a deadline closes the connection it used. */
  readonly client: ClusterClient;
  readonly topic: string;
  readonly partition: number;
  readonly acks: Acks;
  readonly idempotent: boolean;
  /** `none`: a batch is handed to a socket once. `same-batch`: the same bytes again until `deliveryTimeoutMs`. */
  readonly retry: 'none' | 'same-batch';
  /** For the answer to one attempt, and with `none` also for finding and reaching the leader before it. */
  readonly attemptTimeoutMs: number;
  readonly deliveryTimeoutMs: number;
  readonly profile: OutcomeProfile;
  /** How long to look for a leader before the first attempt; default `attemptTimeoutMs`. 0 looks once. */
  readonly leaderPatienceMs?: number;
  /** Between two looks for a leader, ms at most; default as for any question. */
  readonly lookAgainMs?: number;
  readonly clock?: Clock;
}

/** What became of a batch. `attempts` counts how often it was handed to a socket. */
export type SendResult = {
  readonly attempts: number;
  /** An earlier attempt may have been stored: a second copy may exist. */
  readonly tainted: boolean;
  /** The code of the last answer, if there was one. */
  readonly code?: number;
  /** Only if the answer itself named it. */
  readonly leaderEpoch?: number;
} & (
  | { readonly outcome: 'ok'; readonly baseOffset: Offset | 'untrusted' }
  | { readonly outcome: 'fail' | 'unknown'; readonly reason: string; readonly notSent: boolean }
);

/** How far one batch has come. */
interface Delivery {
  batch: Buffer | undefined;
  attempts: number;
  tainted: boolean;
  last: SendResult | undefined;
}

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

export class Producer {
  readonly #options: ProducerOptions;
  readonly #clock: Clock;
  #identity: ProducerIdentity | undefined;
  #sequence = 0;
  #busy = false;
  #retired = false;

  constructor(options: ProducerOptions) {
    if (options.idempotent && options.acks !== 'all') {
      throw new InternalError('PRODUCER_OPTIONS', 'An idempotent producer needs acks all.');
    }
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    if (!options.idempotent) this.#identity = NO_IDENTITY;
  }

  /** The producer id and epoch on the batches; undefined before the first batch of an idempotent producer. */
  get identity(): ProducerIdentity | undefined {
    return this.#identity;
  }

  /** True after an unknown outcome of an idempotent producer; `send` refuses from then on. */
  get retired(): boolean {
    return this.#retired;
  }

  /** Connects to the leader and takes a producer id ahead of the first batch, so that the first batch is not slower. */
  async prepare(deadlineMs: number, signal?: AbortSignal): Promise<void> {
    const deadline = deadlineAfter(deadlineMs, signal, this.#clock);
    await this.#ready(deadline);
  }

  /**
   * Sends one batch and tells what became of it; trouble with brokers is an outcome, not an error. Throws for a retired
   * producer, for a batch that cannot be encoded, and when a batch is in flight already.
   */
  async send(records: readonly RecordInput[], signal?: AbortSignal): Promise<SendResult> {
    if (this.#retired)
      throw new WireError('WIRE_RETIRED', 'This producer ended with an unknown outcome.', { sent: false });
    if (this.#busy) throw new InternalError('PRODUCER_BUSY', 'A lane has one batch in flight.');
    this.#busy = true;
    try {
      const result = await this.#deliver(records, signal);
      this.#account(records.length, result);
      return result;
    } finally {
      this.#busy = false;
    }
  }

  #account(count: number, result: SendResult): void {
    if (!this.#options.idempotent) return;
    if (result.outcome === 'ok') this.#sequence = nextSequence(this.#sequence, count);
    else if (result.outcome === 'unknown') this.#retired = true;
  }

  async #ready(deadline: Deadline): Promise<LeaderConnection> {
    const { client, topic, partition, lookAgainMs } = this.#options;
    const attempt = async (): Promise<LeaderConnection> => {
      this.#identity ??= await fetchProducerIdentity(client, deadline);
      return await client.leaderConnection(topic, partition, deadline);
    };
    const pacing = { clock: this.#clock, ...(lookAgainMs === undefined ? {} : { longestPauseMs: lookAgainMs }) };
    return await tryUntil(deadline, `the leader of ${topic}/${partition}`, attempt, isPassingTrouble, pacing);
  }

  #encode(records: readonly RecordInput[]): Buffer {
    const { producerId, producerEpoch } = this.#identity ?? NO_IDENTITY;
    const baseSequence = this.#options.idempotent ? this.#sequence : -1;
    return encodeRecordBatch({ records, producerId, producerEpoch, baseSequence });
  }

  async #deliver(records: readonly RecordInput[], signal?: AbortSignal): Promise<SendResult> {
    const { retry, attemptTimeoutMs, deliveryTimeoutMs } = this.#options;
    const patienceMs = this.#options.leaderPatienceMs ?? attemptTimeoutMs;
    const overall = deadlineAfter(retry === 'none' ? patienceMs : deliveryTimeoutMs, signal, this.#clock);
    const delivery: Delivery = { batch: undefined, attempts: 0, tainted: false, last: undefined };
    let pauseMs = FIRST_PAUSE_MS;
    let goesOn = true;
    while (goesOn) {
      const attempt = await this.#attempt(records, delivery, overall);
      if (typeof attempt === 'string') return delivery.last ?? unanswered(attempt, delivery);
      note(delivery, attempt, this.#options.profile);
      goesOn = this.#mayRepeat(attempt, delivery) && (await this.#pause(pauseMs, overall));
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
    return delivery.last ?? unanswered('never-sent', delivery);
  }

  /** One attempt, or how the search for a leader ended before it. */
  async #attempt(
    records: readonly RecordInput[],
    delivery: Delivery,
    overall: Deadline,
  ): Promise<AttemptResult | UnansweredEnd> {
    const { retry, attemptTimeoutMs, client } = this.#options;
    const leader = await this.#leaderOrReason(overall);
    if (typeof leader === 'string') return leader;
    delivery.batch ??= this.#encode(records);
    const limitMs = retry === 'none' ? attemptTimeoutMs : Math.min(attemptTimeoutMs, overall.remainingMs());
    const attempt = await produceOnce(leader.connection, this.#options, delivery.batch, limitMs, overall.signal);
    if (mayPass(attempt)) client.forgetMetadata();
    return attempt;
  }

  /** A batch that never left the process may always be tried again; one that did, only with `same-batch`. */
  #mayRepeat(attempt: AttemptResult, { attempts, last }: Delivery): boolean {
    const allowed = attempts === 0 || this.#options.retry === 'same-batch';
    return allowed && mayPass(attempt) && last?.outcome !== 'ok';
  }

  /** The leader's connection, or how the search for it ended. */
  async #leaderOrReason(deadline: Deadline): Promise<LeaderConnection | UnansweredEnd> {
    try {
      return await this.#ready(deadline);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      return error.code === 'WIRE_CANCELLED' ? 'cancelled' : 'never-sent';
    }
  }

  /** False when there is no time left for another attempt, or the caller has cancelled. */
  async #pause(ms: number, deadline: Deadline): Promise<boolean> {
    const isCancelled = (): boolean => deadline.signal?.aborted === true;
    if (deadline.remainingMs() <= ms || isCancelled()) return false;
    await this.#clock.sleep(ms);
    return !isCancelled();
  }
}

/** Whether another attempt may do better than this one. */
const mayPass = (attempt: AttemptResult): boolean =>
  attempt.answered ? isRetriable(attempt.code) : attempt.end !== 'cancelled' && attempt.end !== 'unacknowledged';

/** Counts an attempt that left the process, judges it by what went before, and taints the batch for what comes after. */
const note = (delivery: Delivery, attempt: AttemptResult, profile: OutcomeProfile): void => {
  if (!attempt.answered && attempt.end === 'never-sent') return;
  delivery.attempts++;
  delivery.last = attempt.answered ? answered(attempt, delivery, profile) : unanswered(attempt.end, delivery);
  if (!isRefused(attempt, profile)) delivery.tainted = true;
};

/** Whether the answer, taken by itself, says for certain that nothing was appended. */
const isRefused = (attempt: AttemptResult, profile: OutcomeProfile): boolean =>
  attempt.answered && judgeAnswer(attempt.code, { isFirst: true, tainted: false, profile }).outcome === 'fail';

const factsOf = ({ attempts, tainted }: Delivery): { attempts: number; tainted: boolean; isFirst: boolean } => ({
  attempts,
  tainted,
  isFirst: attempts <= 1,
});

const answered = (
  answer: Extract<AttemptResult, { readonly answered: true }>,
  delivery: Delivery,
  profile: OutcomeProfile,
): SendResult => {
  const { attempts, tainted, isFirst } = factsOf(delivery);
  const { code, leaderEpoch } = answer;
  const shared = { attempts, tainted, code, ...(leaderEpoch === undefined ? {} : { leaderEpoch }) };
  const { outcome, offsetTrusted, reason } = judgeAnswer(code, { isFirst, tainted, profile });
  if (outcome === 'ok') return { ...shared, outcome, baseOffset: offsetTrusted ? answer.baseOffset : 'untrusted' };
  const message = answer.message === undefined ? '' : ` (${answer.message})`;
  return { ...shared, outcome, reason: `${errorCodeName(code)}: ${reason}${message}`, notSent: false };
};

const unanswered = (end: UnansweredEnd, delivery: Delivery): SendResult => {
  const { attempts, tainted, isFirst } = factsOf(delivery);
  const { outcome, reason } = judgeUnanswered(end, { isFirst, tainted });
  const definite = outcome === 'fail' || attempts === 0;
  return { attempts, tainted, outcome: definite ? 'fail' : 'unknown', reason, notSent: attempts === 0 };
};
