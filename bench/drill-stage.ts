// What the bench programs about faults share: a target with a load on it and the bench that performs faults, as a run has them,
// without the rest of a run. The load is that of a run: lanes in a thread of their own, ledger on.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/clock.ts';
import { createJournal } from '../src/faults/journal.ts';
import { Strikes } from '../src/faults/strikes.ts';
import { randomStream } from '../src/random.ts';
import { ClusterEye } from '../src/scenarios/cluster-eye.ts';
import type { FaultBench } from '../src/scenarios/fault-schedule.ts';
import type { RunningWorkload } from '../src/scenarios/load-tally.ts';
import { startLoadWorker } from '../src/scenarios/load-worker.ts';
import { Part } from '../src/scenarios/part.ts';
import { outcomeProfileOf } from '../src/scenarios/run-context.ts';
import { startTarget } from '../src/targets/registry.ts';
import type { StartedTarget } from '../src/targets/target.ts';
import { targetSpecSchema } from '../src/targets/target-spec.ts';

export interface StageOptions {
  readonly target: Readonly<Record<string, unknown>>;
  readonly partitions: number;
  /** Lanes for each partition. */
  readonly producers: number;
  readonly batch: number;
  /** Between two requests of a lane; 0 = as fast as it is answered. */
  readonly intervalMs: number;
}

export interface Stage extends AsyncDisposable {
  readonly target: StartedTarget;
  readonly part: Part;
  readonly load: RunningWorkload;
  readonly bench: FaultBench;
}

const RUN = 'bench';
const BYTES = 512;

const contract = {
  acks: 'all',
  idempotence: false,
  transactions: false,
  minInSyncReplicas: 2,
  boundary: 'replicated',
  deliveryTimeoutMs: 30_000,
  uncleanLeaderElection: false,
  uniqueKeys: true,
  deleteRecords: false,
  laggingReads: false,
  survives: ['broker-loss'],
  profile: 'apache-kafka',
  allow: [],
  forbid: [],
} as const;

const startLanes = (target: StartedTarget, part: Part, options: StageOptions): RunningWorkload => {
  const { partitions, producers, batch, intervalMs } = options;
  return startLoadWorker(
    {
      ledger: part.handOverLedger(),
      runId: part.runId,
      topic: part.topic,
      acks: 'all',
      deliveryTimeoutMs: contract.deliveryTimeoutMs,
      profile: outcomeProfileOf(target.profile),
      lanes: Array.from({ length: producers * partitions }, (_, index) => ({
        producer: `p${Math.floor(index / partitions) + 1}`,
        partition: index % partitions,
        batch,
        intervalMs,
        firstAtMs: (intervalMs * Math.floor(index / partitions)) / producers,
        bootstrap: target.bootstrap,
        client: 'wire',
        retry: 'none' as const,
        idempotence: false,
        attemptTimeoutMs: 4000,
      })),
      sizeBytes: BYTES,
      probeBytes: BYTES,
    },
    {
      at: () => part.at(),
      onClientAnomaly: (detail) => process.stderr.write(`${detail}\n`),
      onStandstill: () => undefined,
    },
  );
};

/** Everything runs when this returns; disposing it ends it and removes its files. */
export const openStage = async (options: StageOptions): Promise<Stage> => {
  const folder = mkdtempSync(join(tmpdir(), 'ackproof-bench-'));
  const interrupted = new AbortController();
  const { signal } = interrupted;
  const spec = targetSpecSchema.parse({ apiVersion: 'ackproof/v1', ...options.target });
  const target = await startTarget(spec, { runId: RUN, runDirectory: folder, defects: [], signal });
  const eye = new ClusterEye(target.evidenceBootstrap, RUN);
  const topic = { name: 'orders', partitions: options.partitions, replicationFactor: 3, config: {} };
  const part = new Part({ name: 'main', runId: RUN, runDirectory: folder, contract, topic, clock: systemClock });
  await eye.createTopic(part.topic, topic, contract);
  const journal = await createJournal(join(folder, 'journal.ndjson'), {
    run: RUN,
    at: part.at(),
    wallMs: systemClock.wall(),
  });
  const load = startLanes(target, part, options);
  const bench: FaultBench = {
    part,
    context: { target, runId: RUN, topicName: () => part.topic },
    randomOf: (id) => randomStream(1, id),
    strikes: new Strikes(systemClock),
    journal,
    watchdog: { ping: async () => await Promise.resolve() },
    clock: systemClock,
    listener: () => undefined,
    signal,
  };
  const end = async (): Promise<void> => {
    await load.stop();
    await part.close();
    await journal.close();
    eye.close();
    await target[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      interrupted.abort(new Error(name)); // ends the fault that is under way, and heals it
      void end().finally(() => process.exit(1));
    });
  }
  return { target, part, load, bench, [Symbol.asyncDispose]: end };
};
