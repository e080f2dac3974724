// Whether somebody said that a cluster which ackproof did not make may be broken. Of one that is reached over the network only
// its target file can say so, by naming the faults (scenario-checks.ts); of a project on a Docker engine `--yes` can, too.
import { UsageError } from '../errors.ts';
import type { LoadedScenario } from './loader.ts';

/** @throws UsageError (exit 64) where nobody did. */
export const assertConsent = ({ scenario, target }: LoadedScenario, isSaid: boolean): void => {
  if (target.kind !== 'compose' || !target.attach || isSaid) return;
  const names = [...new Set(scenario.faults.map(({ fault }) => fault))];
  const unsaid = names.filter((fault) => !target.allowFaults.includes(fault));
  if (unsaid.length === 0) return;
  throw new UsageError(
    'CONSENT_MISSING',
    `The project "${target.project}" is not ackproof's own, and ${scenario.name} would do this to it: ${unsaid.join(', ')}.`,
    { hint: `Add --yes, or write allowFaults: [${[...target.allowFaults, ...unsaid].join(', ')}] in the target file.` },
  );
};
