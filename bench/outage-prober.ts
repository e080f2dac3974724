// A client of its own that knows nothing of lanes, ledgers or metadata caches: it sends one record after the other to whoever leads
// partition 0, on a socket of its own, and prints when each was acknowledged, by the machine's monotonic clock in ms. It ends
// with its standard input. Words: topic, bootstrap.
import { systemClock } from '../src/clock.ts';
import { parseAddress } from '../src/targets/spec-fields.ts';
import { Connection } from '../src/wire/connection.ts';
import { encodeRecordBatch } from '../src/wire/record-batch.ts';

const [topic = '', bootstrap = ''] = process.argv.slice(2);
const addresses = bootstrap.split(',').map(parseAddress);
/** Between two probes. */
const EVERY_MS = 3;
/** For one answer; what is silent for longer is asked anew. */
const PATIENCE_MS = 100;

const monotonicMs = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

const ending = new AbortController();
process.stdin.on('end', () => ending.abort()).resume();

const open = async (host: string, port: number): Promise<Connection> =>
  await Connection.open({ host, port, clientId: 'prober', connectTimeoutMs: PATIENCE_MS });

let turn = 0;

/** A connection to whoever the next broker says leads partition 0. */
const leader = async (): Promise<Connection> => {
  const address = addresses[turn++ % addresses.length];
  if (address === undefined) throw new Error('no address');
  const asked = await open(address.host, address.port);
  try {
    const body = { topics: [{ name: topic }], allowAutoTopicCreation: false };
    const { brokers, topics } = await asked.request('Metadata', body, { deadlineMs: PATIENCE_MS });
    const leaderId = topics[0]?.partitions.find(({ partitionIndex }) => partitionIndex === 0)?.leaderId;
    const broker = brokers.find(({ nodeId }) => nodeId === leaderId);
    if (broker === undefined) throw new Error('no leader');
    return await open(broker.host, broker.port);
  } finally {
    asked.close();
  }
};

const records = [{ key: null, value: Buffer.from('probe'), timestamp: 0 }];

const probe = async (connection: Connection): Promise<void> => {
  const partitionData = [{ index: 0, records: encodeRecordBatch({ records }) }];
  const body = { acks: -1, timeoutMs: PATIENCE_MS, topicData: [{ name: topic, partitionData }] };
  const answer = await connection.request('Produce', body, { deadlineMs: PATIENCE_MS });
  const code = answer.responses[0]?.partitionResponses[0]?.errorCode;
  if (code !== 0) throw new Error(`error ${String(code)}`);
  process.stdout.write(`${monotonicMs()}\n`);
};

let connection: Connection | undefined;
while (!ending.signal.aborted) {
  try {
    connection ??= await leader();
    await probe(connection);
  } catch {
    connection?.close();
    connection = undefined;
  }
  await systemClock.sleep(EVERY_MS);
}
connection?.close();
