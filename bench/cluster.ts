// How fast the embedded cluster acknowledges beside the harness: the wire client through the client proxies, ledger on, 512 B
// records in batches of 50. Prints medians over the rounds, the start of the cluster, CPUs by kind of process, and the ratio of
// batches to durable writes of the same disk in the same round. Run: node dist-bench/bench/cluster.js [rounds] [seconds]
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
import type { RunningWorkload } from '../src/scenarios/load-tally.ts';
import { startWorkload } from '../src/scenarios/workload.ts';
import { startCluster } from '../src/targets/standalone-cluster.ts';
import type { Address } from '../src/vocabulary.ts';
import { cpusBetween, cpuTimes } from './cpu-times.ts';
import { durableWritesPerSecond } from './durable-writes.ts';
import { median, medianRatio } from './medians.ts';

const rounds = Number(process.argv[2] ?? 3);
const seconds = Number(process.argv[3] ?? 5);
const PARTITIONS = 6;
const PRODUCERS = 4;
const BATCH = 50;
const BYTES = 512;
const SETTLE_MS = 1000;

interface Round {
  readonly recordsPerSecond: number;
  readonly durablePerSecond: number;
  /** From intent to outcome, ms, ascending. */
  readonly latencies: readonly number[];
  readonly cpus: ReturnType<typeof cpusBetween>;
}

/** `ledger`, with the time from each intent to its outcome noted. */
const timed = (ledger: LedgerWriter, latencies: number[]): LedgerWriter => {
  const from = new Map<IntentHandle, number>();
  return {
    intent: (row) => {
      const handle = ledger.intent(row);
      from.set(handle, systemClock.now());
      return handle;
    },
    outcome: (handle, row) => {
      if (row.outcome === 'ok') latencies.push(systemClock.now() - (from.get(handle) ?? 0));
      from.delete(handle);
      ledger.outcome(handle, row);
    },
    close: async () => await ledger.close(),
    sync: async () => await ledger.sync(),
    get counts() {
      return ledger.counts;
    },
    get bytesWritten() {
      return ledger.bytesWritten;
    },
  };
};

const startLoad = (run: string, bootstrap: readonly Address[], ledger: LedgerWriter): RunningWorkload => {
  const client = clientNamed('wire');
  if (client === undefined) throw new Error('the wire client is not registered');
  const from = systemClock.now();
  return startWorkload({
    runId: run,
    topic: run,
    acks: 'all',
    deliveryTimeoutMs: 30_000,
    profile: CAUTIOUS_PROFILE,
    lanes: Array.from({ length: PRODUCERS * PARTITIONS }, (_, index) => ({
      producer: `p${Math.floor(index / PARTITIONS)}`,
      partition: index % PARTITIONS,
      batch: BATCH,
      intervalMs: 0,
      firstAtMs: 0,
      bootstrap,
      client,
      retry: 'none' as const,
      idempotence: false,
      attemptTimeoutMs: 10_000,
    })),
    ledger,
    clock: systemClock,
    at: () => systemClock.now() - from,
    encoderOf: ({ producer, partition }, incarnation) =>
      new RecordEncoder({ run, producer, incarnation, partition, sizeBytes: BYTES }),
    onClientAnomaly: (detail) => process.stderr.write(`${detail}\n`),
  });
};

const measure = async (run: string, folder: string, bootstrap: readonly Address[], eye: ClusterEye): Promise<Round> => {
  const topic = { name: 'bench', partitions: PARTITIONS, replicationFactor: 3, config: {} };
  await eye.createTopic(run, topic, { minInSyncReplicas: 2, uncleanLeaderElection: false } as never);
  const durableBefore = durableWritesPerSecond(folder, BATCH * BYTES, 1);
  const latencies: number[] = [];
  const ledger = createLedger(join(folder, run), { run, clock: systemClock, order: runOrder() });
  const load = startLoad(run, bootstrap, timed(ledger, latencies));
  await systemClock.sleep(SETTLE_MS);
  latencies.length = 0;
  const [acked, from, cpu] = [load.acked, systemClock.now(), cpuTimes()];
  await systemClock.sleep(seconds * 1000);
  const tookSeconds = (systemClock.now() - from) / 1000;
  const recordsPerSecond = (load.acked - acked) / tookSeconds;
  const cpus = cpusBetween(cpu, cpuTimes(), tookSeconds);
  const measured = [...latencies].sort((one, other) => one - other);
  await load.stop();
  await ledger.close();
  await eye.deleteTopic(run);
  const durablePerSecond = (durableBefore + durableWritesPerSecond(folder, BATCH * BYTES, 1)) / 2;
  return { recordsPerSecond, durablePerSecond, latencies: measured, cpus };
};

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** CPUs of all kinds together, ours included. */
const sumOf = (cpus: Round['cpus']): number => cpus.reduce((sum, [, used]) => sum + used, 0);

const print = (all: readonly Round[], startMs: number): void => {
  const line = (what: string, value: string): boolean => process.stdout.write(`${what.padEnd(26)} ${value}\n`);
  const of = (pick: (round: Round) => number, digits = 0): string => median(all.map(pick)).toFixed(digits);
  const records = all.map(({ recordsPerSecond }) => recordsPerSecond);
  const batches = records.map((rate) => rate / BATCH);
  const disk = all.map(({ durablePerSecond }) => durablePerSecond);
  line('cluster ready after', `${startMs.toFixed(0)} ms`);
  line(
    'acknowledged records/s',
    `median ${of((round) => round.recordsPerSecond)}, best ${Math.max(...records).toFixed(0)}`,
  );
  line('acknowledged batches/s', `median ${median(batches).toFixed(0)}`);
  line(
    'latency p50, p99',
    `${of((round) => quantile(round.latencies, 0.5), 1)} ms, ${of((round) => quantile(round.latencies, 0.99), 1)} ms`,
  );
  line('durable writes/s, alone', `median ${median(disk).toFixed(0)}`);
  line('batches : durable writes', `median ${medianRatio(batches, disk).toFixed(2)}`);
  line('records per CPU second', `median ${of(({ recordsPerSecond, cpus }) => recordsPerSecond / sumOf(cpus))}`);
  const kinds = all[0]?.cpus.map(([kind]) => kind) ?? [];
  for (const kind of kinds)
    line(
      `CPUs, ${kind}`,
      of((round) => round.cpus.find(([name]) => name === kind)?.[1] ?? 0, 2),
    );
};

const folder = mkdtempSync(join(tmpdir(), 'ackproof-bench-'));
const startedAt = systemClock.now();
const cluster = await startCluster({
  brokers: 3,
  defects: [],
  signal: new AbortController().signal,
  directory: folder,
});
const startMs = systemClock.now() - startedAt;
const eye = new ClusterEye(cluster.bootstrap, 'bench');
try {
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    measured.push(await measure(`bench-${round}`, folder, cluster.bootstrap, eye));
  }
  print(measured, startMs);
} finally {
  eye.close();
  await cluster[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}
