// Fetch: whole batches from each log, below what was acknowledged. Waits until there are `minBytes` or `maxWaitMs` are over;
// sessions are declined (session id 0), so every request names all it wants.

import type { Offset } from '../../../vocabulary.ts';
import type { RequestBody, ResponseInput } from '../../../wire/protocol.ts';
import { KAFKA } from '../../error-codes.ts';
import type { FetchResult, PartitionLog } from '../../log/interfaces.ts';
import type { BrokerServices } from '../broker-services.ts';
import type { Handler, RequestContext } from '../handler.ts';
import { epochMismatch, type LeaderHint, locateLog, NO_HINT } from '../locate.ts';

type FetchRequest = RequestBody<'Fetch'>;
type Wanted = FetchRequest['topics'][number]['partitions'][number];
type PartitionAnswer = ResponseInput<'Fetch'>['responses'][number]['partitions'][number];

interface Read {
  readonly topic: string;
  readonly answer: PartitionAnswer;
  readonly sizeBytes: number;
  /** The log to wait on for more; undefined after an error. */
  readonly log: PartitionLog | undefined;
}

const NO_RECORDS = Buffer.alloc(0);
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

const CODES: Readonly<Record<Exclude<FetchResult['status'], 'read'>, number>> = {
  'out-of-range': KAFKA.OFFSET_OUT_OF_RANGE,
  'not-owner': KAFKA.NOT_LEADER_OR_FOLLOWER,
  'store-away': KAFKA.KAFKA_STORAGE_ERROR,
  'missing-object': KAFKA.KAFKA_STORAGE_ERROR,
};

const failed = (topic: string, partitionIndex: number, errorCode: number, hint: LeaderHint = NO_HINT): Read => ({
  topic,
  answer: {
    partitionIndex,
    errorCode,
    highWatermark: -1,
    abortedTransactions: null,
    currentLeader: hint,
    records: NO_RECORDS,
  },
  sizeBytes: 0,
  log: undefined,
});

const served = (topic: string, partitionIndex: number, log: PartitionLog, chunks: readonly Uint8Array[]): Read => {
  const records = chunks.length === 1 ? Buffer.from(chunks[0] as Uint8Array) : Buffer.concat(chunks);
  return {
    topic,
    answer: {
      partitionIndex,
      errorCode: KAFKA.NONE,
      highWatermark: log.highWatermark,
      lastStableOffset: log.highWatermark,
      logStartOffset: log.logStart,
      abortedTransactions: null,
      records,
    },
    sizeBytes: records.length,
    log,
  };
};

const readPartition = async (
  services: BrokerServices,
  topic: string,
  wanted: Wanted,
  room: { readonly bytes: number; readonly waitMs: number },
): Promise<Read> => {
  const { partition } = wanted;
  const located = await locateLog(services, topic, partition, room.waitMs);
  if (located.status === 'not-here') return failed(topic, partition, located.code, located.hint);
  const { log } = located;
  const mismatch = epochMismatch(wanted.currentLeaderEpoch, log.leaderEpoch);
  if (mismatch !== KAFKA.NONE) return failed(topic, partition, mismatch);
  if (room.bytes <= 0) return served(topic, partition, log, []);
  const result = await log.fetch(wanted.fetchOffset as Offset, Math.min(wanted.partitionMaxBytes, room.bytes));
  if (result.status !== 'read') {
    if (result.status === 'missing-object') services.log.error(`missing object ${result.key} of ${topic}/${partition}`);
    return failed(topic, partition, CODES[result.status]);
  }
  services.reads.add(result.sources);
  return served(topic, partition, log, result.records);
};

const readAll = async (services: BrokerServices, request: FetchRequest, waitMs: number): Promise<readonly Read[]> => {
  const reads: Read[] = [];
  let bytes = Math.min(request.maxBytes, MAX_RESPONSE_BYTES);
  for (const { topic, partitions } of request.topics) {
    for (const wanted of partitions) {
      const read = await readPartition(services, topic, wanted, { bytes, waitMs });
      bytes -= read.sizeBytes;
      reads.push(read);
    }
  }
  return reads;
};

const isEnough = (reads: readonly Read[], minBytes: number): boolean =>
  reads.some((read) => read.log === undefined) || reads.reduce((sum, read) => sum + read.sizeBytes, 0) >= minBytes;

/** Resolves when any of the logs has grown or ended, when `ms` are over, or when nobody listens any more. */
const waitForMore = async (reads: readonly Read[], ms: number, gone: AbortSignal): Promise<void> => {
  const logs = reads.flatMap((read) => (read.log === undefined ? [] : [read.log]));
  const over = new AbortController();
  const end = (): void => over.abort();
  const timer = setTimeout(end, ms);
  gone.addEventListener('abort', end);
  const ended = new Promise<void>((resolve) => over.signal.addEventListener('abort', () => resolve()));
  await Promise.race([ended, ...logs.map(async (log) => await log.waitForDataAbove(log.highWatermark, over.signal))]);
  clearTimeout(timer);
  gone.removeEventListener('abort', end);
  end();
};

const readOrWait = async (
  services: BrokerServices,
  request: FetchRequest,
  context: RequestContext,
): Promise<readonly Read[]> => {
  const { clock } = services;
  const deadline = clock.now() + Math.max(0, request.maxWaitMs);
  for (;;) {
    const reads = await readAll(services, request, Math.max(0, deadline - clock.now()));
    const leftMs = deadline - clock.now();
    if (leftMs <= 0 || context.signal.aborted || isEnough(reads, request.minBytes)) return reads;
    await waitForMore(reads, leftMs, context.signal);
  }
};

export const fetchHandler =
  (services: BrokerServices): Handler<'Fetch'> =>
  async (request, context) => {
    const reads = await readOrWait(services, request, context);
    const topics = [...new Set(reads.map((read) => read.topic))];
    return {
      errorCode: KAFKA.NONE,
      responses: topics.map((topic) => ({
        topic,
        partitions: reads.filter((read) => read.topic === topic).map((read) => read.answer),
      })),
    };
  };
