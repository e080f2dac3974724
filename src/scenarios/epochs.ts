// Where each leader epoch begins, into the timeline at the moments of the snapshots after the load, so that who owned what can be
// judged later without a cluster. A cluster that does not tell costs the run nothing but this piece of evidence.
import { describeError } from '../errors.ts';
import { type ClusterEye, SNAPSHOT_MS } from './cluster-eye.ts';
import type { Part } from './part.ts';

const tellMissing = (part: Part, why: string): void => {
  part.tell({ t: 'note', source: 'evidence', text: `no epoch starts of ${why}` });
};

/** Asks every partition, and tells of those that do not answer within `deadlineMs`. */
export const tellEpochs = async (
  eye: Pick<ClusterEye, 'epochStarts'>,
  part: Part,
  deadlineMs: number = SNAPSHOT_MS,
): Promise<void> => {
  try {
    const { taken, missing } = await eye.epochStarts(part.topic, deadlineMs);
    for (const { partition, starts } of taken) part.tell({ t: 'epochs', topic: part.topic, partition, starts });
    for (const { partition, why } of missing) tellMissing(part, `partition ${partition}: ${why}`);
  } catch (thrown) {
    tellMissing(part, `any partition: ${describeError(thrown)}`);
  }
};
