// DescribeQuorum, key 55: who leads the quorum of controllers, in which epoch, and how far its voters and observers are.
import { array, defineApi, int16, int32, int64, string } from '../schema.ts';

const replica = {
  replicaId: int32(),
  logEndOffset: int64(),
  lastFetchTimestamp: int64({ since: 1, default: -1 }),
  lastCaughtUpTimestamp: int64({ since: 1, default: -1 }),
};

export const describeQuorum = defineApi({
  name: 'DescribeQuorum',
  key: 55,
  minVersion: 0,
  maxVersion: 1,
  flexibleFrom: 0,
  request: {
    topics: array({ topicName: string(), partitions: array({ partitionIndex: int32() }) }),
  },
  response: {
    errorCode: int16(),
    topics: array({
      topicName: string(),
      partitions: array({
        partitionIndex: int32(),
        errorCode: int16(),
        leaderId: int32(),
        leaderEpoch: int32(),
        highWatermark: int64(),
        currentVoters: array(replica),
        observers: array(replica),
      }),
    }),
  },
});
