// Four runs as models, one of each kind of ending, made by hand so that every format shows something of everything. Nothing
// here comes from a clock or a machine: the golden files must never change by themselves.
import type { Finding } from '../../src/ledger/judgement.ts';
import { boundariesOf, unprovenOf } from '../../src/report/boundaries.ts';
import { headlineOf } from '../../src/report/headline.ts';
import type { FaultReport, LoadSeries, PartReport, ReportModel } from '../../src/report/model.ts';
import { leavesOpenOf, provesOf, recoveryPointOf, recoveryTimeOf } from '../../src/report/statements.ts';
import { EXAMPLE_CONTRACT } from '../support/example-contract.ts';

type Given = Omit<ReportModel, 'headline' | 'proves' | 'leavesOpen' | 'recoveryPoint' | 'recoveryTime' | 'boundaries'>;

/** A model with the sentences that follow from it. */
export const completed = (given: Given): ReportModel => ({
  headline: headlineOf(given),
  ...given,
  proves: provesOf(given),
  leavesOpen: [...leavesOpenOf(given), ...unprovenOf(boundariesOf(given))],
  recoveryPoint: recoveryPointOf(given),
  recoveryTime: recoveryTimeOf(given),
  boundaries: boundariesOf(given),
});

const series = (buckets: number, dip: readonly [number, number]): LoadSeries => ({
  from: 0,
  bucketMs: 500,
  buckets: Array.from({ length: buckets }, (_, index) => {
    const inDip = index >= dip[0] && index < dip[1];
    const acked = inDip ? 300 : 1000 - (index % 3) * 50;
    return {
      acked,
      unknown: index === dip[0] ? 50 : 0,
      failed: inDip ? 10 : 0,
      p50Ms: 12.5,
      p99Ms: inDip ? 480 : 31.2,
    };
  }),
});

const kill: FaultReport = {
  id: 'process-kill-1',
  fault: 'process-kill',
  victims: ['broker/1'],
  chosen: 'broker 1, the leader of orders/0 in epoch 1',
  state: 'healed',
  intentAt: 2960,
  appliedAt: 3000,
  confirmedAt: 3420,
  healingAt: 5000,
  healedAt: 5900,
  require: 'all',
  confirmed: true,
  evidence: [
    { kind: 'mechanism', holds: true, seen: 'process 4711 of broker/1 is gone' },
    { kind: 'effect', holds: true, seen: 'new connection to broker/1: refused after 1.2 ms' },
    { kind: 'control', holds: true, seen: 'broker/2 directly: ok in 3.4 ms' },
  ],
  ackedInWindow: 2600,
  attemptedInWindow: 3100,
  exposure: [{ partition: 0, lastAckAgeMs: 42 }],
  marks: [
    { at: 3100, kind: 'mechanism', holds: true, seen: 'process 4711 of broker/1 is gone' },
    { at: 3350, kind: 'effect', holds: true, seen: 'new connection to broker/1: refused after 1.2 ms' },
    { at: 3420, kind: 'control', holds: true, seen: 'broker/2 directly: ok in 3.4 ms' },
  ],
};

/** Back before the heal: another broker led by then. */
const RECOVERY = { recoveredAfterMs: 1200, afterAppliedMs: 1200, afterHealedMs: 0 };

const availability = (gap: number) =>
  [0, 1, 2].map((partition) => ({
    topic: 'orders',
    partition,
    acked: 4000,
    longestGapMs: partition === 0 ? gap : 120,
    longestGapFrom: 2958,
    outages: partition === 0 ? [{ faultId: 'process-kill-1', from: 2958, to: 4200, ms: gap, ...RECOVERY }] : [],
  }));

const quiet = (part: 'preflight' | 'control', ok: number): PartReport => ({
  part,
  topic: `ackproof-r-1-${part}-orders`,
  partitions: 3,
  verdict: 'pass',
  because: `${ok} acked records all read back in 1 pass`,
  inconclusiveBecause: [],
  examined: { sent: ok, ok, fail: 0, unknown: 0, read: ok + 3, passes: 1, partitions: 3 },
  findings: [],
  bounds: [],
  availability: [],
  phases: [{ phase: 'warm-up', from: 0, to: 1000 }],
  faults: [],
  outages: [],
  leaders: [],
  changes: [],
  passes: [{ pass: 'full', client: 'wire', records: ok + 3, ms: 210 }],
});

const main: PartReport = {
  part: 'main',
  topic: 'ackproof-r-1-main-orders',
  partitions: 3,
  verdict: 'pass',
  because: '12,000 acked records all read back in 2 passes; 50 unknown outcomes',
  inconclusiveBecause: [],
  examined: { sent: 12_100, ok: 12_000, fail: 50, unknown: 50, read: 24_080, passes: 2, partitions: 3 },
  findings: [
    {
      anomaly: 'unknown-absent',
      legal: true,
      rule: 'its outcome was unknown: it need not be there',
      severity: 'note',
      topic: 'orders',
      partition: 0,
      count: 50,
      examples: [],
      ranges: [],
    },
  ],
  bounds: [
    { name: 'recoverWithin', limitMs: 5000, measuredMs: 1242, state: 'met', where: 'orders/0 after process-kill-1' },
    { name: 'longestGap', limitMs: 5000, measuredMs: 1242, state: 'met', where: 'orders/0' },
  ],
  availability: availability(1242),
  phases: [
    { phase: 'preflight', from: 0, to: 80 },
    { phase: 'warm-up', from: 80, to: 1080 },
    { phase: 'steady', from: 1080, to: 2900 },
    { phase: 'fault', from: 2900, to: 5900 },
    { phase: 'recovery', from: 5900, to: 7000 },
    { phase: 'settle', from: 7000, to: 7100 },
    { phase: 'replay', from: 7100, to: 8400 },
  ],
  faults: [kill],
  outages: [
    {
      topic: 'orders',
      partition: 0,
      faultId: 'process-kill-1',
      from: 2958,
      to: 4200,
      ms: 1242,
      ...RECOVERY,
      shares: { brokersMs: 900, pathMs: 42, clientMs: 300 },
    },
  ],
  leaders: [
    { at: 90, topic: 'orders', partition: 0, leader: 1, epoch: 1 },
    { at: 3900, topic: 'orders', partition: 0, leader: 3, epoch: 2 },
  ],
  changes: [
    { at: 4102, source: 'fenced', what: 'fenced', text: 'fenced: 1; not registered: none' },
    {
      at: 4110,
      source: 'elr',
      what: 'elr',
      text: 'partition 0: in sync 2, 3; eligible 1; last known eligible none; offline 1',
    },
    {
      at: 4180,
      source: 'controller/3',
      what: 'broker-fenced',
      text: '[2026-11-29T16:04:15,732] INFO Fencing broker 1 at epoch 4 because its session has timed out.',
      place: { file: 'logs/controller-3.log', position: 50_569, loggedAt: '2026-11-29T16:04:15,732' },
    },
  ],
  ownership: {
    state: 'pass',
    because: 'no acked record of an older epoch is missing above the start of a higher one',
    partitions: 3,
    epochs: 4,
    overruled: 0,
    examples: [],
  },
  passes: [
    { pass: 'full', client: 'wire', records: 12_040, ms: 400, from: 7150, to: 7550 },
    {
      pass: 'cold',
      client: 'wire',
      records: 12_040,
      ms: 650,
      sources: { objectBytes: 8_071_391, walBytes: 0, cacheBytes: 345_110 },
      coldOffsets: 12_040,
      uncoveredOffsets: 0,
      from: 7700,
      to: 8350,
    },
  ],
  load: series(14, [6, 9]),
};

const base: Given = {
  formatVersion: 1,
  tool: { name: 'ackproof', version: '0.1.0' },
  judgeVersion: '1',
  runId: '2026-11-29T16-04-11Z-leader-kill-7f3a',
  scenario: {
    name: 'leader-kill',
    claim: 'Records acknowledged with acks=all stay readable after the partition leader is killed.',
    file: 'scenarios/leader-kill.yaml',
    digest: '5ad7400eac0267847a6781cf7cfe5844',
  },
  target: { kind: 'embedded', name: 'embedded', fingerprint: { brokers: '3', defects: 'none' } },
  contract: { ...EXAMPLE_CONTRACT, survives: ['broker-loss'] },
  workload: {
    topic: '3 partitions, replication factor 3',
    rate: '2000 records/s',
    records: '512 bytes, 50 in a batch',
  },
  defects: [],
  baseline: false,
  seed: 42,
  environment: { node: 'v20.20.2', platform: 'linux x64', processors: '2' },
  wallStart: '2026-11-29T16:04:11.123Z',
  wallEnd: '2026-11-29T16:04:31.456Z',
  outcome: {
    verdict: 'pass',
    because: '12,000 acked records all read back in 2 passes; 50 unknown outcomes',
    bounds: 'met',
    heal: 'clean',
    ended: 'complete',
    exitCode: 0,
    errors: [],
  },
  parts: [quiet('preflight', 1002), quiet('control', 12_050), main],
  reproduce: {
    run: 'ackproof run scenarios/leader-kill.yaml --target embedded --seed 42',
    judge: 'ackproof judge runs/2026-11-29T16-04-11Z-leader-kill-7f3a',
  },
};

const lost: Finding = {
  anomaly: 'lost-write',
  legal: false,
  rule: 'the boundary is wal: an ack outlives every broker',
  severity: 'violation',
  topic: 'orders',
  partition: 0,
  count: 100,
  examples: [
    { producer: 'p1', incarnation: 0, seq: 950, offset: 2047, ackedAt: 2958 },
    { producer: 'p1', incarnation: 0, seq: 951, offset: 2048, ackedAt: 2958 },
    { producer: 'p2', incarnation: 0, seq: 999, offset: 2146, ackedAt: 2990 },
  ],
  ranges: [{ first: 2047, last: 2146 }],
  neighbours: [
    { offset: 2046, what: 'p1/0 record 949' },
    { offset: 2047, what: 'p2/1 record 0' },
  ],
  duringFaults: ['process-kill-1'],
  when: '0.042 s before process-kill',
};

const failBecause =
  '100 acked records missing: orders/0 offsets 2047-2146, acked at 2.958 s, 0.042 s before process-kill';

const failed: PartReport = {
  ...main,
  verdict: 'fail',
  because: failBecause,
  findings: [lost, ...main.findings],
  bounds: [
    { name: 'recoverWithin', limitMs: 1000, measuredMs: 1242, state: 'missed', where: 'orders/0 after process-kill-1' },
  ],
};

const doubt = 'fault process-kill-1 was never shown to bite';

const doubted: PartReport = {
  ...main,
  verdict: 'inconclusive',
  because: doubt,
  inconclusiveBecause: [doubt],
  faults: [
    {
      id: kill.id,
      fault: kill.fault,
      victims: kill.victims,
      chosen: kill.chosen,
      state: 'healed',
      appliedAt: 3000,
      plannedAt: 2000,
      lateMs: 960,
      lateBecause: 'it waited for a fresh acknowledgement',
      healingAt: 5000,
      healedAt: 5900,
      require: 'all',
      confirmed: false,
      reason: 'no effect was seen within 10000 ms',
      evidence: [
        { kind: 'mechanism', holds: true, seen: 'process 4711 of broker/1 is gone' },
        { kind: 'effect', holds: false, seen: 'new connection to broker/1: ok in 1.2 ms' },
      ],
      exposure: [],
      marks: [
        { at: 3100, kind: 'mechanism', holds: true, seen: 'process 4711 of broker/1 is gone' },
        { at: 4900, kind: 'effect', holds: false, seen: 'new connection to broker/1: ok in 1.2 ms' },
      ],
    },
  ],
  outages: [],
  passes: main.passes.slice(0, 1),
};

const cut: PartReport = {
  ...main,
  because: '4,000 acked records all read back in 1 pass',
  examined: { sent: 4000, ok: 4000, fail: 0, unknown: 0, read: 4003, passes: 1, partitions: 3 },
  findings: [],
  bounds: [{ name: 'recoverWithin', limitMs: 5000, state: 'no-samples', where: 'no fault was applied under load' }],
  faults: [],
  outages: [],
  leaders: [],
  changes: [],
  passes: main.passes.slice(0, 1),
};

/** One run of each kind of ending. */
export const SAMPLES: Readonly<Record<'pass' | 'fail' | 'inconclusive' | 'interrupted', ReportModel>> = {
  pass: completed(base),
  fail: completed({
    ...base,
    defects: ['lose-wal-tail'],
    outcome: { ...base.outcome, verdict: 'fail', because: failBecause, bounds: 'missed', exitCode: 1 },
    parts: [...base.parts.slice(0, 2), failed],
  }),
  inconclusive: completed({
    ...base,
    outcome: { ...base.outcome, verdict: 'inconclusive', because: doubt, exitCode: 2 },
    parts: [...base.parts.slice(0, 2), doubted],
  }),
  interrupted: completed({
    ...base,
    outcome: {
      ...base.outcome,
      because: '4,000 acked records all read back in 1 pass',
      bounds: 'no-samples',
      ended: 'interrupted',
      exitCode: 130,
    },
    parts: [...base.parts.slice(0, 2), cut],
  }),
};

/** A run that broke before it had a part. */
export const BROKEN: ReportModel = completed({
  ...base,
  outcome: {
    verdict: 'error',
    because: 'RUN_BROKE — The run broke: the disk is full.',
    heal: 'clean',
    ended: 'error',
    exitCode: 70,
    errors: ['RUN_BROKE — The run broke: the disk is full.', 'the log of broker 1 could not be copied'],
  },
  parts: [],
});

/** `text` wherever a cluster, a scenario or a file could have put it. */
export const hostile = (text: string): ReportModel => {
  const planted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(planted);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, FREE_TEXT.has(key) ? text : planted(item)]),
    );
  };
  const model = planted(SAMPLES.fail) as ReportModel;
  return completed({ ...model, workload: { [text]: text }, environment: { [text]: text } });
};

const FREE_TEXT: ReadonlySet<string> = new Set([
  'because',
  'lateBecause',
  'claim',
  'name',
  'file',
  'digest',
  'runId',
  'topic',
  'rule',
  'detail',
  'producer',
  'what',
  'when',
  'seen',
  'chosen',
  'reason',
  'where',
  'pass',
  'client',
  'phase',
  'run',
  'judge',
  'version',
  'wallStart',
  'fault',
  'id',
]);
