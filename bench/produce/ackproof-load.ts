// One contestant: the load of a run as a run has it, lanes of a client of ours, encoder and ledger with its fsync, in a process
// of its own. Words: client, directory, bootstrap, topic, partitions, producers, batch, bytes, records.
import { clientNamed } from '../../src/clients/registry.ts';
import { systemClock } from '../../src/clock.ts';
import { createLedger } from '../../src/ledger/ledger-writer.ts';
import { RecordEncoder } from '../../src/ledger/record-identity.ts';
import { runOrder } from '../../src/ledger/run-order.ts';
import { APACHE_KAFKA_PROFILE } from '../../src/outcomes.ts';
import { startWorkload } from '../../src/scenarios/workload.ts';
import { parseAddress } from '../../src/targets/spec-fields.ts';

const [kind = '', directory = '', bootstrap = '', topic = '', ...numbers] = process.argv.slice(2);
const [partitions = 0, producers = 0, batch = 0, bytes = 0, records = 0] = numbers.map(Number);
const client = clientNamed(kind);
if (client === undefined) throw new Error(`there is no client ${kind}`);

const ledger = createLedger(directory, { run: topic, clock: systemClock, order: runOrder() });
process.stdout.write('begins\n');
const from = systemClock.now();
const load = startWorkload({
  runId: topic,
  topic,
  acks: 'all',
  deliveryTimeoutMs: 30_000,
  profile: APACHE_KAFKA_PROFILE,
  lanes: Array.from({ length: producers * partitions }, (_, index) => ({
    producer: `p${Math.floor(index / partitions)}`,
    partition: index % partitions,
    batch,
    intervalMs: 0,
    firstAtMs: 0,
    bootstrap: bootstrap.split(',').map(parseAddress),
    client,
    retry: 'none' as const,
    idempotence: false,
    attemptTimeoutMs: 10_000,
  })),
  ledger,
  clock: systemClock,
  at: () => systemClock.now() - from,
  encoderOf: ({ producer, partition }, incarnation) =>
    new RecordEncoder({ run: topic, producer, incarnation, partition, sizeBytes: bytes }),
  recordsPerLane: records / (producers * partitions),
  onClientAnomaly: (detail) => process.stderr.write(`${detail}\n`),
});
await load.finished;
await ledger.close();
if (load.acked !== records) throw new Error(`only ${load.acked} of ${records} records were acknowledged`);
