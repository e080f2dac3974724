// One contestant: kafkajs as an application uses it, without a tap, a ledger or an identity in its records; as many producers as
// ours has lanes, one request in flight each. Words: value or named, bootstrap, topic, partitions, producers, batch, bytes, records.
import { createRequire } from 'node:module';
import type * as KafkaJs from 'kafkajs';
import { IDENTITY_HEADER, smallestRecordBytes } from '../../src/ledger/record-identity.ts';

const { Kafka, logLevel } = createRequire(import.meta.url)('kafkajs') as typeof KafkaJs;

const [record = '', bootstrap = '', topic = '', ...numbers] = process.argv.slice(2);
const [partitions = 0, producers = 0, batch = 0, bytes = 0, records = 0] = numbers.map(Number);
/** Of ours, before what names it. */
const VALUE_HEAD_BYTES = 8;
const lanes = producers * partitions;

/** What an application adds that names its records as ours are named. */
const name = (): Partial<KafkaJs.Message> => {
  if (record !== 'named') return {};
  const key = Buffer.alloc(smallestRecordBytes(topic, 'p0') - VALUE_HEAD_BYTES, 'k');
  return { key, headers: { [IDENTITY_HEADER]: key } };
};

const runLane = async (partition: number): Promise<void> => {
  const kafka = new Kafka({ clientId: 'plain', brokers: bootstrap.split(','), logLevel: logLevel.NOTHING });
  const producer = kafka.producer({ allowAutoTopicCreation: false, maxInFlightRequests: 1, retry: { retries: 0 } });
  await producer.connect();
  for (let sent = 0; sent < records / lanes; sent += batch) {
    const messages = Array.from({ length: batch }, (_, index) => {
      const value = Buffer.alloc(bytes, 'x');
      value.writeUInt32BE(sent + index);
      return { value, partition, ...name() };
    });
    await producer.send({ topic, acks: -1, messages });
  }
  await producer.disconnect();
};

process.stdout.write('begins\n');
await Promise.all(Array.from({ length: lanes }, async (_, index) => await runLane(index % partitions)));
