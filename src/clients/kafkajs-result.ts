// What became of one batch that kafkajs sent: told by the bytes that the tap decoded, and where the library says something else, so
// does the result.
import type { AttemptFacts } from '../outcomes.ts';
import { judgeAnswer } from '../outcomes.ts';
import type { LaneResult } from './client.ts';
import type { ProduceAnswer } from './socket-tap.ts';

/** What the library resolved or rejected with. */
export interface LibraryResult {
  readonly resolved: boolean;
  /** By partition; one that it resolved without has none. */
  readonly baseOffsets: ReadonlyMap<number, number>;
  readonly error?: string;
}

/** What the tap saw of one batch. */
export interface TappedBatch {
  readonly partition: number;
  /** Produce requests that named its partition. */
  readonly attempts: number;
  /** To its partition, in order of arrival. */
  readonly answers: readonly ProduceAnswer[];
  /** Bytes that could not be read, in words. */
  readonly damage?: string | undefined;
}

const notSent = (library: LibraryResult): LaneResult => {
  const reason = library.error ?? 'the library sent nothing';
  const result: LaneResult = { outcome: 'fail', attempts: 0, tainted: false, notSent: true, reason };
  return library.resolved ? { ...result, clientAnomaly: 'kafkajs resolved a send that left no socket' } : result;
};

/** At least one request left and nothing came back that names this partition. */
const silent = (library: LibraryResult, attempts: number): LaneResult => {
  const reason = library.error ?? 'the answer did not name the partition';
  const result: LaneResult = { outcome: 'unknown', attempts, tainted: true, reason };
  if (!library.resolved) return result;
  return { ...result, clientAnomaly: 'kafkajs resolved a send whose answer does not name the partition' };
};

const difference = (
  { resolved, baseOffsets }: LibraryResult,
  { partition, code, baseOffset }: ProduceAnswer,
): string | undefined => {
  if (!resolved) return undefined;
  if (code !== 0) return `kafkajs resolved although the broker answered error ${code}`;
  const told = baseOffsets.get(partition);
  if (told === baseOffset) return undefined;
  return `kafkajs reported offset ${String(told)}, the broker answered ${baseOffset}`;
};

/** With acks=0, where no answer is asked for. */
export const unacknowledged = (library: LibraryResult, attempts: number): LaneResult =>
  attempts === 0 ? notSent(library) : { outcome: 'unknown', attempts, tainted: true, reason: 'unacknowledged' };

/** With acks above 0. */
export const resultOf = (
  library: LibraryResult,
  { attempts, answers, damage }: TappedBatch,
  profile: AttemptFacts['profile'],
): LaneResult => {
  if (damage !== undefined) return { ...silent(library, attempts), clientAnomaly: damage };
  if (attempts === 0) return notSent(library);
  const last = answers.at(-1);
  if (last === undefined) return silent(library, attempts);
  const tainted = attempts > 1;
  const { outcome, offsetTrusted, reason } = judgeAnswer(last.code, { isFirst: attempts === 1, tainted, profile });
  const isOk = outcome === 'ok';
  const anomaly = !isOk && last.code === 0 ? undefined : difference(library, last);
  return {
    outcome,
    attempts,
    tainted,
    ...(last.code === 0 ? {} : { code: last.code }),
    ...(isOk && offsetTrusted ? { baseOffset: last.baseOffset } : {}),
    ...(isOk ? {} : { reason }),
    ...(anomaly === undefined ? {} : { clientAnomaly: anomaly }),
  };
};
