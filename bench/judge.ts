// How fast the judge is: one partition after another, four interleaved producers each, batches of 50, 1 % unknown outcomes,
// one pass. Prints records per second and the peak of the heap. Run: node dist-bench/bench/judge.js [records] [partitions]
import { performance } from 'node:perf_hooks';
import { HistoryBuilder } from '../src/ledger/history-builder.ts';
import type { Contract, HistoryLine } from '../src/ledger/history-lines.ts';
import { judge } from '../src/ledger/judge.ts';
import type { RunFacts } from '../src/ledger/run-facts.ts';
import { randomStream } from '../src/random.ts';

const PRODUCERS = 4;
const BATCH = 50;
const UNKNOWN_OF = 100;

const CONTRACT: Contract = {
  acks: 'all',
  idempotence: false,
  transactions: false,
  minInSyncReplicas: 2,
  boundary: 'replicated',
  deliveryTimeoutMs: 30_000,
  uncleanLeaderElection: false,
  uniqueKeys: false,
  deleteRecords: false,
  laggingReads: false,
  survives: [],
  profile: 'apache-kafka',
  allow: [],
  forbid: [],
};

/** A healthy run: batches of the producers in random turns; a batch in a hundred is unknown, half of those are there. */
const fillPartition = (builder: HistoryBuilder, partition: number, records: number): void => {
  const random = randomStream(1, `bench-${partition}`);
  const place = { topic: 'orders', partition };
  const lanes = Array.from({ length: PRODUCERS }, (_, index) => ({ producer: `p${index}`, incarnation: 0, seq: 0 }));
  let order = 0;
  let offset = 0;
  for (let sent = 0; sent < records; sent += BATCH) {
    const lane = random.pick(lanes);
    const at = order / 10;
    const run = { ...place, producer: lane.producer, incarnation: lane.incarnation, seq: lane.seq, count: BATCH };
    builder.add({ t: 'send', at, ...run }, ++order);
    const isUnknown = random.integer(UNKNOWN_OF) === 0;
    const outcome = { at: at + 0.05, ...run, attempts: 1, tainted: isUnknown };
    if (isUnknown) builder.add({ t: 'error', ...outcome }, ++order);
    else builder.add({ t: 'ack', ...outcome, offset }, ++order);
    if (!isUnknown || random.integer(2) === 0) {
      const { producer, incarnation, seq } = lane;
      builder.add(
        { t: 'read', pass: 'full', ...place, offset, count: BATCH, id: { producer, incarnation, seq }, epoch: 1 },
        0,
      );
      offset += BATCH;
    }
    lane.seq += BATCH;
    if (isUnknown) {
      lane.incarnation++;
      lane.seq = 0;
    }
  }
  builder.add({ t: 'pass', pass: 'full', ...place, from: 0, position: offset, end: 'complete' }, 0);
};

const history = (records: number, partitions: number): RunFacts => {
  const topics = [{ topic: 'orders', partitions, replicationFactor: 3 }];
  const header: HistoryLine = { t: 'history', version: 1, run: 'bench', contract: CONTRACT, topics };
  const builder = new HistoryBuilder(header);
  for (let partition = 0; partition < partitions; partition++) {
    fillPartition(builder, partition, Math.ceil(records / partitions));
  }
  return builder.finish();
};

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

const main = (): void => {
  const records = Number(process.argv[2] ?? 2_000_000);
  const partitions = Number(process.argv[3] ?? 6);
  const facts = history(records, partitions);
  const held = process.memoryUsage().heapUsed;
  const speeds: number[] = [];
  for (let round = 0; round < 5; round++) {
    const started = performance.now();
    const judgement = judge(facts);
    const seconds = (performance.now() - started) / 1000;
    if (judgement.verdict !== 'pass') throw new Error(`The bench history must pass: ${judgement.because}`);
    speeds.push(judgement.examined.sent / seconds);
  }
  speeds.sort((one, other) => one - other);
  const median = speeds[Math.floor(speeds.length / 2)] ?? 0;
  process.stdout.write(
    `judge: ${(median / 1e6).toFixed(2)} M records/s (median of 5; ${records} records, ${partitions} partitions); ` +
      `recorded facts ${megabytes(held)}, peak RSS ${megabytes(process.resourceUsage().maxRSS * 1024)}\n`,
  );
};

main();
