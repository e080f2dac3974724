// What a checker is: one family of anomalies, judged partition by partition. A checker only reports; it never sees another
// checker's findings, and whatever it throws makes the run inconclusive.
import type { Anomaly } from '../../vocabulary.ts';
import type { Found } from '../findings.ts';
import type { Example } from '../judgement.ts';
import type { PartitionView } from '../partition-view.ts';
import type { SuspectRecord } from '../sightings.ts';

export interface Report {
  /** The place defaults to the view's. */
  found(found: Omit<Found, 'topic' | 'partition'> & { readonly partition?: number }): void;
  /** The run proves less than it should; a sentence. */
  inconclusive(reason: string): void;
}

export interface Checker<K extends string = string> {
  readonly kind: K;
  /** Sorted. */
  readonly detects: readonly [Anomaly, ...Anomaly[]];
  /** One sentence. */
  readonly summary: string;
  /** Called once for each partition. */
  check(view: PartitionView, report: Report): void;
}

/** A record as evidence: its acknowledged offset, else the first one it was seen at. */
export const exampleOf = (record: SuspectRecord, detail?: string): Example => {
  const { run } = record.sent;
  const offset = record.offset ?? record.sightings[0]?.offset;
  return {
    producer: run.producer,
    incarnation: run.incarnation,
    seq: record.seq,
    ...(offset === undefined ? {} : { offset }),
    ...(run.outcome === 'ok' && run.settled !== undefined ? { ackedAt: run.settled.at } : {}),
    ...(detail === undefined ? {} : { detail }),
  };
};
