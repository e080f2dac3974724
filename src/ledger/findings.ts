// Collects what the checkers found into findings: one for each anomaly, place and legality, with exact counts and a few
// examples. Allowances and prohibitions of the contract are applied here, so no checker can forget them.
import type { Anomaly, Severity } from '../vocabulary.ts';
import type { Contract } from './history-lines.ts';
import type { Example, Finding } from './judgement.ts';
import type { Ruling } from './legality.ts';
import { OffsetRanges } from './offset-ranges.ts';

/** One instance of an anomaly. */
export interface Found {
  readonly anomaly: Anomaly;
  readonly ruling: Ruling;
  readonly topic: string;
  readonly partition: number;
  /** Default 1. */
  readonly count?: number;
  readonly example: Example;
  /** Offsets it covers, last included; default the example's offset. */
  readonly lastOffset?: number;
}

const MOST_EXAMPLES = 32;
const DEGRADATIONS: ReadonlySet<Anomaly> = new Set(['unseen', 'offset-gap', 'duplicate-client']);
const NOTES: ReadonlySet<Anomaly> = new Set(['recovered', 'unknown-absent']);
const NOTES_WHEN_LEGAL: ReadonlySet<Anomaly> = new Set(['duplicate', 'nonmonotonic-send']);

const severityOf = (anomaly: Anomaly, isLegal: boolean, isForbidden: boolean): Severity => {
  if (isForbidden) return 'violation';
  if (DEGRADATIONS.has(anomaly)) return 'degradation';
  return NOTES.has(anomaly) || (isLegal && NOTES_WHEN_LEGAL.has(anomaly)) ? 'note' : 'violation';
};

/** What was found of one kind at one place so far. */
interface OpenFinding extends Pick<Finding, 'anomaly' | 'legal' | 'rule' | 'severity' | 'topic' | 'partition'> {
  count: number;
  /** Of all that were found, the one that was acknowledged first: from it the recovery point is told. */
  oldest: Example | undefined;
  readonly first: Example[];
  readonly last: Example[];
  readonly ranges: OffsetRanges;
}

const isOlder = ({ ackedAt }: Example, than: Example | undefined): boolean =>
  ackedAt !== undefined && ackedAt < (than?.ackedAt ?? Number.POSITIVE_INFINITY);

/** As they were found, but the one that was acknowledged first before all others, in whose place one in the middle goes. */
const withOldestFirst = (
  oldest: Example | undefined,
  first: readonly Example[],
  last: readonly Example[],
): readonly Example[] => {
  const found = [...first, ...last];
  if (oldest === undefined || found[0] === oldest) return found;
  const others = found.filter((example) => example !== oldest);
  if (others.length === MOST_EXAMPLES) others.splice(first.length - 1, 1);
  return [oldest, ...others];
};

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const byPlace = (one: Finding, other: Finding): number =>
  compareText(one.topic, other.topic) ||
  one.partition - other.partition ||
  compareText(one.anomaly, other.anomaly) ||
  Number(one.legal) - Number(other.legal);

export class FindingCollector {
  readonly #allowed: ReadonlyMap<Anomaly, string>;
  readonly #forbidden: ReadonlySet<Anomaly>;
  readonly #open = new Map<string, OpenFinding>();
  readonly #doubts = new Set<string>();

  constructor(contract: Contract) {
    this.#allowed = new Map(contract.allow.map(({ anomaly, because }) => [anomaly, because]));
    this.#forbidden = new Set(contract.forbid);
  }

  add(found: Found): void {
    if (found.ruling.doubt !== undefined) this.#doubts.add(found.ruling.doubt);
    const finding = this.#findingOf(found);
    finding.count += found.count ?? 1;
    if (isOlder(found.example, finding.oldest)) finding.oldest = found.example;
    if (finding.first.length < MOST_EXAMPLES / 2) finding.first.push(found.example);
    else {
      finding.last.push(found.example);
      if (finding.last.length > MOST_EXAMPLES / 2) finding.last.shift();
    }
    const { offset } = found.example;
    if (offset !== undefined) finding.ranges.add(offset, found.lastOffset ?? offset);
  }

  /** Why rulings could not be decided, in order of first appearance. */
  get doubts(): readonly string[] {
    return [...this.#doubts];
  }

  /** Sorted by topic, partition, anomaly; illegal before legal. */
  finish(): Finding[] {
    return [...this.#open.values()]
      .map(({ oldest, first, last, ranges, ...finding }) => ({
        ...finding,
        examples: withOldestFirst(oldest, first, last),
        ranges: ranges.finish(),
      }))
      .sort(byPlace);
  }

  #findingOf({ anomaly, ruling, topic, partition }: Found): OpenFinding {
    const { legal, rule, forbidden } = this.#decide(anomaly, ruling);
    const key = `${anomaly} ${legal ? 'legal' : 'illegal'} ${partition} ${topic}`;
    let finding = this.#open.get(key);
    if (finding === undefined) {
      const severity = severityOf(anomaly, legal, forbidden);
      finding = {
        anomaly,
        legal,
        rule,
        severity,
        topic,
        partition,
        count: 0,
        oldest: undefined,
        first: [],
        last: [],
        ranges: new OffsetRanges(),
      };
      this.#open.set(key, finding);
    }
    return finding;
  }

  #decide(anomaly: Anomaly, ruling: Ruling): { legal: boolean; rule: string; forbidden: boolean } {
    const because = this.#allowed.get(anomaly);
    if (because !== undefined) return { legal: true, rule: `allowed: ${because}`, forbidden: false };
    if (this.#forbidden.has(anomaly)) return { legal: false, rule: 'the contract forbids it', forbidden: true };
    return { legal: ruling.legal, rule: ruling.rule, forbidden: false };
  }
}
