// The lanes of a part: N producers for each partition, spread over time so that they do not send in step, plus the probe
// lanes that tell the brokers', the path's and the client's share of an outage apart.

import { openSecurity } from '../clients/security-handover.ts';
import { PROBE_PRODUCERS } from '../vocabulary.ts';
import type { RunningWorkload } from './load-tally.ts';
import type { ThreadLane } from './load-thread.ts';
import { startLoadWorker } from './load-worker.ts';
import { countedShape, type LoadShape, workloadShape } from './pacing.ts';
import type { Part } from './part.ts';
import { outcomeProfileOf, type RunContext } from './run-context.ts';
import { tellLongStall } from './standstill.ts';

export interface LoadPlan {
  /** Absent: until it is stopped. */
  readonly recordsPerLane?: number;
  /** Partitions that get probe lanes. */
  readonly probed: readonly number[];
}

/** How often a probe lane sends its one record, ms: the resolution of the outage's parts. */
const PROBE_MS = 20;
const PROBE_ATTEMPT_MS = 500;
const PROBE_BYTES = 256;
const PROGRESS_MS = 250;

const loadLanes = (context: RunContext, partitions: readonly number[], shape: LoadShape): ThreadLane[] => {
  const { workload, contract } = context.scenario;
  const { producers, retry, splitSend } = workload;
  const { batch, intervalMs } = shape;
  return Array.from({ length: producers }, (_, index) => index).flatMap((index) =>
    partitions.map((partition, place) => ({
      producer: splitSend ? `p${index + 1}-${place + 1}` : `p${index + 1}`,
      partition,
      ...(splitSend ? { splitWith: partitions[(place + 1) % partitions.length] ?? partition } : {}),
      batch,
      intervalMs,
      firstAtMs: (intervalMs * (index + place / partitions.length)) / producers,
      bootstrap: context.target.bootstrap,
      client: context.client.kind,
      retry,
      idempotence: contract.idempotence,
      attemptTimeoutMs: workload.attemptTimeoutMs,
    })),
  );
};

const probeLanes = (context: RunContext, partitions: readonly number[]): ThreadLane[] => {
  const routes = PROBE_PRODUCERS.map((producer) => ({
    producer,
    bootstrap: producer === 'probe-direct' ? context.target.evidenceBootstrap : context.target.bootstrap,
  }));
  return partitions.flatMap((partition) =>
    routes.map((route) => ({
      ...route,
      partition,
      batch: 1,
      intervalMs: PROBE_MS,
      firstAtMs: 0,
      client: context.wire.kind,
      retry: 'none' as const,
      idempotence: false,
      attemptTimeoutMs: PROBE_ATTEMPT_MS,
      probe: true,
    })),
  );
};

/** Starts a part's load and reports its progress until it is stopped. */
export const startLoad = (context: RunContext, part: Part, plan: LoadPlan): RunningWorkload => {
  const { scenario, listener, target } = context;
  const { workload } = scenario;
  const shape =
    plan.recordsPerLane === undefined
      ? workloadShape(workload, workload.producers * part.partitions.length * (workload.splitSend ? 2 : 1))
      : countedShape(workload, plan.recordsPerLane);
  const load = startLoadWorker(
    {
      ledger: part.handOverLedger(),
      runId: part.runId,
      ...(target.security === undefined ? {} : { security: openSecurity(target.security) }),
      topic: part.topic,
      acks: scenario.contract.acks,
      deliveryTimeoutMs: scenario.contract.deliveryTimeoutMs,
      profile: outcomeProfileOf(target.profile),
      lanes: [...loadLanes(context, part.partitions, shape), ...probeLanes(context, plan.probed)],
      sizeBytes: shape.sizeBytes,
      probeBytes: Math.min(PROBE_BYTES, shape.sizeBytes),
      ...(plan.recordsPerLane === undefined ? {} : { recordsPerLane: plan.recordsPerLane }),
    },
    {
      at: () => part.at(),
      onClientAnomaly: (detail) => part.tell({ t: 'harness', anomaly: 'client-anomaly', detail }),
      onStandstill: (ms, at) => {
        part.tell({ t: 'standstill', ms }, at);
        tellLongStall(part, ms);
      },
    },
  );
  const tick = setInterval(() => listener({ kind: 'load', part: part.name, load: load.progress() }), PROGRESS_MS);
  load.finished.finally(() => clearInterval(tick)).catch(() => undefined);
  return load;
};
