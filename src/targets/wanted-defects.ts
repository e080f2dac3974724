// The defects that somebody asks for by name: told to be wrong before anything is started.
import { suggestName, UsageError } from '../errors.ts';
import { DEFECTS, type DefectName } from '../vocabulary.ts';
import { walsOf } from './embedded-defects.ts';
import { describeSpec, type TargetSpec } from './target-spec.ts';

/** Throws UsageError for a name that is none, one that the write-ahead log cannot have, and any on a target that is not ours. */
export const assertDefects = (names: readonly string[], target: TargetSpec): void => {
  if (names.length > 0 && target.kind !== 'embedded') {
    const message = `A target of kind "${target.kind}" cannot be started with a defect.`;
    throw new UsageError('DEFECT_UNSUPPORTED', message, { hint: 'Leave --defect out, or use the target embedded.' });
  }
  const known: readonly string[] = DEFECTS;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new UsageError('DEFECT_UNKNOWN', `There is no defect "${unknown}".`, { hint: suggestName(unknown, known) });
  }
  for (const name of names as readonly DefectName[]) refuseUnfit(name, target);
};

const refuseUnfit = (name: DefectName, target: TargetSpec): void => {
  const wals = walsOf(name);
  if (target.kind !== 'embedded' || wals.includes(target.wal)) return;
  const message = `The defect "${name}" is one of wal: ${wals.join(' or ')}, and ${describeSpec(target)} has wal: ${target.wal}.`;
  throw new UsageError('DEFECT_OF_OTHER_WAL', message, {
    hint: 'Choose another defect, or a target file with that write-ahead log.',
  });
};
