// ElectLeaders, key 43. Type 0 elects the preferred replica, which is the first of the list; type 1 any live one, at the price of loss.
import { array, defineApi, int8, int16, int32, int32Array, string } from '../schema.ts';

export const electLeaders = defineApi({
  name: 'ElectLeaders',
  key: 43,
  minVersion: 0,
  maxVersion: 2,
  flexibleFrom: 2,
  request: {
    electionType: int8({ since: 1 }),
    /** Null asks for all. */
    topicPartitions: array({ topic: string(), partitions: int32Array() }, { nullableSince: 0 }),
    timeoutMs: int32({ default: 60000 }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ since: 1 }),
    replicaElectionResults: array({
      topic: string(),
      partitionResult: array({
        partitionId: int32(),
        errorCode: int16(),
        errorMessage: string({ nullableSince: 0 }),
      }),
    }),
  },
});
