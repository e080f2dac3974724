// Names of what a fault adds to somebody else's process. They carry the run, so that a scan can tell whose they are, and only
// letters that a proxy's control API takes.
import type { FaultContext } from './fault.ts';

/** `ackproof-<run>`, shortened, for toxics. */
export const toxicPrefix = (context: Pick<FaultContext, 'runId'>): string => {
  const run = context.runId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return `ackproof-${run.slice(-40).replace(/^-+/, '')}`;
};
