// The shape of report.json, for the published JSON Schema and for the tests. The compiler holds it against the model's type.
import { z } from 'zod';
import { EVIDENCE_STATES, type ReportModel } from '../../src/report/model.ts';
import {
  ANOMALIES,
  BOUNDARIES,
  CAPACITY_STEPS,
  SEVERITIES,
  STORAGE_GATES,
  SURVIVALS,
  VERDICTS,
} from '../../src/vocabulary.ts';

const text = z.string();
const ms = z.number();
const count = z.number().nonnegative();
const texts = z.array(text).readonly();
const named = z.record(text, text).readonly();
const listOf = <T extends z.ZodType>(item: T) => z.array(item).readonly();

const evidenceKind = z.enum(['mechanism', 'effect', 'control']);
const boundState = z.enum(['met', 'missed', 'no-samples']);
const heal = z.enum(['clean', 'failed']);

const finding = z.strictObject({
  anomaly: z.enum(ANOMALIES),
  legal: z.boolean(),
  rule: text,
  severity: z.enum(SEVERITIES),
  topic: text,
  partition: count,
  count,
  examples: listOf(
    z.strictObject({
      producer: text.exactOptional(),
      incarnation: count.exactOptional(),
      seq: count.exactOptional(),
      offset: z.number().exactOptional(),
      ackedAt: ms.exactOptional(),
      detail: text.exactOptional(),
    }),
  ),
  ranges: listOf(z.strictObject({ first: z.number(), last: z.number() })),
  neighbours: listOf(z.strictObject({ offset: z.number(), what: text })).exactOptional(),
  duringFaults: texts.exactOptional(),
  when: text.exactOptional(),
});

const fault = z.strictObject({
  id: text,
  fault: text,
  victims: texts,
  chosen: text,
  state: text,
  intentAt: ms.exactOptional(),
  appliedAt: ms.exactOptional(),
  plannedAt: ms.exactOptional(),
  lateMs: ms.exactOptional(),
  lateBecause: text.exactOptional(),
  confirmedAt: ms.exactOptional(),
  healingAt: ms.exactOptional(),
  healedAt: ms.exactOptional(),
  require: z.enum(['mechanism', 'all']),
  confirmed: z.boolean(),
  reason: text.exactOptional(),
  evidence: listOf(z.strictObject({ kind: evidenceKind, holds: z.boolean(), seen: text })),
  capacities: listOf(
    z.strictObject({
      node: text,
      trigger: text,
      partitions: count,
      steps: listOf(z.strictObject({ step: z.enum(CAPACITY_STEPS), afterMs: ms })),
      copiedBytes: count.exactOptional(),
    }),
  ).exactOptional(),
  ackedInWindow: count.exactOptional(),
  attemptedInWindow: count.exactOptional(),
  exposure: listOf(
    z.strictObject({ partition: count, lastAckAgeMs: ms.exactOptional(), silencedBy: text.exactOptional() }),
  ),
  marks: listOf(z.strictObject({ at: ms, kind: evidenceKind, holds: z.boolean(), seen: text })),
});

const outage = z.strictObject({
  topic: text,
  partition: count,
  faultId: text,
  from: ms,
  to: ms.exactOptional(),
  ms: ms.exactOptional(),
  recoveredAfterMs: ms.exactOptional(),
  afterAppliedMs: ms.exactOptional(),
  afterHealedMs: ms.exactOptional(),
  stoodStillMs: ms.exactOptional(),
  shares: z.strictObject({ brokersMs: ms, pathMs: ms, clientMs: ms }).exactOptional(),
});

const pass = z.strictObject({
  pass: text,
  client: text,
  records: count,
  ms,
  sources: z.strictObject({ objectBytes: count, walBytes: count, cacheBytes: count }).exactOptional(),
  coldOffsets: count.exactOptional(),
  uncoveredOffsets: count.exactOptional(),
  from: ms.exactOptional(),
  to: ms.exactOptional(),
});

const load = z.strictObject({
  from: ms,
  bucketMs: ms,
  buckets: z
    .array(
      z.strictObject({
        acked: count,
        unknown: count,
        failed: count,
        p50Ms: ms.exactOptional(),
        p99Ms: ms.exactOptional(),
      }),
    )
    .max(400)
    .readonly(),
});

const availability = z.strictObject({
  topic: text,
  partition: count,
  acked: count,
  longestGapMs: ms,
  longestGapFrom: ms,
  outages: listOf(
    z.strictObject({
      faultId: text,
      from: ms,
      to: ms.exactOptional(),
      ms: ms.exactOptional(),
      recoveredAfterMs: ms.exactOptional(),
      afterAppliedMs: ms.exactOptional(),
      afterHealedMs: ms.exactOptional(),
      stoodStillMs: ms.exactOptional(),
    }),
  ),
  longestGapUnattempted: z.literal(true).exactOptional(),
  longestGapStoodStillMs: ms.exactOptional(),
  notAttempted: listOf(z.strictObject({ faultId: text, from: ms })).exactOptional(),
});

const gate = z.strictObject({
  gate: z.enum(STORAGE_GATES),
  state: z.enum(['pass', 'fail', 'inconclusive']),
  because: text,
  cells: listOf(z.strictObject({ item: text, state: z.enum(EVIDENCE_STATES), detail: text })),
});

const usage = z
  .strictObject({
    requests: listOf(
      z.strictObject({
        stage: z.enum(['load', 'replay']),
        path: z.enum(['data', 'wal']),
        operation: text,
        status: count,
        requests: count,
        requestBytes: count,
        responseBytes: count,
      }),
    ),
    keptBytes: count.exactOptional(),
    grownBytes: z.number().exactOptional(),
    cost: z
      .strictObject({
        currency: text,
        lines: listOf(
          z.strictObject({ what: text, amount: text, price: text, per: z.enum(['run', 'month']), cost: z.number() }),
        ),
        total: z.number(),
        unpriced: texts,
      })
      .exactOptional(),
  })
  .describe('What the object store was asked and keeps, as it counted itself; costs only by prices of the reader.');

const part = z.strictObject({
  part: z.enum(['preflight', 'control', 'main']),
  topic: text,
  partitions: count,
  verdict: z.enum(VERDICTS).exactOptional(),
  because: text.exactOptional(),
  inconclusiveBecause: texts,
  examined: z
    .strictObject({
      sent: count,
      ok: count,
      fail: count,
      unknown: count,
      read: count,
      passes: count,
      partitions: count,
    })
    .exactOptional(),
  findings: listOf(finding),
  bounds: listOf(
    z.strictObject({
      name: z.enum(['recoverWithin', 'longestGap']),
      limitMs: ms,
      measuredMs: ms.exactOptional(),
      state: boundState,
      where: text,
    }),
  ),
  availability: listOf(availability),
  phases: listOf(z.strictObject({ phase: text, from: ms, to: ms.exactOptional() })),
  faults: listOf(fault),
  outages: listOf(outage),
  leaders: listOf(z.strictObject({ at: ms, topic: text, partition: count, leader: z.number(), epoch: z.number() })),
  changes: listOf(
    z.strictObject({
      at: ms,
      source: text,
      what: text,
      text,
      place: z.strictObject({ file: text, position: count, loggedAt: text.exactOptional() }).exactOptional(),
    }),
  ),
  ownership: z
    .strictObject({
      state: z.enum(['pass', 'fail', 'inconclusive']),
      because: text,
      partitions: count,
      epochs: count,
      overruled: count,
      examples: listOf(
        z.strictObject({
          topic: text,
          partition: count,
          offset: count,
          ackEpoch: count.exactOptional(),
          epoch: count,
          start: count,
        }),
      ),
    })
    .exactOptional(),
  gates: listOf(gate).exactOptional(),
  usage: usage.exactOptional(),
  passes: listOf(pass),
  load: load.exactOptional(),
});

const contract = z.strictObject({
  acks: z.union([z.literal('all'), z.literal(1), z.literal(0)]),
  idempotence: z.boolean(),
  transactions: z.boolean(),
  minInSyncReplicas: count,
  boundary: z.enum(BOUNDARIES),
  deliveryTimeoutMs: ms,
  uncleanLeaderElection: z.boolean(),
  uniqueKeys: z.boolean(),
  deleteRecords: z.boolean(),
  laggingReads: z.boolean(),
  survives: listOf(z.enum(SURVIVALS)),
  profile: text,
  allow: listOf(z.strictObject({ anomaly: z.enum(ANOMALIES), because: text })),
  forbid: listOf(z.enum(ANOMALIES)),
});

/** Strict: a field that is not here is a field that nobody was told of. */
export const reportSchema: z.ZodType<ReportModel> = z
  .strictObject({
    headline: text.describe('The verdict and the reason for it, in one line.'),
    formatVersion: z.literal(1),
    tool: z.strictObject({ name: z.literal('ackproof'), version: text }),
    judgeVersion: text.exactOptional(),
    runId: text,
    scenario: z.strictObject({ name: text, claim: text, file: text, digest: text }),
    target: z.strictObject({ kind: text, name: text, fingerprint: named }),
    contract,
    workload: named,
    defects: texts,
    baseline: z.boolean(),
    seed: z.number(),
    environment: named,
    wallStart: text,
    wallEnd: text.exactOptional(),
    outcome: z.strictObject({
      verdict: z.enum([...VERDICTS, 'error']),
      because: text,
      bounds: boundState.exactOptional(),
      heal,
      ended: z.enum(['running', 'complete', 'interrupted', 'error']),
      exitCode: count.exactOptional(),
      errors: texts,
    }),
    parts: listOf(part),
    proves: texts,
    leavesOpen: texts,
    recoveryPoint: text,
    recoveryTime: text,
    boundaries: listOf(
      z.strictObject({
        boundary: text,
        question: text,
        state: z.enum(EVIDENCE_STATES),
        sources: listOf(z.strictObject({ source: text, state: z.enum(EVIDENCE_STATES), detail: text })),
      }),
    ),
    reproduce: z.strictObject({ run: text, judge: text }),
  })
  .describe('The report of one ackproof run. Times are milliseconds since the start of the part they belong to.');
