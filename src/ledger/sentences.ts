// The sentences a judgement is read by: numbers first, then where, then when.
import type { Anomaly } from '../vocabulary.ts';
import { anomalyWeight } from './anomaly-weight.ts';
import type { Examined, Finding, OffsetRange } from './judgement.ts';

/** `41,250`, whatever the locale of the machine. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/gu, ',');

const plural = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;

/** Milliseconds since the start as `12.204 s`. */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(3)} s`;

/** A stretch of time as people say it: `36 ms`, `0.4 s`, `12 s`. */
export const stretch = (ms: number): string => {
  if (ms < 100) return `${Math.round(ms)} ms`;
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
};

const WHAT: Readonly<Partial<Record<Anomaly, (count: number) => string>>> = {
  'ack-offset-mismatch': (count) => `${plural(count, 'record')} not where the ack said`,
  'corrupt-value': (count) => plural(count, 'damaged record'),
  'divergent-route': (count) => `${plural(count, 'record')} that an earlier pass showed and a later one lacks`,
  duplicate: (count) => `${plural(count, 'record')} stored more than once`,
  'duplicate-ack-offset': (count) => `${plural(count, 'record')} acked at an offset that is not theirs alone`,
  'failed-visible': (count) => `${plural(count, 'refused record')} in the log`,
  'hwm-regression': (count) => `the end of the log fell ${count === 1 ? 'once' : `${grouped(count)} times`}`,
  'inconsistent-offset': (count) => `${plural(count, 'offset')} with two records`,
  'leader-epoch-regression': (count) => `leader epochs fell ${count === 1 ? 'once' : `${grouped(count)} times`}`,
  'log-reset': (count) => `${plural(count, 'acked record')} missing with the log they were in`,
  'lost-prefix': (count) => `${plural(count, 'acked record')} missing below the log start`,
  'lost-tail': (count) => `${plural(count, 'acked record')} missing at the end of the log`,
  'lost-write': (count) => `${plural(count, 'acked record')} missing`,
  'nonmonotonic-poll': (count) => `a pass went back ${count === 1 ? 'once' : `${grouped(count)} times`}`,
  'nonmonotonic-send': (count) => `${plural(count, 'record')} stored before an earlier one`,
  'offset-gap': (count) => `${plural(count, 'hole')} in the log`,
  phantom: (count) => `${plural(count, 'record')} that nobody sent`,
  'realtime-order': (count) => `${plural(count, 'record')} below what was acked before they were sent`,
  'stale-read': (count) => `${plural(count, 'acked record')} that a pass went past`,
  'wrong-partition': (count) => `${plural(count, 'record')} in another partition`,
};

/** `1 acked record missing` */
const countSentence = (anomaly: Anomaly, count: number): string =>
  WHAT[anomaly]?.(count) ?? `${plural(count, 'record')} ${anomaly}`;

const rangeText = ({ first, last }: OffsetRange): string => (first === last ? String(first) : `${first}-${last}`);

const placeText = (finding: Finding): string => {
  const place = `${finding.topic}/${finding.partition}`;
  const shown = finding.ranges.slice(0, 3).map(rangeText);
  if (shown.length === 0) return place;
  const word =
    finding.ranges.length === 1 && finding.ranges[0]?.first === finding.ranges[0]?.last ? 'offset' : 'offsets';
  return `${place} ${word} ${shown.join(', ')}${finding.ranges.length > 3 ? ' …' : ''}`;
};

const ackText = (finding: Finding): string => {
  const ackedAt = finding.examples[0]?.ackedAt;
  if (ackedAt === undefined) return '';
  return `, acked at ${seconds(ackedAt)}${finding.when === undefined ? '' : `, ${finding.when}`}`;
};

/** How many records each kind counts over all partitions, in the order in which the kinds come. */
const countsByKind = (findings: readonly Finding[]): ReadonlyMap<Anomaly, number> => {
  const counts = new Map<Anomaly, number>();
  for (const { anomaly, count } of findings) counts.set(anomaly, (counts.get(anomaly) ?? 0) + count);
  return counts;
};

/** The worst anomaly with its whole count and its first place, and the other kinds with theirs. */
export const findingSentence = (violations: readonly Finding[]): string => {
  const worst = violations.reduce((one, other) =>
    anomalyWeight(other.anomaly) < anomalyWeight(one.anomaly) ? other : one,
  );
  const same = violations.filter(({ anomaly }) => anomaly === worst.anomaly);
  const counts = countsByKind(violations);
  const places = same.length === 1 ? '' : `, and in ${plural(same.length - 1, 'other partition')}`;
  const others = [...counts].filter(([anomaly]) => anomaly !== worst.anomaly);
  const more = others.map(([anomaly, count]) => `${grouped(count)} ${anomaly}`).join(', ');
  return `${countSentence(worst.anomaly, counts.get(worst.anomaly) ?? 0)}: ${placeText(worst)}${ackText(worst)}${places}${more === '' ? '' : `; also ${more}`}`;
};

/** What a pass proved, and what it leaves open. */
export const passSentence = (findings: readonly Finding[], examined: Examined): string => {
  const unknown = examined.unknown === 0 ? '' : `; ${plural(examined.unknown, 'unknown outcome')}`;
  const legal = findings.filter((finding) => finding.legal && finding.severity !== 'note');
  const excused = legal.map(({ anomaly, count }) => `${grouped(count)} ${anomaly}`);
  const excuses = excused.length === 0 ? '' : `; legal here: ${excused.join(', ')}`;
  const holes = findings.filter(({ legal: isLegal, severity }) => !isLegal && severity === 'degradation');
  const degraded =
    holes.length === 0 ? '' : `; ${holes.map(({ anomaly, count }) => countSentence(anomaly, count)).join(', ')}`;
  const lost = legal.some(({ anomaly }) => anomaly.startsWith('lost-') || anomaly === 'log-reset');
  const read = lost ? 'accounted for' : 'all read back';
  return `${plural(examined.ok, 'acked record')} ${read} in ${plural(examined.passes, 'pass', 'passes')}${unknown}${excuses}${degraded}`;
};
