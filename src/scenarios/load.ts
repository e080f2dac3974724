// The lanes of a part: N producers for each partition, spread over time so that they do not send in step, plus the probe
// lanes that tell the brokers', the path's and the client's share of an outage apart.
import { clientNamed } from '../clients/registry.ts';
import { InternalError } from '../errors.ts';
import { RecordEncoder } from '../ledger/record-identity.ts';
import { PROBE_PRODUCERS } from '../vocabulary.ts';
import { countedShape, type LoadShape, workloadShape } from './pacing.ts';
import type { Part } from './part.ts';
import { outcomeProfileOf, type RunContext } from './run-context.ts';
import { type LanePlan, type RunningWorkload, startWorkload } from './workload.ts';

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

const loadLanes = (context: RunContext, partitions: readonly number[], shape: LoadShape): LanePlan[] => {
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
      client: context.client,
      retry,
      idempotence: contract.idempotence,
      attemptTimeoutMs: workload.attemptTimeoutMs,
    })),
  );
};

const probeLanes = (context: RunContext, partitions: readonly number[]): LanePlan[] => {
  const wire = clientNamed('wire');
  if (wire === undefined) throw new InternalError('NO_WIRE_CLIENT', 'The wire client is not registered.');
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
      client: wire,
      retry: 'none' as const,
      idempotence: false,
      attemptTimeoutMs: PROBE_ATTEMPT_MS,
      probe: true,
    })),
  );
};

/** Starts a part's load and reports its progress until it is stopped. */
export const startLoad = (context: RunContext, part: Part, plan: LoadPlan): RunningWorkload => {
  const { scenario, clock, listener, target } = context;
  const { workload } = scenario;
  const shape =
    plan.recordsPerLane === undefined
      ? workloadShape(workload, workload.producers * part.partitions.length * (workload.splitSend ? 2 : 1))
      : countedShape(workload, plan.recordsPerLane);
  const load = startWorkload({
    runId: part.runId,
    security: target.security,
    topic: part.topic,
    acks: scenario.contract.acks,
    deliveryTimeoutMs: scenario.contract.deliveryTimeoutMs,
    profile: outcomeProfileOf(target.profile),
    lanes: [...loadLanes(context, part.partitions, shape), ...probeLanes(context, plan.probed)],
    ledger: part.ledger,
    clock,
    at: () => part.at(),
    encoderOf: ({ producer, partition, probe }, incarnation) =>
      new RecordEncoder({
        run: part.runId,
        producer,
        incarnation,
        partition,
        sizeBytes: Math.min(probe === true ? PROBE_BYTES : Number.POSITIVE_INFINITY, shape.sizeBytes),
      }),
    ...(plan.recordsPerLane === undefined ? {} : { recordsPerLane: plan.recordsPerLane }),
    onClientAnomaly: (detail) => part.tell({ t: 'harness', anomaly: 'client-anomaly', detail }),
  });
  const tick = setInterval(() => listener({ kind: 'load', part: part.name, load: load.progress() }), PROGRESS_MS);
  load.finished.finally(() => clearInterval(tick)).catch(() => undefined);
  return load;
};
