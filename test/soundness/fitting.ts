// Which defect a scenario can have: some weaken a step that only certain kinds of write-ahead log have.
import { DEFECT_WALS, type DefectName, WAL_KINDS, type WalKind } from '../../src/vocabulary.ts';
import type { Cell } from './result.ts';

/** By its name, as scenarios of these kinds are named. */
const walOf = (scenario: string): WalKind => WAL_KINDS.find((kind) => scenario.startsWith(`storage/${kind}-`)) ?? 's3';

export const isFitting = ({ scenario, defect }: Cell): boolean =>
  (DEFECT_WALS[defect as DefectName] ?? WAL_KINDS).includes(walOf(scenario));
