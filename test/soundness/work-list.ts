// What is still to be run, the most telling first, so that a budget that runs out has bought the most. Pure.
import { isFitting } from './fitting.ts';
import { type Cell, type DrillResult, sameCell } from './result.ts';

export interface Wanted {
  readonly scenarios: readonly string[];
  readonly defects: readonly string[];
  readonly isDeclared: (cell: Cell) => boolean;
}

/** Drills of each kind of cell that make a full proof. */
export const DRILLS = { withoutDefect: 25, declared: 5, other: 1 } as const;

const EARLY_ROUNDS = 5;

export const wantedDrills = (cell: Cell, isDeclared: boolean): number => {
  if (cell.defect === undefined) return DRILLS.withoutDefect;
  return isDeclared ? DRILLS.declared : DRILLS.other;
};

/** Every cell of the cross that can be, scenarios in order, first without a defect. */
export const cellsOf = ({ scenarios, defects }: Pick<Wanted, 'scenarios' | 'defects'>): readonly Cell[] =>
  scenarios.flatMap((scenario) => [{ scenario }, ...defects.map((defect) => ({ scenario, defect })).filter(isFitting)]);

interface Planned {
  readonly cell: Cell;
  readonly round: number;
}

/** Declared cells and the scenarios themselves come round by round, then the rest of the cross, then the many repetitions. */
const rank = ({ cell, round }: Planned, isDeclared: boolean): number => {
  if (cell.defect !== undefined && !isDeclared) return EARLY_ROUNDS + 1;
  return round <= EARLY_ROUNDS ? round : round + 1;
};

/** One entry for each drill that is missing. */
export const workList = (wanted: Wanted, done: readonly DrillResult[]): readonly Cell[] =>
  cellsOf(wanted)
    .flatMap((cell) => {
      const isDeclared = wanted.isDeclared(cell);
      const have = done.filter((result) => sameCell(result, cell)).length;
      const missing = Math.max(0, wantedDrills(cell, isDeclared) - have);
      return Array.from({ length: missing }, (_, index) => ({ cell, round: have + index + 1, isDeclared }));
    })
    .sort((one, other) => rank(one, one.isDeclared) - rank(other, other.isDeclared))
    .map(({ cell }) => cell);
