// What the ledger costs: acknowledged records per second of the wire client on an embedded cluster, with and without the
// ledger, in turn. Prints both and the ratio. Run: node dist-bench/bench/ledger.js [rounds] [seconds]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientNamed } from '../src/clients/registry.ts';
import { systemClock } from '../src/clock.ts';
import { createLedger, type IntentHandle, type LedgerWriter } from '../src/ledger/ledger-writer.ts';
import { RecordEncoder } from '../src/ledger/record-identity.ts';
import { runOrder } from '../src/ledger/run-order.ts';
import { CAUTIOUS_PROFILE } from '../src/outcomes.ts';
import { ClusterEye } from '../src/scenarios/cluster-eye.ts';
import { startWorkload } from '../src/scenarios/workload.ts';
import { startCluster } from '../src/targets/standalone-cluster.ts';
import { median, medianRatio } from './medians.ts';

const rounds = Number(process.argv[2] ?? 6);
const seconds = Number(process.argv[3] ?? 3);
const PARTITIONS = 6;
const PRODUCERS = 4;
const BATCH = 50;
const BYTES = 512;

const noLedger = {
  intent: () => ({}) as IntentHandle,
  outcome: () => undefined,
  close: () => Promise.resolve(),
} as unknown as LedgerWriter;

const wire = clientNamed('wire');
if (wire === undefined) throw new Error('the wire client is not registered');
const folder = mkdtempSync(join(tmpdir(), 'ackproof-bench-'));
const cluster = await startCluster({
  brokers: 3,
  defects: [],
  signal: new AbortController().signal,
  directory: folder,
});
const eye = new ClusterEye(cluster.bootstrap, 'bench');
let turn = 0;

/** Acknowledged records per second of one turn on a topic of its own. */
const measure = async (isLedgered: boolean): Promise<number> => {
  const run = `bench-${turn++}`;
  const topic = { name: 'bench', partitions: PARTITIONS, replicationFactor: 3, config: {} };
  await eye.createTopic(run, topic, { minInSyncReplicas: 2, uncleanLeaderElection: false } as never);
  const directory = join(folder, run);
  const ledger = isLedgered ? createLedger(directory, { run, clock: systemClock, order: runOrder() }) : noLedger;
  const lanes = Array.from({ length: PRODUCERS * PARTITIONS }, (_, index) => ({
    producer: `p${Math.floor(index / PARTITIONS)}`,
    partition: index % PARTITIONS,
    batch: BATCH,
    intervalMs: 0,
    firstAtMs: 0,
    bootstrap: cluster.bootstrap,
    client: wire,
    retry: 'none' as const,
    idempotence: false,
    attemptTimeoutMs: 4000,
  }));
  const from = systemClock.now();
  const load = startWorkload({
    runId: run,
    topic: run,
    acks: 'all',
    deliveryTimeoutMs: 30_000,
    profile: CAUTIOUS_PROFILE,
    lanes,
    ledger,
    clock: systemClock,
    at: () => systemClock.now() - from,
    encoderOf: ({ producer, partition }, incarnation) =>
      new RecordEncoder({ run, producer, incarnation, partition, sizeBytes: BYTES }),
    onClientAnomaly: (detail) => process.stderr.write(`${detail}\n`),
  });
  await systemClock.sleep(500);
  const before = load.acked;
  const measuredFrom = systemClock.now();
  await systemClock.sleep(seconds * 1000);
  const rate = ((load.acked - before) * 1000) / (systemClock.now() - measuredFrom);
  await load.stop();
  await ledger.close();
  await eye.deleteTopic(run);
  return rate;
};

try {
  const plain: number[] = [];
  const ledgered: number[] = [];
  await measure(true);
  for (let round = 0; round < rounds; round++) {
    plain.push(await measure(false));
    ledgered.push(await measure(true));
  }
  process.stdout.write(`without a ledger  median ${Math.round(median(plain))} acknowledged records/s\n`);
  process.stdout.write(`with the ledger   median ${Math.round(median(ledgered))} acknowledged records/s\n`);
  process.stdout.write(`ratio             median ${medianRatio(ledgered, plain).toFixed(3)}\n`);
} finally {
  eye.close();
  await cluster[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}
