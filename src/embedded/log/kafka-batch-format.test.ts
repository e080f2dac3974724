// The log's view of a Kafka batch, against the codec's own.
import { describe, expect, it } from 'vitest';
import { decodeRecordBatches, encodeRecordBatch } from '../../wire/record-batch.ts';
import { kafkaBatchFormat } from './kafka-batch-format.ts';

const records = [1, 2, 3].map((value) => ({ key: null, value: Buffer.from([value]), timestamp: 1000 }));
const encoded = (): Buffer =>
  encodeRecordBatch({ baseOffset: 0, producerId: 7, producerEpoch: 1, baseSequence: 30, records });

describe('kafkaBatchFormat', () => {
  it('reads length, record count and producer of a batch that stands behind others', () => {
    const one = encoded();
    const header = kafkaBatchFormat.read(new Uint8Array(Buffer.concat([one, one])), one.length);
    expect(header).toMatchObject({
      lengthBytes: one.length,
      recordCount: 3,
      producerId: 7,
      producerEpoch: 1,
      baseSequence: 30,
    });
  });

  it('stamps offset and leader epoch in place and leaves the checksum right', () => {
    const bytes = new Uint8Array(encoded());
    kafkaBatchFormat.stamp(bytes, 0, 5_000_000_000, 4);
    expect(kafkaBatchFormat.read(bytes, 0)).toMatchObject({ baseOffset: 5_000_000_000, leaderEpoch: 4 });
    expect(decodeRecordBatches(Buffer.from(bytes)).batches).toHaveLength(1);
  });
});
