// Before a run starts: nothing of an earlier one may be left. It is never cleaned up and gone on with, because a leftover means
// that an earlier verdict may be wrong, and somebody should look first.
import { EnvironmentError } from '../errors.ts';
import { engineByHand } from './registration.ts';
import { type RunScan, wholeScan } from './run-scan.ts';
import { mayStillAct, type RunStanding, statusOfRuns } from './status.ts';

/** The dead runs that left something on this machine that may still act. Files do not: they only take room. */
const residueScan = async (scan: RunScan): Promise<readonly RunStanding[]> =>
  (await statusOfRuns(scan)).runs.filter((run) => !run.isAlive && run.elsewhere === undefined && mayStillAct(run));

/** Nothing can be put back there, and nothing tells whether there is anything. */
const engineError = (runId: string, trouble: string): EnvironmentError =>
  new EnvironmentError('RESIDUE_UNKNOWN', `Nobody can tell what the earlier run ${runId} left: ${trouble}`, {
    hint: `To go on, ${engineByHand(runId)}`,
  });

/** @throws EnvironmentError with the command that puts it back. */
export const assertNoResidue = async (scan: RunScan = wholeScan): Promise<void> => {
  const [first, ...others] = await residueScan(scan);
  if (first === undefined) return;
  if (first.engineTrouble !== undefined) throw engineError(first.runId, first.engineTrouble);
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const what = [
    ...first.faults.map((fault) => `fault ${fault.id} (${fault.state})`),
    ...(first.processes.length === 0 ? [] : [`${first.processes.length} processes`]),
    ...(first.containers.length === 0 ? [] : [`${first.containers.length} containers`]),
  ];
  throw new EnvironmentError(
    'RESIDUE_FOUND',
    `An earlier run was not put back: ${first.runId}${more} left ${what.join(', ')}.`,
    { hint: others.length === 0 ? `Run: ackproof heal --run ${first.runId}` : 'Run: ackproof heal --all' },
  );
};
