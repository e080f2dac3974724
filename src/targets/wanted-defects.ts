// The defects that somebody asks for by name: told to be wrong before anything is started.
import { suggestName, UsageError } from '../errors.ts';
import { DEFECTS } from '../vocabulary.ts';

/** Throws UsageError for a name that is none, and for any on a target that is not ours to make wrong. */
export const assertDefects = (names: readonly string[], targetKind: string): void => {
  if (names.length > 0 && targetKind !== 'embedded') {
    const message = `A target of kind "${targetKind}" cannot be started with a defect.`;
    throw new UsageError('DEFECT_UNSUPPORTED', message, { hint: 'Leave --defect out, or use the target embedded.' });
  }
  const known: readonly string[] = DEFECTS;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new UsageError('DEFECT_UNKNOWN', `There is no defect "${unknown}".`, { hint: suggestName(unknown, known) });
};
