// A line of a history that is still being made: fields may be changed, and `undefined` ones are not written.
import type { Random } from '../../../src/random.ts';

export interface RecordId {
  readonly producer: string;
  readonly incarnation?: number | undefined;
  readonly seq: number;
  readonly partition?: number | undefined;
  readonly run?: string | undefined;
}

export interface Line {
  t: string;
  at?: number | undefined;
  topic?: string | undefined;
  partition?: number | undefined;
  producer?: string | undefined;
  incarnation?: number | undefined;
  seq?: number | undefined;
  count?: number | undefined;
  offset?: number | undefined;
  epoch?: number | undefined;
  attempts?: number | undefined;
  tainted?: boolean | undefined;
  code?: number | undefined;
  notSent?: boolean | undefined;
  leader?: number | undefined;
  fault?: string | undefined;
  /** A record's id on a `read`, a fault's on a `fault`. */
  id?: RecordId | string | undefined;
  edge?: string | undefined;
  victims?: readonly number[] | undefined;
  require?: string | undefined;
  anomaly?: string | undefined;
  detail?: string | undefined;
  when?: string | undefined;
  starts?: readonly { readonly epoch: number; readonly offset: number }[] | undefined;
  earliest?: number | undefined;
  latest?: number | undefined;
  latestCommitted?: number | undefined;
  topicId?: string | undefined;
  pass?: number | string | undefined;
  checksum?: string | undefined;
  sentinel?: boolean | undefined;
  control?: boolean | undefined;
  producerId?: number | undefined;
  producerEpoch?: number | undefined;
  from?: number | undefined;
  position?: number | undefined;
  end?: string | undefined;
  version?: number | undefined;
  run?: string | undefined;
  contract?: Readonly<Record<string, unknown>> | undefined;
  topics?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

/** True with the given probability. */
export const chance = (random: Random, probability: number): boolean => random.next() < probability;

/** The value with the given probability, else `undefined`: a field that may be left out. */
export const maybe = <T>(random: Random, probability: number, value: T): T | undefined =>
  chance(random, probability) ? value : undefined;

/** One of the options, each as likely as its weight is large. */
export const weighted = <T>(random: Random, options: readonly (readonly [number, T])[]): T => {
  const total = options.reduce((sum, [weight]) => sum + weight, 0);
  let rest = random.next() * total;
  for (const [weight, option] of options) {
    rest -= weight;
    if (rest < 0) return option;
  }
  throw new RangeError('weighted() needs at least one option with a weight');
};

/** One of the options, all alike likely. Unlike `Random.pick` it may choose `undefined`: a field that is left out. */
export const choose = <T>(random: Random, options: readonly T[]): T => {
  if (options.length === 0) throw new RangeError('choose() needs at least one option');
  return options[random.integer(options.length)] as T;
};
