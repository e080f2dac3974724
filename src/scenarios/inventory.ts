// What the object store holds of a part's topic when its replay is over, listed with the harness's own credentials and told as a
// note: where acknowledged records are, in data objects or still in the write-ahead log only.
import { describeError } from '../errors.ts';
import { takeInventory } from '../evidence/object-inventory.ts';
import type { ObjectListing } from '../targets/target.ts';
import type { Part } from './part.ts';
import type { RunContext } from './run-context.ts';

/** What somebody else's store holds; whose objects those are is not known. */
const tellListing = async (
  listing: ObjectListing,
  { replay }: RunContext['interruption'],
  part: Part,
): Promise<void> => {
  const { bucket, prefix } = listing;
  try {
    const found = await listing.list(replay);
    const bytes = found.reduce((sum, object) => sum + object.bytes, 0);
    part.tell({
      t: 'note',
      source: 'object-store',
      text: `${found.length} objects of ${bytes} bytes below "${prefix}" in bucket "${bucket}"`,
      data: { objects: found.length, bytes },
    });
  } catch (thrown) {
    part.tell({ t: 'note', source: 'object-store', text: `could not be listed: ${describeError(thrown)}` });
  }
};

/** Tells nothing where the target has no object store; a listing that fails is told and fails nothing. */
export const tellInventory = async (
  { target, interruption }: RunContext,
  part: Part,
  topicIds: ReadonlySet<string>,
): Promise<void> => {
  const { objectStore } = target.can;
  if (target.objectListing !== undefined) await tellListing(target.objectListing, interruption, part);
  if (objectStore === undefined) return;
  try {
    const { partitions, ...totals } = await takeInventory(objectStore, interruption.replay);
    const ours = partitions.filter(({ topicId }) => topicIds.has(topicId));
    const { dataObjects, dataBytes, walObjects, walBytes } = totals;
    part.tell({
      t: 'note',
      source: 'object-store',
      text: `${dataObjects} data objects of ${dataBytes} bytes, ${walObjects} of the write-ahead log of ${walBytes} bytes`,
      data: { ...totals, partitions: ours },
    });
  } catch (thrown) {
    part.tell({ t: 'note', source: 'object-store', text: `could not be listed: ${describeError(thrown)}` });
  }
};
