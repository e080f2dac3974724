// Ends a disturbance of volumes. It would end by itself within seconds: what is left is told all the same.
import { describeError } from '../errors.ts';
import { calmVolumes, hasEnded, volumeDisturbances } from '../targets/volume-io.ts';
import type { UndoStep } from './fault.ts';
import type { StillThere } from './proxy-left.ts';

type Step = UndoStep & { readonly do: 'end-volume-disturbance' };

export const endVolumeDisturbance = async ({ admin, name }: Step, signal: AbortSignal): Promise<void> => {
  try {
    await calmVolumes(admin, name, signal);
  } catch (thrown) {
    if (!hasEnded(thrown)) throw thrown;
  }
};

/** Never rejects. */
export const volumeDisturbanceLeft = async ({ node, admin, name }: Step): Promise<StillThere[]> => {
  const byHand = `curl -fsS -m 10 -X DELETE http://${admin.host}:${admin.port}/disturbances/${encodeURIComponent(name)}`;
  try {
    const standing = await volumeDisturbances(admin);
    return standing.some((each) => each.name === name) ? [{ what: `${node} is disturbed by ${name}`, byHand }] : [];
  } catch (thrown) {
    return hasEnded(thrown) ? [] : [{ what: `${node}: ${describeError(thrown)}`, byHand }];
  }
};
