// What a run shows and what it leaves open, in sentences a buyer's engineer can hold the vendor to. Each follows from a number
// in the model; none is said that the run does not hold.
import type { FaultReport, PartReport, ReportModel } from './model.ts';
import { bytes, duration, grouped, plural } from './numbers.ts';
import { notAttempted, unconfirmedReason } from './words.ts';

type Facts = Pick<ReportModel, 'contract' | 'defects' | 'baseline' | 'outcome' | 'parts' | 'seed' | 'workload'>;

const list = (names: readonly string[]): string => names.join(', ');

const readStatement = ({ examined, passes, verdict }: PartReport): string[] => {
  if (examined === undefined) return [];
  const names = list(passes.map(({ pass }) => pass));
  const acked = `${plural(examined.ok, 'record')} acknowledged`;
  if (passes.length === 0) return [`${acked}; nothing was read back.`];
  const found = verdict === 'pass' ? ', and each was found or is accounted for' : '';
  return [`${acked}; each was looked for in ${plural(examined.passes, 'pass', 'passes')} (${names})${found}.`];
};

const PROOF = { all: 'mechanism, effect and negative control', mechanism: 'mechanism only, as the scenario asks' };

const faultStatement = (fault: FaultReport): string[] => {
  if (!fault.confirmed) return [];
  const { fault: name, victims, appliedAt, healingAt, ackedInWindow, attemptedInWindow, exposure } = fault;
  const lasted = appliedAt === undefined || healingAt === undefined ? '' : ` for ${duration(healingAt - appliedAt)}`;
  const ages = exposure.flatMap(({ lastAckAgeMs }) => lastAckAgeMs ?? []);
  const silencers = [...new Set(exposure.flatMap(({ silencedBy }) => silencedBy ?? []))];
  const silence = silencers.length === 0 ? '' : ` (${list(silencers)} had stopped them)`;
  const fresh =
    ages.length === 0
      ? ''
      : `; the youngest acknowledgement before it was ${duration(Math.min(...ages))} old${silence}`;
  const inside =
    ackedInWindow === undefined || attemptedInWindow === 0
      ? ''
      : `; ${plural(ackedInWindow, 'record')} acknowledged while it lasted`;
  return [`${name} on ${list(victims)} was shown to bite${lasted} (${PROOF[fault.require]})${inside}${fresh}.`];
};

const coldStatement = ({ passes }: PartReport): string[] =>
  passes.flatMap(({ coldOffsets, sources }) => {
    if (coldOffsets === undefined) return [];
    const from =
      sources === undefined
        ? ''
        : `: ${bytes(sources.objectBytes)} from objects, ${bytes(sources.walBytes)} from the WAL, ${bytes(sources.cacheBytes)} from caches`;
    return [`The object store’s own log shows ${plural(coldOffsets, 'offset')} of the cold pass read from it${from}.`];
  });

const quietStatement = (part: PartReport): string[] => {
  if (part.verdict !== 'pass' || part.examined === undefined) return [];
  const acked = plural(part.examined.ok, 'record');
  if (part.part === 'preflight') return [`The honesty check, without a fault, accounted for all of ${acked}.`];
  return [`The control run, the same load without a fault, accounted for all of ${acked}.`];
};

/** What the run shows. */
export const provesOf = ({ parts }: Facts): readonly string[] => {
  const main = parts.find(({ part }) => part === 'main');
  return [
    ...(main === undefined
      ? []
      : [...readStatement(main), ...main.faults.flatMap(faultStatement), ...coldStatement(main)]),
    ...parts.filter(({ part }) => part !== 'main').flatMap(quietStatement),
  ];
};

const KILLS: ReadonlySet<string> = new Set([
  'all-brokers-kill',
  'crash-loop',
  'graceful-stop',
  'oom-kill',
  'process-kill',
  'rolling-restart',
]);

const unprovedFault = (fault: FaultReport): string[] => {
  const why = unconfirmedReason(fault);
  return fault.confirmed
    ? []
    : [`${fault.fault} (${fault.id}) was not shown to bite${why === undefined ? '' : `: ${why}`}.`];
};

/** A load that came to less than this share of the rate that was asked for is told. */
const LEAST_SHARE = 0.8;

/** Records of the load per second, asked and sent, until a fault acted, where that fell short; a ceiling is no promise. */
const missedRate = (asked: string | undefined, { load, faults }: PartReport): string[] => {
  const rate = Number(/^([\d.]+) records\/s$/u.exec(asked ?? '')?.[1] ?? Number.NaN);
  if (load === undefined || Number.isNaN(rate)) return [];
  const { from, bucketMs, buckets } = load;
  const begun = Math.min(...faults.flatMap(({ intentAt, appliedAt }) => intentAt ?? appliedAt ?? []));
  // The first and the last bucket are not whole.
  const whole = buckets.slice(1, -1).filter((_, index) => from + (index + 2) * bucketMs <= begun);
  if (whole.length === 0) return [];
  const sent = whole.reduce((sum, { acked, unknown, failed }) => sum + acked + unknown + failed, 0);
  const came = Math.round((sent * 1000) / (whole.length * bucketMs));
  return came >= LEAST_SHARE * rate
    ? []
    : [`The rate was not reached: ${grouped(rate)} records/s were asked for, and about ${grouped(came)} came.`];
};

const mainOpen = (part: PartReport): string[] => {
  const { faults, examined, passes } = part;
  return [
    ...faults.flatMap(unprovedFault),
    ...missedFault(part),
    ...(examined === undefined || examined.unknown === 0
      ? []
      : [
          `${plural(examined.unknown, 'record')} got no answer that says whether it was written; such a record may be there or not, both are legal.`,
        ]),
    ...(faults.some(({ fault }) => KILLS.has(fault))
      ? ['A killed process is not a lost machine: what the operating system had in its caches survives a kill.']
      : []),
    ...(passes.some(({ pass }) => pass.startsWith('cold'))
      ? []
      : ['No cold pass: what was read back may have come from caches or the WAL, not from objects.']),
  ];
};

/** A pass meant to be read under a fault that was over before any fault acted, or began after all had been healed. */
const missedFault = ({ passes, faults }: PartReport): string[] =>
  passes.flatMap(({ pass, from, to }) => {
    if (!pass.endsWith('-under-fault') || from === undefined || to === undefined) return [];
    const met = faults.some(
      ({ appliedAt, healedAt = Number.POSITIVE_INFINITY }) =>
        appliedAt !== undefined && appliedAt < to && healedAt > from,
    );
    return met ? [] : [`The pass ${pass} did not meet its fault in time: it shows nothing about reading under it.`];
  });

/** What the run leaves open. */
export const leavesOpenOf = ({
  parts,
  defects,
  baseline,
  outcome,
  seed,
  contract,
  workload,
}: Facts): readonly string[] => {
  const main = parts.find(({ part }) => part === 'main');
  const survived = contract.survives.length === 0 ? 'no loss of any node' : list(contract.survives);
  return [
    ...(defects.length === 0
      ? []
      : [`The brokers ran with ${list(defects)} switched on: this says nothing of them as they are.`]),
    ...(main === undefined
      ? [
          baseline
            ? 'The baseline run was never reached, so nothing is known of it.'
            : 'The fault run was never reached, so nothing is known about the fault.',
        ]
      : [...mainOpen(main), ...missedRate(workload['rate'], main)]),
    ...(baseline ? ['No fault was meant to act: this is a baseline.'] : []),
    ...(outcome.ended === 'interrupted' ? ['The run was interrupted: less was sent and read than planned.'] : []),
    `The contract promises durability at the boundary "${contract.boundary}" and survival of: ${survived}. More was not asked.`,
    `One schedule with seed ${seed}: other moments, longer faults and other loads may end otherwise.`,
  ];
};

const NOT_REACHED = 'Not established: no verdict was reached on the part that the run is about.';

const LOSSES: ReadonlySet<string> = new Set(['lost-write', 'lost-tail', 'lost-prefix', 'log-reset']);

/** The oldest acknowledgement among the lost, against the last fault applied after it. */
const lossAge = (part: PartReport): string => {
  const ackedAts = part.findings
    .filter(({ anomaly }) => LOSSES.has(anomaly))
    .flatMap(({ examples }) => examples.flatMap(({ ackedAt }) => ackedAt ?? []));
  if (ackedAts.length === 0) return '';
  const oldest = Math.min(...ackedAts);
  const next = part.faults
    .filter(({ appliedAt }) => appliedAt !== undefined && appliedAt >= oldest)
    .sort((one, other) => (one.appliedAt ?? 0) - (other.appliedAt ?? 0))[0];
  if (next?.appliedAt === undefined) return '';
  return `; the oldest was acknowledged ${duration(next.appliedAt - oldest)} before ${next.fault}`;
};

/** The recovery point: how much acknowledged data is gone. */
export const recoveryPointOf = ({ parts }: Facts): string => {
  const part = parts.at(-1);
  if (part?.examined === undefined) return 'Not established: there is no judgement.';
  const lost = part.findings.filter(({ anomaly }) => LOSSES.has(anomaly));
  const illegal = lost.filter(({ legal }) => !legal).reduce((sum, { count }) => sum + count, 0);
  const excused = lost.filter(({ legal }) => legal).reduce((sum, { count }) => sum + count, 0);
  const beside = excused === 0 ? '' : `; ${grouped(excused)} more are gone as the contract allows`;
  if (illegal > 0) return `${plural(illegal, 'acknowledged record')} lost${lossAge(part)}${beside}.`;
  if (excused > 0) return `${plural(excused, 'acknowledged record')} lost as the contract allows${lossAge(part)}.`;
  const parted = part.findings.filter(({ anomaly, legal }) => anomaly === 'divergent-route' && !legal);
  if (parted.length > 0) {
    const count = parted.reduce((sum, finding) => sum + finding.count, 0);
    return `Not established: ${plural(count, 'record')} that one pass showed cannot be read in a later one.`;
  }
  if (part.verdict === 'inconclusive' || part.inconclusiveBecause.length > 0) {
    return 'Not established: no loss was found, and the run does not prove that there is none.';
  }
  if (part.part !== 'main') return NOT_REACHED;
  return `Zero: no acknowledged record of ${grouped(part.examined.ok)} was lost.`;
};

/** Shorter gaps are what any load has, ms. */
const LEAST_GAP_MS = 1000;

/** A partition may be silent without any fault, which is worth a look. */
const gapText = ({ availability }: PartReport): string => {
  const [worst] = [...availability].sort((one, other) => other.longestGapMs - one.longestGapMs);
  return worst === undefined || worst.longestGapMs < LEAST_GAP_MS
    ? ''
    : `; still, partition ${worst.partition} was not acknowledged for ${duration(worst.longestGapMs)}`;
};

/** The recovery time: the longest outage that the load saw. */
export const recoveryTimeOf = ({ parts }: Facts): string => {
  const main = parts.find(({ part }) => part === 'main');
  if (main === undefined) return NOT_REACHED;
  if (main.faults.every(({ appliedAt }) => appliedAt === undefined))
    return `No fault acted, so there was nothing to recover from${gapText(main)}.`;
  if (main.load === undefined) return 'Not established: nothing was sent.';
  const unattempted = notAttempted(main);
  const forever = main.outages.find(({ to }) => to === undefined);
  if (forever !== undefined) return `Partition ${forever.partition} did not recover after ${forever.faultId}.`;
  const [worst] = [...main.outages].sort((one, other) => (other.ms ?? 0) - (one.ms ?? 0));
  if (unattempted !== undefined) return `Not established: ${unattempted}.`;
  if (worst?.ms === undefined) return 'The load saw no outage: no partition was silent beyond its usual jitter.';
  const { shares } = worst;
  const split =
    shares === undefined
      ? ''
      : `: brokers ${duration(shares.brokersMs)}, path ${duration(shares.pathMs)}, client ${duration(shares.clientMs)}`;
  return `Longest outage ${duration(worst.ms)}, on partition ${worst.partition}${split}.`;
};
