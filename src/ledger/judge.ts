// The judge: takes a recorded run partition by partition, lets every checker look, and says pass, fail or inconclusive. Its
// result depends on the recorded facts alone: no clock, no cluster, no order of work.
import { describeError } from '../errors.ts';
import type { Checker } from './checkers/checker.ts';
import { CHECKERS } from './checkers/registry.ts';
import { withEvidence } from './evidence.ts';
import { FindingCollector } from './findings.ts';
import type { Examined, Finding, Judgement } from './judgement.ts';
import { decideOwnership, ownershipOf, type PartitionOwnership } from './ownership.ts';
import { type PartitionView, topicRules, viewPartition } from './partition-view.ts';
import type { PartitionLog, RunFacts } from './run-facts.ts';
import { type GatherOptions, gatherSightings } from './sightings.ts';
import { readText } from './text-reader.ts';
import { decide, runReasons } from './verdict.ts';

/** Rises whenever the same files may be judged differently. */
export const JUDGE_VERSION = '1';

export interface JudgeOptions extends GatherOptions {
  /** Default: all of the registry. */
  readonly checkers?: readonly Checker[];
  /** Told each partition before it is judged; must not keep it, so that no two large ones are held at once. */
  readonly onPartition?: (log: PartitionLog) => void;
}

interface Place {
  readonly topic: string;
  readonly partition: number;
}

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Partitions with facts, and those that records which were read elsewhere say they were sent to. */
const placesOf = (facts: RunFacts): Place[] => {
  const places = new Map<string, Place>();
  const add = (topic: string, partition: number): void => {
    places.set(`${partition} ${topic}`, { topic, partition });
  };
  for (const { topic, partition } of facts.partitions) add(topic, partition);
  for (const { topic, read } of facts.strays) add(topic, read.id.partition);
  return [...places.values()].sort(
    (one, other) => compareText(one.topic, other.topic) || one.partition - other.partition,
  );
};

interface PartitionResult {
  readonly findings: readonly Finding[];
  readonly reasons: readonly string[];
  readonly ownership: PartitionOwnership;
}

class PartitionJudge {
  readonly #facts: RunFacts;
  readonly #checkers: readonly Checker[];
  readonly #options: JudgeOptions;

  constructor(facts: RunFacts, options: JudgeOptions) {
    this.#facts = facts;
    this.#checkers = options.checkers ?? CHECKERS;
    this.#options = options;
  }

  judge(log: PartitionLog): PartitionResult {
    const { header, strays } = this.#facts;
    const described = header.topics.find(({ topic }) => topic === log.topic) ?? { topic: log.topic, partitions: 1 };
    const own = strays.filter(({ topic, read }) => topic === log.topic && read.id.partition === log.partition);
    const view = viewPartition(this.#facts, log, topicRules(described, header.contract), own);
    gatherSightings(view, this.#options);
    const collector = new FindingCollector(header.contract);
    const reasons: string[] = [];
    for (const checker of this.#checkers) this.#check(checker, view, collector, reasons);
    const findings = withEvidence(view, collector.finish());
    return { findings, reasons: [...collector.doubts, ...reasons], ownership: ownershipOf(view, log) };
  }

  #check(checker: Checker, view: PartitionView, collector: FindingCollector, reasons: string[]): void {
    try {
      checker.check(view, {
        found: (found) => collector.add({ topic: view.topic.name, partition: view.partition, ...found }),
        inconclusive: (reason) => reasons.push(reason),
      });
    } catch (thrown) {
      reasons.push(`the checker ${checker.kind} failed on ${view.name}: ${describeError(thrown)}`);
    }
  }
}

type Counts = { -readonly [K in keyof Examined]: number };

const count = (counts: Counts, log: PartitionLog): void => {
  let sent = 0;
  for (const { runs } of log.lanes) {
    for (const run of runs) {
      sent += run.count;
      counts[run.outcome] += run.count;
    }
  }
  counts.sent += sent;
  if (sent > 0) counts.partitions++;
  for (const { reads } of log.passes) for (const read of reads) counts.read += read.count;
};

/** Findings of one place can come from two partitions (a misplaced record); they are one finding. */
const sortFindings = (findings: readonly Finding[]): Finding[] => {
  const merged = new Map<string, Finding>();
  for (const finding of findings) {
    const key = `${finding.anomaly} ${finding.legal} ${finding.partition} ${finding.topic}`;
    const before = merged.get(key);
    merged.set(
      key,
      before === undefined
        ? finding
        : {
            ...before,
            count: before.count + finding.count,
            examples: [...before.examples, ...finding.examples].slice(0, 32),
            ranges: [...before.ranges, ...finding.ranges].slice(0, 32),
          },
    );
  }
  return [...merged.values()].sort(
    (one, other) =>
      compareText(one.topic, other.topic) ||
      one.partition - other.partition ||
      compareText(one.anomaly, other.anomaly) ||
      Number(one.legal) - Number(other.legal),
  );
};

/** Judges a recorded run. */
export const judge = (facts: RunFacts, options: JudgeOptions = {}): Judgement => {
  const judgePartition = new PartitionJudge(facts, options);
  const counts: Counts = { sent: 0, ok: 0, fail: 0, unknown: 0, read: 0, passes: facts.passes.length, partitions: 0 };
  const found: Finding[] = [];
  const partitionReasons: string[] = [];
  const owned: PartitionOwnership[] = [];
  for (const { topic, partition } of placesOf(facts)) {
    const log = facts.load(topic, partition);
    options.onPartition?.(log);
    count(counts, log);
    const result = judgePartition.judge(log);
    found.push(...result.findings);
    partitionReasons.push(...result.reasons);
    owned.push(result.ownership);
  }
  const findings = sortFindings(found);
  const inconclusiveBecause = [...new Set([...runReasons(facts, findings, counts), ...partitionReasons])];
  return {
    ...decide(findings, inconclusiveBecause, counts),
    findings,
    examined: counts,
    inconclusiveBecause,
    ownership: decideOwnership(owned),
    judgeVersion: JUDGE_VERSION,
  };
};

/** Judges a text history. `file` names it in errors; throws InputError with the line of whatever is malformed. */
export const judgeText = (text: string, file = 'history.ndjson', options: JudgeOptions = {}): Judgement =>
  judge(readText(text, file), options);
