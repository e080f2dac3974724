// What judging a run directory costs: records per second from the files to the judgement, and the peak of the memory, for a run
// of few partitions and for one of the same size with many. Each run is written first and judged in a process of its own.
// Run: node dist-bench/bench/judge-directory.js [records]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../src/clock.ts';
import { judgeRun } from '../src/ledger/judge-run.ts';
import { createLedger } from '../src/ledger/ledger-writer.ts';
import { createReplay } from '../src/ledger/replay-writer.ts';
import { runOrder } from '../src/ledger/run-order.ts';
import { createTimeline } from '../src/ledger/timeline-writer.ts';

const PRODUCERS = 4;
const BATCH = 50;

/** A healthy run, its partitions in turns: batches acknowledged and read back, one in a hundred of unknown outcome. */
const writeRun = async (directory: string, records: number, partitions: number): Promise<void> => {
  const topics = [{ topic: 'orders', partitions, replicationFactor: 3 }];
  const header = { t: 'history', version: 1, run: 'bench', contract: { minInSyncReplicas: 2 }, topics };
  writeFileSync(join(directory, 'contract.json'), JSON.stringify(header));
  const order = runOrder();
  const ledger = createLedger(directory, { run: 'bench', clock: systemClock, order });
  const timeline = createTimeline(directory, order);
  const replay = createReplay(directory, { run: 'bench', clock: systemClock, pass: 'full', position: 0 });
  const offsets = Array.from({ length: partitions }, () => 0);
  for (let batch = 0; batch * BATCH < records; batch++) {
    const partition = batch % partitions;
    const turn = Math.floor(batch / partitions);
    const lane = { producer: `p${turn % PRODUCERS}`, incarnation: 0, topic: 'orders', partition };
    const firstSeq = Math.floor(turn / PRODUCERS) * BATCH;
    const at = batch / 10;
    const handle = ledger.intent({ ...lane, firstSeq, count: BATCH, at });
    if (batch % 100 === 99) continue;
    const base = offsets[partition] ?? 0;
    const outcome = { outcome: 'ok', baseOffset: base, attempts: 1, tainted: false } as const;
    ledger.outcome(handle, { at: at + 0.05, ...outcome });
    for (let index = 0; index < BATCH; index++) {
      const id = { run: 'bench', producer: lane.producer, incarnation: 0, partition, seq: firstSeq + index };
      replay.observe({ topic: 'orders', partition, offset: base + index, id, epoch: 1 });
    }
    offsets[partition] = base + BATCH;
  }
  offsets.forEach((position, partition) =>
    replay.range({ topic: 'orders', partition, from: 0, position, end: 'complete' }),
  );
  for (const writer of [ledger, timeline, replay]) await writer.close();
};

const judgeHere = async (directory: string): Promise<void> => {
  const before = process.resourceUsage().maxRSS * 1024;
  const started = performance.now();
  const { judgement } = await judgeRun(directory);
  const seconds = (performance.now() - started) / 1000;
  if (judgement.verdict !== 'pass') throw new Error(`The bench run must pass: ${judgement.because}`);
  const peak = process.resourceUsage().maxRSS * 1024;
  const speed = (judgement.examined.sent / seconds / 1e6).toFixed(2);
  const memory = `peak RSS ${Math.round(peak / 1e6)} MB, ${Math.round((peak - before) / 1e6)} MB of it for the run`;
  process.stdout.write(`${speed} M records/s, ${memory}\n`);
};

const main = async (): Promise<void> => {
  if (process.argv[2] === '--judge') return await judgeHere(process.argv[3] ?? '');
  const records = Number(process.argv[2] ?? 10_000_000);
  for (const partitions of [6, 60]) {
    const directory = mkdtempSync(join(tmpdir(), 'ackproof-bench-'));
    try {
      await writeRun(directory, records, partitions);
      const told = execFileSync(process.execPath, [fileURLToPath(import.meta.url), '--judge', directory]);
      process.stdout.write(`judge from files: ${records} records, ${partitions} partitions: ${told.toString()}`);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
};

await main();
