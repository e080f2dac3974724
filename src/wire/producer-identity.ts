// The id, epoch and sequence numbers under which a broker recognises a batch that it has stored already.
import type { ClusterClient } from './cluster-client.ts';
import { type Deadline, requestOptions } from './deadline.ts';
import { refuseCode } from './evidence-calls.ts';
import { NO_PRODUCER } from './record-batch.ts';

export interface ProducerIdentity {
  readonly producerId: number;
  readonly producerEpoch: number;
}

/** What batches carry that are not idempotent. */
export const NO_IDENTITY: ProducerIdentity = { producerId: NO_PRODUCER, producerEpoch: NO_PRODUCER };

/** Ignored by brokers without a transactional id, but must be positive. */
const TRANSACTION_TIMEOUT_MS = 60_000;
/** Sequences are 31 bits and start again at 0. */
const SEQUENCE_SPAN = 0x8000_0000;

export const nextSequence = (sequence: number, count: number): number => (sequence + count) % SEQUENCE_SPAN;

/** Asks any broker for a new identity; one try. */
export const fetchProducerIdentity = async (client: ClusterClient, deadline: Deadline): Promise<ProducerIdentity> => {
  const connection = await client.anyConnection(deadline);
  const body = { transactionalId: null, transactionTimeoutMs: TRANSACTION_TIMEOUT_MS };
  const answer = await connection.request('InitProducerId', body, requestOptions(deadline));
  refuseCode('InitProducerId', answer.errorCode);
  return { producerId: answer.producerId, producerEpoch: answer.producerEpoch };
};
