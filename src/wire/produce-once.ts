// One produce request with one batch for one partition, and what came back, as plain facts. Judged elsewhere.
import type { UnansweredEnd } from '../outcomes.ts';
import type { Acks, Offset } from '../vocabulary.ts';
import type { Connection } from './connection.ts';
import type { ResponseInput } from './protocol.ts';
import { WireError } from './wire-error.ts';

export type AttemptResult =
  | {
      readonly answered: true;
      readonly code: number;
      readonly baseOffset: Offset;
      /** Only if the answer named one. */
      readonly leaderEpoch?: number;
      /** The broker's own words. */
      readonly message?: string;
    }
  | { readonly answered: false; readonly end: UnansweredEnd };

export interface ProduceTarget {
  readonly topic: string;
  readonly partition: number;
  readonly acks: Acks;
}

const endOf = (error: WireError): UnansweredEnd => {
  if (!error.sent) return 'never-sent';
  if (error.code === 'WIRE_DEADLINE') return 'deadline';
  if (error.code === 'WIRE_CANCELLED') return 'cancelled';
  return error.code === 'WIRE_CLOSED' ? 'disconnected' : 'unreadable';
};

type Answer = ResponseInput<'Produce'>;

/** The one partition asked about, if the answer is about it and nothing else. */
const rowFor = (answer: Answer, { topic, partition }: ProduceTarget) => {
  const rows = answer.responses.flatMap(({ name, partitionResponses }) =>
    partitionResponses.map((row) => ({ ...row, name })),
  );
  const [row, ...others] = rows;
  return row?.name === topic && row.index === partition && others.length === 0 ? row : undefined;
};

const resultOf = (answer: Answer, target: ProduceTarget): AttemptResult => {
  const row = rowFor(answer, target);
  if (row === undefined) return { answered: false, end: 'unreadable' };
  const leaderEpoch = row.currentLeader?.leaderEpoch ?? -1;
  const message = row.errorMessage ?? '';
  return {
    answered: true,
    code: row.errorCode,
    baseOffset: row.baseOffset as Offset,
    ...(leaderEpoch < 0 ? {} : { leaderEpoch }),
    ...(message === '' ? {} : { message }),
  };
};

/** Hands the batch to the connection once; the answer may take `limitMs`. Throws only for what is not the wire's trouble. */
export const produceOnce = async (
  connection: Connection,
  target: ProduceTarget,
  batch: Buffer,
  limitMs: number,
  signal?: AbortSignal,
): Promise<AttemptResult> => {
  const acks = target.acks === 'all' ? -1 : target.acks;
  const partitionData = [{ index: target.partition, records: batch }];
  const body = { acks, timeoutMs: Math.ceil(limitMs), topicData: [{ name: target.topic, partitionData }] };
  try {
    if (acks === 0) {
      connection.post('Produce', body);
      return { answered: false, end: 'unacknowledged' };
    }
    const options = { deadlineMs: limitMs, ...(signal === undefined ? {} : { signal }) };
    return resultOf(await connection.request('Produce', body, options), target);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return { answered: false, end: endOf(error) };
  }
};
