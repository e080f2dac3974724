// A defect: one step of the log made wrong on purpose, so that it can be shown that a scenario notices. A defect drops, moves
// or weakens its step the same way every time: no sleep, no probability.
import type { Anomaly, DefectName } from '../../vocabulary.ts';

export interface Defect {
  readonly name: DefectName;
  /** What is wrong, in one sentence. */
  readonly summary: string;
  /** The step that is made wrong, and how. */
  readonly weakens: string;
  /** What somebody outside must see when the defect bites: by these names, the most telling first. */
  readonly expected: readonly [Anomaly, ...Anomaly[]];
  /** What has to happen for it to bite, in one sentence. */
  readonly bitesWhen: string;
}
