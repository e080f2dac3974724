// A lane is dead after an unknown result: a batch that may still arrive must never be followed by another of the same lane, or
// its order and its copies could no longer be told. Every client's lanes go through here, so that none can forget it.
import { InternalError } from '../errors.ts';
import type { Lane } from './client.ts';

/**
 * The same lane, which refuses to send once a result was `unknown`.
 * @throws InternalError (`LANE_RETIRED`) from `send`, before anything is sent.
 */
export const retiring = (lane: Lane): Lane => {
  let isRetired = false;
  return {
    send: async (records) => {
      if (isRetired) {
        throw new InternalError('LANE_RETIRED', 'This lane ended with an unknown result. Close it and open another.');
      }
      const result = await lane.send(records);
      isRetired = result.outcome === 'unknown';
      return result;
    },
    close: async () => {
      await lane.close();
    },
  };
};
