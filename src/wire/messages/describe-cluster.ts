// DescribeCluster, key 60: cluster id, controller, brokers, and from version 2 on which of them are fenced.
import { array, bool, defineApi, int8, int16, int32, string } from '../schema.ts';

export const describeCluster = defineApi({
  name: 'DescribeCluster',
  key: 60,
  minVersion: 0,
  maxVersion: 2,
  flexibleFrom: 0,
  request: {
    includeClusterAuthorizedOperations: bool({ default: false }),
    endpointType: int8({ since: 1, default: 1 }),
    includeFencedBrokers: bool({ since: 2 }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16(),
    errorMessage: string({ nullableSince: 0, default: null }),
    endpointType: int8({ since: 1, default: 1 }),
    clusterId: string(),
    controllerId: int32({ default: -1 }),
    brokers: array({
      brokerId: int32(),
      host: string(),
      port: int32(),
      rack: string({ nullableSince: 0, default: null }),
      isFenced: bool({ since: 2 }),
    }),
    clusterAuthorizedOperations: int32({ default: -2147483648 }),
  },
});
