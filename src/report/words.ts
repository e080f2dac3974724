// The short phrases that every format uses for the same thing, so that a fault or a finding reads alike wherever it is met.
// Nothing here is escaped: the formats do that.
import type { BoundResult, Finding } from '../ledger/judgement.ts';
import type { OwnershipGate } from '../ledger/ownership.ts';
import type { StorageGate } from '../ledger/storage-gates.ts';
import type { CapacityStep } from '../vocabulary.ts';
import type {
  ClusterChange,
  EvidenceSource,
  FaultReport,
  OutageReport,
  PartReport,
  PassReport,
  ReportModel,
  StorageCost,
  StorageUsage,
} from './model.ts';
import { bytes, duration, grouped, moment, plural, rangeText } from './numbers.ts';

export const PART_NAMES: Readonly<Record<PartReport['part'], string>> = {
  preflight: 'Honesty check',
  control: 'Control run',
  main: 'Fault run',
};

/** The part that a run is about is named after its fault, where it has one. */
export const partName = ({ part }: Pick<PartReport, 'part'>, baseline: boolean): string =>
  part === 'main' && baseline ? 'Baseline run' : PART_NAMES[part];

/** A target by its name, and its kind where that is another word. */
export const targetText = ({ name, kind }: ReportModel['target']): string =>
  name === kind ? name : `${name} (${kind})`;

/** `process-kill on broker/1` */
export const faultTitle = ({ fault, victims }: FaultReport): string =>
  victims.length === 0 ? fault : `${fault} on ${victims.join(', ')}`;

/** `confirmed`, `unconfirmed` or `never applied`. */
export const proofWord = (fault: FaultReport): string => {
  if (fault.confirmed) return fault.require === 'mechanism' ? 'confirmed by its mechanism only' : 'confirmed';
  return fault.appliedAt === undefined ? 'never applied' : 'unconfirmed';
};

/** Why a fault was not confirmed, where that is known: the reason of one that could not be healed says why it was not. */
export const unconfirmedReason = ({ confirmed, state, reason }: FaultReport): string | undefined =>
  confirmed || state === 'heal-failed' ? undefined : reason;

/** States of a fault in which something may have been changed that was not put back. */
const OPEN_STATES: ReadonlySet<string> = new Set(['intent', 'applied', 'healing']);

/** `healed`, `heal failed`, `not healed`, or `nothing to heal`. */
export const healWord = ({ state, healedAt }: FaultReport): string => {
  if (state === 'heal-failed') return 'heal failed';
  if (healedAt !== undefined) return 'healed';
  return OPEN_STATES.has(state) ? 'not healed' : 'nothing to heal';
};

/** Shorter steps are not worth telling apart from the moment a fault was applied, ms. */
const STEP_MS = 500;

/** The moments of a fault; when it began only where that was long before it was wholly applied. */
export const faultTimes = (fault: FaultReport): string => {
  const { plannedAt, intentAt, appliedAt, confirmedAt, healingAt, healedAt } = fault;
  const moments = [
    ['planned', plannedAt],
    ['begun', intentAt !== undefined && (appliedAt ?? Infinity) - intentAt > STEP_MS ? intentAt : undefined],
    ['applied', appliedAt],
    ['confirmed', confirmedAt],
    ['healing', healingAt],
    ['healed', healedAt],
  ] as const;
  const lag = plannedAt === undefined || appliedAt === undefined ? '' : ` (${duration(appliedAt - plannedAt)} later)`;
  return moments
    .flatMap(([word, at]) => (at === undefined ? [] : [`${word} ${moment(at)}${word === 'applied' ? lag : ''}`]))
    .join(', ');
};

/** `begun 3.20 s later than planned (at 10.0 s): process-kill-1 was not over`; empty where it began in time. */
export const lateText = ({ plannedAt, lateMs, lateBecause = '' }: FaultReport): string =>
  plannedAt === undefined || lateMs === undefined
    ? ''
    : `begun ${duration(lateMs)} later than planned (at ${moment(plannedAt)}): ${lateBecause}`;

const STEP_WORDS: Readonly<Record<CapacityStep, string>> = {
  provisioned: 'its process is there',
  registered: 'registered',
  assigned: 'assigned',
  'in-sync': 'in sync',
  'first-request': 'first request served',
  'first-cold-fetch': 'first cold fetch served',
  'full-share': 'its share for 2 s, as quick as before',
};

type Capacity = NonNullable<FaultReport['capacities']>[number];

/** What a broker has come to, each with the time it took; those that were not seen are left out. */
export const capacitySteps = ({ steps }: Capacity): readonly (readonly [word: string, after: string])[] =>
  steps.map(({ step, afterMs }) => [STEP_WORDS[step], duration(afterMs)]);

const oneCapacity = (capacity: Capacity): string => {
  const { node, trigger, copiedBytes } = capacity;
  const steps = capacitySteps(capacity).map(([word, after]) => `${word} ${after}`);
  const copied = copiedBytes === undefined ? [] : [`${bytes(copiedBytes)} on its disks when in sync`];
  const missing = steps.length === Object.keys(STEP_WORDS).length ? [] : ['the rest was not seen'];
  return `time until useful capacity of ${node}, since ${trigger}: ${[...steps, ...missing, ...copied].join(', ')}`;
};

/** `time until useful capacity of broker/4, from when its start was ordered: its process is there 210 ms, …`; empty for other faults. */
export const capacityText = ({ capacities = [] }: FaultReport): string => capacities.map(oneCapacity).join('; ');

/** `orders/0` */
export const placeOf = ({ topic, partition }: { readonly topic: string; readonly partition: number }): string =>
  `${topic}/${partition}`;

const MOST_RANGES = 6;

/** `offsets 1995-2096, 2101`; empty where a finding has none. */
export const rangesText = ({ ranges }: Finding): string => {
  if (ranges.length === 0) return '';
  const shown = ranges.slice(0, MOST_RANGES).map(rangeText).join(', ');
  const rest = ranges.length > MOST_RANGES ? ` and ${plural(ranges.length - MOST_RANGES, 'more range')}` : '';
  return `${ranges.length === 1 && ranges[0]?.first === ranges[0]?.last ? 'offset' : 'offsets'} ${shown}${rest}`;
};

/** `illegal violation`, `legal`, `note`. */
export const findingWord = ({ legal, severity }: Finding): string =>
  legal ? 'legal' : severity === 'violation' ? 'violation' : severity;

export const boundText = ({ name, limitMs, measuredMs, state, where }: BoundResult): string =>
  measuredMs === undefined
    ? `${name} ≤ ${duration(limitMs)}: ${state} (${where})`
    : `${name} ${duration(measuredMs)} ≤ ${duration(limitMs)}: ${state} (${where})`;

/** `brokers 2.15 s, path 11 ms, client 1.19 s`; empty where no probe told them apart. */
export const sharesText = ({ shares }: OutageReport): string =>
  shares === undefined
    ? ''
    : `brokers ${duration(shares.brokersMs)}, path ${duration(shares.pathMs)}, client ${duration(shares.clientMs)}`;

/** `nothing was attempted in partition 2 after process-kill-1`; undefined where every partition was attempted. */
export const notAttempted = ({ availability }: PartReport): string | undefined => {
  for (const { partition, notAttempted: [first] = [] } of availability) {
    if (first !== undefined) return `nothing was attempted in partition ${partition} after ${first.faultId}`;
  }
  return undefined;
};

export const outageText = ({ ms, stoodStillMs }: OutageReport): string => {
  if (ms === undefined) return 'never recovered';
  return stoodStillMs === undefined
    ? duration(ms)
    : `${duration(ms)} (ackproof itself stood still for ${duration(stoodStillMs)} of it)`;
};

const sourcesText = ({ sources }: PassReport): string =>
  sources === undefined
    ? ''
    : `${bytes(sources.objectBytes)} objects, ${bytes(sources.walBytes)} WAL, ${bytes(sources.cacheBytes)} cache`;

export const passText = (pass: PassReport): string => {
  const from = sourcesText(pass);
  const read = `${pass.pass} (${pass.client}): ${plural(pass.records, 'record')} in ${duration(pass.ms)}`;
  return from === '' ? read : `${read}; ${from}`;
};

/** `quorum of controllers: observed: led by 101 in epoch 3` */
export const sourceText = ({ source, state, detail }: EvidenceSource): string => `${source}: ${state}: ${detail}`;

/** `logs/controller-3.log byte 50,569, logged at …` */
export const placeText = ({ file, position, loggedAt }: NonNullable<ClusterChange['place']>): string =>
  `${file} byte ${position}${loggedAt === undefined ? '' : `, logged at ${loggedAt}`}`;

/** The gate on ownership: beside the verdict, never part of it. */
export const ownershipText = ({ state, because, partitions, epochs }: OwnershipGate): string =>
  `${state}: ${because} (${plural(epochs, 'epoch')} of ${plural(partitions, 'partition')} read from the log)`;

export const examinedText = ({ examined }: PartReport): string =>
  examined === undefined
    ? 'nothing: there is no judgement'
    : `${grouped(examined.sent)} sent: ${grouped(examined.ok)} acked, ${grouped(examined.unknown)} unknown, ${grouped(examined.fail)} failed; ` +
      `${grouped(examined.read)} read in ${plural(examined.passes, 'pass', 'passes')} of ${plural(examined.partitions, 'partition')}`;

/** A gate on storage: beside the verdict, never part of it. */
export const gateText = ({ gate, state, because }: StorageGate): string => `${gate}: ${state}: ${because}`;

/** `PutObject 200 on data, load` */
export const usageName = ({ operation, status, path, stage }: StorageUsage['requests'][number]): string =>
  `${operation} ${status} on ${path}, ${stage}`;

/** What is kept, and grew; empty where it was not listed. */
export const keptText = ({ keptBytes, grownBytes }: StorageUsage): string => {
  if (keptBytes === undefined) return '';
  const sign = (grownBytes ?? 0) < 0 ? '−' : '+';
  const grown = grownBytes === undefined ? '' : `, ${sign}${bytes(Math.abs(grownBytes))} in this part`;
  return `${bytes(keptBytes)} kept after the replay${grown}`;
};

const money = (amount: number, currency: string): string => `${Number(amount.toPrecision(6))} ${currency}`;

/** One product a line, the sum last. */
export const costTexts = ({ lines, currency, total, unpriced }: StorageCost): readonly string[] => {
  const products = lines.map(({ what, amount, price, per, cost }) => {
    const product = `${money(cost, currency)}${per === 'month' ? ' a month' : ''}`;
    return `${what}: ${amount} at ${price} = ${product}`;
  });
  const without = unpriced.length === 0 ? '' : `; without a price: ${unpriced.join(', ')}`;
  return [...products, `this part: ${money(total, currency)}, by the prices of the reader${without}`];
};
