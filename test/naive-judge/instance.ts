// One thing that a rule found, before findings of one kind and place are added up.
import type { Anomaly } from '../../src/vocabulary.ts';
import type { Lawfulness } from './legality.ts';

export interface Instance extends Lawfulness {
  readonly anomaly: Anomaly;
  readonly topic: string;
  readonly partition: number;
  readonly count: number;
}

/** Where a finding belongs: a record's own partition, or that of a place. */
interface Place {
  readonly topic: string;
  readonly partition: number;
}

/** One instance of an anomaly, counted once unless told otherwise. */
export const instance = (anomaly: Anomaly, place: Place, lawfulness: Lawfulness, count = 1): Instance => ({
  anomaly,
  topic: place.topic,
  partition: place.partition,
  legal: lawfulness.legal,
  doubtful: lawfulness.doubtful,
  count,
});
