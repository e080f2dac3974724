// ListOffsets: start and end of a log, or the first record of a time. The end is asked of the fence first, so that a former
// owner that does not know yet cannot give an old end for the current one.

import { describeError } from '../../../errors.ts';
import type { Offset } from '../../../vocabulary.ts';
import type { RequestBody, ResponseInput } from '../../../wire/protocol.ts';
import { decodeRecordBatches, readBatchHeader } from '../../../wire/record-batch.ts';
import { KAFKA, KafkaRefusal } from '../../error-codes.ts';
import type { PartitionLog } from '../../log/interfaces.ts';
import type { BrokerServices } from '../broker-services.ts';
import type { Handler } from '../handler.ts';
import { locateOwner } from '../locate.ts';

type Wanted = RequestBody<'ListOffsets'>['topics'][number]['partitions'][number];
type PartitionAnswer = ResponseInput<'ListOffsets'>['topics'][number]['partitions'][number];

/** Timestamps with a meaning of their own. */
const LATEST = -1;
const EARLIEST = -2;
const MAX_TIMESTAMP = -3;
const EARLIEST_LOCAL = -4;
const LATEST_TIERED = -5;
const EARLIEST_PENDING_UPLOAD = -6;

const SCAN_BYTES = 1024 * 1024;
const WAIT_MS = 5000;

interface Found {
  readonly offset: number;
  readonly timestamp: number;
}
const NOTHING: Found = { offset: -1, timestamp: -1 };

/** Batches in offset order from the start of the log. Throws a KafkaRefusal when the log could not be read. */
async function* batchesOf(log: PartitionLog): AsyncGenerator<Buffer> {
  let at: number = log.logStart;
  while (at < log.highWatermark) {
    const result = await log.fetch(at as Offset, SCAN_BYTES);
    if (result.status !== 'read') {
      throw new KafkaRefusal(KAFKA.KAFKA_STORAGE_ERROR, `Reading at offset ${at}: ${result.status}.`);
    }
    for (const chunk of result.records) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      for (let from = 0; from < bytes.length; ) {
        const header = readBatchHeader(bytes, from);
        yield bytes.subarray(from, from + header.totalBytes);
        from += header.totalBytes;
        at = header.baseOffset + header.lastOffsetDelta + 1;
      }
    }
  }
}

/** The first record at or after `timestamp` within a batch; for compressed batches, the batch. */
const withinBatch = (batch: Buffer, timestamp: number): Found => {
  const header = readBatchHeader(batch, 0);
  if (header.compression !== 'none') return { offset: header.baseOffset, timestamp: header.maxTimestamp };
  const record = decodeRecordBatches(batch).batches[0]?.records.find((candidate) => candidate.timestamp >= timestamp);
  return record === undefined ? NOTHING : { offset: record.offset, timestamp: record.timestamp };
};

const firstAtOrAfter = async (log: PartitionLog, timestamp: number): Promise<Found> => {
  for await (const batch of batchesOf(log)) {
    if (readBatchHeader(batch, 0).maxTimestamp >= timestamp) return withinBatch(batch, timestamp);
  }
  return NOTHING;
};

const youngest = async (log: PartitionLog): Promise<Found> => {
  let best: { readonly batch: Buffer; readonly timestamp: number } | undefined;
  for await (const batch of batchesOf(log)) {
    const { maxTimestamp } = readBatchHeader(batch, 0);
    if (best === undefined || maxTimestamp > best.timestamp) best = { batch, timestamp: maxTimestamp };
  }
  return best === undefined ? NOTHING : withinBatch(best.batch, best.timestamp);
};

const find = async (log: PartitionLog, timestamp: number): Promise<Found> => {
  switch (timestamp) {
    case LATEST:
      return { offset: log.highWatermark, timestamp: -1 };
    case EARLIEST:
    case EARLIEST_LOCAL:
      return { offset: log.logStart, timestamp: -1 };
    case LATEST_TIERED:
    case EARLIEST_PENDING_UPLOAD:
      return NOTHING;
    case MAX_TIMESTAMP:
      return await youngest(log);
    default:
      return await firstAtOrAfter(log, timestamp);
  }
};

const failed = (partitionIndex: number, errorCode: number): PartitionAnswer => ({ partitionIndex, errorCode });

const listPartition = async (services: BrokerServices, topic: string, wanted: Wanted): Promise<PartitionAnswer> => {
  const { partitionIndex, timestamp, currentLeaderEpoch } = wanted;
  const located = await locateOwner(services, topic, partitionIndex, currentLeaderEpoch, WAIT_MS);
  if (located.status === 'not-here') return failed(partitionIndex, located.code);
  const { log } = located;
  try {
    const found = await find(log, timestamp);
    const leaderEpoch = found.offset === -1 ? -1 : log.leaderEpoch;
    return { partitionIndex, errorCode: KAFKA.NONE, ...found, leaderEpoch };
  } catch (thrown) {
    services.log.error(`looking for a time in ${topic}/${partitionIndex}: ${describeError(thrown)}`);
    return failed(partitionIndex, KAFKA.KAFKA_STORAGE_ERROR);
  }
};

export const listOffsetsHandler =
  (services: BrokerServices): Handler<'ListOffsets'> =>
  async (request) => ({
    topics: await Promise.all(
      request.topics.map(async ({ name, partitions }) => ({
        name,
        partitions: await Promise.all(partitions.map(async (wanted) => await listPartition(services, name, wanted))),
      })),
    ),
  });
