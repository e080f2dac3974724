// What is kept of one drill, and what counts as having found a defect. One line of docs/soundness-results.ndjson each.

/** Git's hashes of the two folders that decide what a drill does. */
export interface TreeKey {
  readonly src: string;
  readonly scenarios: string;
}

/** One scenario, with one defect or with none. */
export interface Cell {
  readonly scenario: string;
  /** Absent = the cluster as it is. */
  readonly defect?: string;
}

export interface DrillResult extends Cell {
  readonly key: TreeKey;
  /** `error`: the drill came to no verdict. */
  readonly verdict: 'pass' | 'fail' | 'inconclusive' | 'error';
  readonly exitCode: number;
  /** Illegal findings: how many of each anomaly. */
  readonly found: Readonly<Record<string, number>>;
  /** Whole seconds. */
  readonly tookSeconds: number;
  /** The first line of the report; only of a drill that did not go as it should. */
  readonly because?: string;
}

/** A drill without a defect is well when nothing at all is wrong with it. */
export const isWell = ({ verdict, exitCode }: DrillResult): boolean => verdict === 'pass' && exitCode === 0;

/** A defect is found when the run did not pass and showed one of the anomalies that the defect declares. */
export const isFound = ({ verdict, found }: DrillResult, declared: readonly string[]): boolean =>
  (verdict === 'fail' || verdict === 'inconclusive') && declared.some((anomaly) => (found[anomaly] ?? 0) > 0);

export const sameCell = (one: Cell, other: Cell): boolean =>
  one.scenario === other.scenario && one.defect === other.defect;

export const sameKey = (one: TreeKey, other: TreeKey): boolean =>
  one.src === other.src && one.scenarios === other.scenarios;

/** As it is written on the command line: `leader-kill:lose-wal-tail`, `leader-kill:none`. */
export const cellName = ({ scenario, defect }: Cell): string => `${scenario}:${defect ?? 'none'}`;
