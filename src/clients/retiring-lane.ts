// A lane is dead after an unknown result: a batch that may still arrive must never be followed by another of the same lane, or
// its order and its copies could no longer be told. Every client's lanes go through here, so that none can forget it.
import { InternalError } from '../errors.ts';
import type { Lane, SplitLane } from './client.ts';

/**
 * The same lane, which refuses to send once one of several results was `unknown`.
 * @throws InternalError (`LANE_RETIRED`) from `send`, before anything is sent.
 */
export const retiringSplit = (lane: SplitLane): SplitLane => {
  let isRetired = false;
  return {
    send: async (batches) => {
      if (isRetired) {
        throw new InternalError('LANE_RETIRED', 'This lane ended with an unknown result. Close it and open another.');
      }
      const results = await lane.send(batches);
      isRetired = results.some(({ outcome }) => outcome === 'unknown');
      return results;
    },
    close: async () => {
      await lane.close();
    },
  };
};

/** The same for a lane of one partition. */
export const retiring = (lane: Lane): Lane => {
  const split = retiringSplit({
    send: async ([records = []]) => [await lane.send(records)],
    close: async () => {
      await lane.close();
    },
  });
  return {
    send: async (records) => {
      const [result] = await split.send([records]);
      if (result === undefined) throw new InternalError('LANE_SILENT', 'A lane told nothing of its batch.');
      return result;
    },
    close: async () => {
      await split.close();
    },
  };
};
