// When a partition served its load: acknowledgements of the load, several of them in a row, so that one stray answer is no
// service. The judge ends an outage by this rule, and a run keeps its load up until it holds.
import { PROBE_PRODUCERS } from '../vocabulary.ts';
import type { PartitionLog } from './run-facts.ts';

const RECOVERED_ACKS = 5;
/** The acknowledgements that end an outage come within so many ms. */
export const RECOVERED_WITHIN_MS = 2000;

const PROBES: ReadonlySet<string> = new Set(PROBE_PRODUCERS);

/** First and last moment at which the load handed a request over. */
export interface LoadWindow {
  readonly from: number;
  readonly to: number;
}

/** What availability is measured from, of one partition: small enough to be kept for all of them. */
export interface PartitionService {
  readonly topic: string;
  readonly partition: number;
  /** Acknowledged records, those of probes included. */
  readonly acked: number;
  /**
   * When requests of the load were acknowledged, rising. A probe that is answered while the load is not, by a listener that no
   * client is told of or because it does not back off, is no service.
   */
  readonly times: readonly number[];
  /** The last moment at which a request of the load was under way; beyond any time where one was never settled. */
  readonly triedUntil: number;
  /** Of the requests of this partition; absent where there were none. */
  readonly sent?: LoadWindow;
}

export const serviceOf = ({ topic, partition, lanes }: PartitionLog): PartitionService => {
  const times: number[] = [];
  let acked = 0;
  let triedUntil = Number.NEGATIVE_INFINITY;
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const { producer, runs } of lanes) {
    for (const { outcome, sent, settled, count } of runs) {
      from = Math.min(from, sent.at);
      to = Math.max(to, sent.at);
      if (!PROBES.has(producer)) triedUntil = Math.max(triedUntil, settled?.at ?? Number.POSITIVE_INFINITY);
      if (outcome !== 'ok' || settled === undefined) continue;
      if (!PROBES.has(producer)) times.push(settled.at);
      acked += count;
    }
  }
  times.sort((one, other) => one - other);
  return { topic, partition, acked, times, triedUntil, ...(from > to ? {} : { sent: { from, to } }) };
};

/** Over all partitions; undefined where nothing was sent. */
export const loadWindow = (services: readonly PartitionService[]): LoadWindow | undefined =>
  services
    .flatMap(({ sent }) => sent ?? [])
    .reduce<LoadWindow | undefined>(
      (all, one) => ({ from: Math.min(all?.from ?? one.from, one.from), to: Math.max(all?.to ?? one.to, one.to) }),
      undefined,
    );

/** How many acknowledgements in two seconds make a partition recovered: five, or half of what it had before if that is less. */
export const recoveredAcks = (times: readonly number[], appliedAt: number): number => {
  const before = times.filter((time) => time < appliedAt);
  const first = before[0];
  if (first === undefined) return RECOVERED_ACKS;
  const usual = (before.length / Math.max(1, appliedAt - first)) * RECOVERED_WITHIN_MS;
  return Math.max(1, Math.min(RECOVERED_ACKS, Math.floor(usual / 2)));
};

/** Whether an acknowledgement and the `needed`-th from it on, the last of a row, are close enough to be service. */
const isRow = (first: number, last: number | undefined): boolean =>
  last !== undefined && last - first <= RECOVERED_WITHIN_MS;

/** Whether the newest acknowledgement is service, by the rule that ends an outage. `times`: as many as there are, rising. */
export const isServed = (times: readonly number[], needed: number): boolean => {
  const first = times.at(-needed);
  return first !== undefined && isRow(first, times.at(-1));
};

/** The acknowledgements that come in rows of `needed` within two seconds; the others are strays in a stall. */
export const serviceTimes = (times: readonly number[], needed: number): number[] => {
  const service: number[] = [];
  let covered = -1;
  times.forEach((time, index) => {
    if (isRow(time, times[index + needed - 1])) covered = index + needed - 1;
    if (index <= covered) service.push(time);
  });
  return service;
};
