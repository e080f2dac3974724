// What the embedded cluster says of its own defects: asked of its program, because nobody imports it.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Anomaly, DEFECT_WALS, type DefectName, WAL_KINDS, type WalKind } from '../vocabulary.ts';
import { programFile } from './program-files.ts';

export interface DefectFacts {
  readonly name: DefectName;
  /** One sentence. */
  readonly summary: string;
  /** The step that is made wrong, and how. */
  readonly weakens: string;
  /** Anomalies of which a run that meets it shows at least one. */
  readonly expected: readonly Anomaly[];
  readonly bitesWhen: string;
}

/** The kinds of write-ahead log that can have it. */
export const walsOf = (name: DefectName): readonly WalKind[] => DEFECT_WALS[name] ?? WAL_KINDS;

export const embeddedDefects = async (): Promise<readonly DefectFacts[]> => {
  const { stdout } = await promisify(execFile)(process.execPath, [programFile('embedded/list-defects-program')], {
    timeout: 10_000,
  });
  return JSON.parse(stdout) as readonly DefectFacts[];
};
