// Kafka's record batch (format v2) as the log sees it: a header and opaque bytes.
import { readBatchHeader, rewriteBatchOffset } from '../../wire/batch-header.ts';
import type { BatchFormat } from './interfaces.ts';

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export const kafkaBatchFormat: BatchFormat = {
  read: (bytes, at) => {
    const header = readBatchHeader(asBuffer(bytes), at);
    return {
      baseOffset: header.baseOffset,
      leaderEpoch: header.partitionLeaderEpoch,
      lengthBytes: header.totalBytes,
      // A batch takes as many offsets as its last delta says, whatever it still holds.
      recordCount: header.lastOffsetDelta + 1,
      producerId: header.producerId,
      producerEpoch: header.producerEpoch,
      baseSequence: header.baseSequence,
    };
  },
  stamp: (bytes, at, baseOffset, leaderEpoch) => {
    rewriteBatchOffset(asBuffer(bytes), at, baseOffset, leaderEpoch);
  },
};
