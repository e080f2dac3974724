// What a broker insists on before a batch goes anywhere near a log: one whole batch of format 2, its checksum right, its
// count of records what its offsets say. Records themselves are not looked at, so compressed ones pass as they are.

import { WireError } from '../../../wire/protocol.ts';
import { batchCrcOk, readBatchHeader, type BatchHeader as WireHeader } from '../../../wire/record-batch.ts';
import { KAFKA, type Refusal } from '../../error-codes.ts';
import type { AppendBatch } from '../../log/interfaces.ts';
import { kafkaBatchFormat } from '../../log/kafka-batch-format.ts';

const refuse = (code: number, message: string): Refusal => ({ code, message });

const readHeader = (records: Buffer): WireHeader | Refusal => {
  try {
    return readBatchHeader(records, 0);
  } catch (thrown) {
    if (!(thrown instanceof WireError)) throw thrown;
    const isOldFormat = thrown.code === 'WIRE_BATCH_MAGIC';
    return refuse(isOldFormat ? KAFKA.UNSUPPORTED_FOR_MESSAGE_FORMAT : KAFKA.CORRUPT_MESSAGE, thrown.message);
  }
};

const checkHeader = (header: WireHeader, records: Buffer): Refusal | undefined => {
  if (header.totalBytes > records.length) return refuse(KAFKA.CORRUPT_MESSAGE, 'The batch is cut short.');
  if (header.totalBytes < records.length)
    return refuse(KAFKA.INVALID_RECORD, 'One batch for each partition, not more.');
  if (!batchCrcOk(records, 0, header)) return refuse(KAFKA.CORRUPT_MESSAGE, 'The checksum of the batch is wrong.');
  if (header.recordCount < 1 || header.lastOffsetDelta !== header.recordCount - 1) {
    return refuse(KAFKA.INVALID_RECORD, 'The count of records does not fit their offsets.');
  }
  if (header.isControl || header.isTransactional) {
    return refuse(KAFKA.INVALID_RECORD, 'Control and transactional batches are not taken.');
  }
  if (header.producerId >= 0 && (header.producerEpoch < 0 || header.baseSequence < 0)) {
    return refuse(KAFKA.INVALID_RECORD, 'An idempotent batch needs an epoch and a sequence.');
  }
  return undefined;
};

/** The batch as the log takes it, with bytes of its own, or why it is refused. Nothing has been written then. */
export const acceptBatch = (records: Buffer | null, maxBytes: number): AppendBatch | Refusal => {
  if (records === null || records.length === 0) return refuse(KAFKA.INVALID_RECORD, 'There are no records.');
  if (records.length > maxBytes) return refuse(KAFKA.MESSAGE_TOO_LARGE, `A batch may have ${maxBytes} bytes.`);
  const header = readHeader(records);
  if ('code' in header) return header;
  const wrong = checkHeader(header, records);
  if (wrong !== undefined) return wrong;
  // A copy: the frame the records came in is not ours to keep, and may be far larger.
  return { bytes: Buffer.from(records), header: kafkaBatchFormat.read(records, 0) };
};
