// A lane of our own wire client. It hides nothing: each attempt is counted by the producer itself, and the answer is what the
// broker's bytes said.
import { systemClock } from '../clock.ts';
import { ClusterClient } from '../wire/cluster-client.ts';
import { Producer, type SendResult } from '../wire/producer.ts';
import type { RecordInput } from '../wire/record-batch.ts';
import type { Lane, LaneOptions, LaneResult, RecordToSend } from './client.ts';

const inputOf = ({ key, value, headers }: RecordToSend, timestamp: number): RecordInput => ({
  key,
  value,
  timestamp,
  headers: Object.entries(headers).map(([name, bytes]) => ({ key: name, value: bytes })),
});

const resultOf = (sent: SendResult): LaneResult => {
  const facts = {
    attempts: sent.attempts,
    tainted: sent.tainted,
    ...(sent.code === undefined || sent.code === 0 ? {} : { code: sent.code }),
    ...(sent.leaderEpoch === undefined ? {} : { leaderEpoch: sent.leaderEpoch }),
  };
  if (sent.outcome === 'ok') {
    return { outcome: 'ok', ...facts, ...(sent.baseOffset === 'untrusted' ? {} : { baseOffset: sent.baseOffset }) };
  }
  return { outcome: sent.outcome, ...facts, reason: sent.reason, ...(sent.notSent ? { notSent: true } : {}) };
};

class WireLane implements Lane {
  readonly #client: ClusterClient;
  readonly #producer: Producer;

  constructor(options: LaneOptions) {
    this.#client = new ClusterClient({
      bootstrap: options.bootstrap,
      clientId: options.clientId,
      security: options.security,
    });
    this.#producer = new Producer({
      client: this.#client,
      topic: options.topic,
      partition: options.partition,
      acks: options.acks,
      idempotent: options.idempotence,
      retry: options.retry,
      attemptTimeoutMs: options.attemptTimeoutMs,
      deliveryTimeoutMs: options.deliveryTimeoutMs,
      profile: options.profile,
      ...(options.lookAgainMs === undefined ? {} : { lookAgainMs: options.lookAgainMs }),
    });
  }

  async send(records: readonly RecordToSend[]): Promise<LaneResult> {
    const timestamp = Math.round(systemClock.wall());
    return resultOf(await this.#producer.send(records.map((record) => inputOf(record, timestamp))));
  }

  close(): Promise<void> {
    this.#client.close();
    return Promise.resolve();
  }
}

export const openWireLane = (options: LaneOptions): Lane => new WireLane(options);
