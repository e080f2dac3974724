// Replay passes: a fresh client reads whole partitions or ranges, and everything it returned is written down as it came.
// Nothing is compared here; out-of-range ends a range and is never a reset.
import type { ClientDefinition, Reader, ReaderOptions, ReadRecord } from '../clients/client.ts';
import { type AckproofError, describeError } from '../errors.ts';
import { parseRecord } from '../ledger/record-identity.ts';
import type { ObservedRecord, ReplayWriter } from '../ledger/replay-writer.ts';
import type { Address, PassEnd } from '../vocabulary.ts';
import type { Part } from './part.ts';
import { asRunTrouble } from './run-trouble.ts';
import { follow, together } from './together.ts';

/** One stretch of one partition that a pass reads. */
export interface PassRange {
  readonly partition: number;
  readonly from: number;
  /** Read until the position is above this offset. */
  readonly above: number;
  /** Whether the pass also waits to see the drain's sentinel. */
  readonly sentinel: boolean;
  readonly reachedEnd: 'complete' | 'range';
}

export interface PassPlan {
  readonly name: string;
  readonly client: ClientDefinition;
  readonly bootstrap: readonly Address[];
  readonly security?: ReaderOptions['security'];
  readonly ranges: readonly PassRange[];
  /** For the whole pass. */
  readonly deadlineMs: number;
  /** Told of each record as it is written down. */
  readonly onRecord?: (record: ObservedRecord) => void;
}

export interface PassOutcome {
  readonly name: string;
  readonly records: number;
  readonly ms: number;
  readonly ranges: readonly {
    readonly partition: number;
    readonly from: number;
    readonly position: number;
    readonly end: PassEnd;
    /** How long nothing had come when it ended, ms. */
    readonly idleMs: number;
  }[];
}

/**
 * Runs one pass. A client that fails ends its ranges as `timeout` with a note; it never fails the run. Records that could not be
 * written down are no matter of the client's: that ends the pass, and is thrown (EnvironmentError, or InternalError).
 */
export const runPass = async (part: Part, plan: PassPlan, signal: AbortSignal): Promise<PassOutcome> => {
  const started = part.at();
  const writer = part.openPass(plan.name, plan.client.kind);
  const partitions = [...new Set(plan.ranges.map((range) => range.partition))];
  const ends: PassOutcome['ranges'][number][] = [];
  try {
    await together(
      signal,
      partitions.map((partition) => async (own) => {
        const ranges = plan.ranges.filter((range) => range.partition === partition);
        for (const range of ranges) ends.push(await readOne(part, plan, range, writer, own));
      }),
    );
    return { name: plan.name, records: writer.records, ms: part.at() - started, ranges: ends };
  } finally {
    await writer.close();
  }
};

const readOne = async (
  part: Part,
  plan: PassPlan,
  range: PassRange,
  writer: ReplayWriter,
  signal: AbortSignal,
): Promise<PassOutcome['ranges'][number]> => {
  const { partition, from } = range;
  const { topic } = part;
  let position = from;
  let sentinelSeen = false;
  let lastAt = part.at();
  let unwritten: AckproofError | undefined;
  const { own, release } = follow(signal);
  const take = (record: ReadRecord): void => {
    const observed = observe(topic, partition, record);
    if (observed.sentinel === true) sentinelSeen = true;
    position = record.offset + 1;
    writer.observe(observed);
    plan.onRecord?.(observed);
  };
  const onRecords = (records: readonly ReadRecord[]): void => {
    if (unwritten !== undefined) return;
    lastAt = part.at();
    try {
      records.forEach(take);
    } catch (thrown) {
      unwritten = asRunTrouble(thrown);
      own.abort(unwritten);
    }
  };
  const tellTrouble = (detail: string): void => {
    part.tell({ t: 'note', source: `replay/${plan.name}`, text: `${topic}/${partition}: ${detail}` });
  };
  let reader: Reader | undefined;
  let end: PassEnd = 'timeout';
  try {
    reader = await plan.client.openReader({
      bootstrap: plan.bootstrap,
      security: plan.security,
      clientId: `ackproof-${part.runId}-replay-${plan.name}-${partition}`,
    });
    const result = await reader.readRange({
      topic,
      partition,
      from: from,
      above: range.above,
      done: () => !range.sentinel || sentinelSeen,
      reachedEnd: range.reachedEnd,
      deadlineMs: plan.deadlineMs,
      signal: own.signal,
      isShared: part.isShared,
      onRecords,
    });
    position = result.position;
    end = result.end;
    if (result.detail !== undefined) tellTrouble(result.detail);
  } catch (thrown) {
    tellTrouble(describeError(thrown));
  } finally {
    release();
    await reader?.close();
  }
  if (unwritten !== undefined) throw unwritten;
  const covered = { partition, from, position, end };
  writer.range({ topic, ...covered });
  return { ...covered, idleMs: part.at() - lastAt };
};

/** A field of the batch, left out where the broker told none (−1). */
const told = <K extends string>(name: K, value: number | undefined): Partial<Record<K, number>> =>
  value === undefined || value < 0 ? {} : ({ [name]: value } as Record<K, number>);

const observe = (topic: string, partition: number, record: ReadRecord): ObservedRecord => {
  const place = {
    topic,
    partition,
    offset: record.offset,
    ...told('epoch', record.leaderEpoch),
    ...told('producerId', record.producerId),
    ...told('producerEpoch', record.producerEpoch),
  };
  const intact = record.damaged !== true;
  if (record.control) return { ...place, control: true, checksumOk: intact };
  const parsed = parseRecord(record.key, record.value, record.headers);
  if (parsed === undefined) return { ...place, checksumOk: intact };
  const checksumOk = parsed.checksumOk && intact;
  if (parsed.kind === 'canary') return { ...place, checksumOk };
  if (parsed.kind === 'sentinel') return { ...place, sentinel: true, checksumOk };
  return { ...place, id: parsed.id, checksumOk };
};
