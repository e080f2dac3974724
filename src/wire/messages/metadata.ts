// Metadata, key 3: brokers, topics with their ids (10 and up), leaders with their epochs (7 and up), in-sync replicas.
import { array, bool, defineApi, int16, int32, int32Array, string, uuid } from '../schema.ts';

/** "Operations not asked for". */
const NO_OPERATIONS = -2147483648;

export const metadata = defineApi({
  name: 'Metadata',
  key: 3,
  minVersion: 0,
  maxVersion: 13,
  flexibleFrom: 9,
  request: {
    /** Null asks for all topics; in version 0 an empty list does. */
    topics: array({ topicId: uuid({ since: 10 }), name: string({ nullableSince: 10 }) }, { nullableSince: 1 }),
    allowAutoTopicCreation: bool({ since: 4, default: true }),
    includeClusterAuthorizedOperations: bool({ since: 8, until: 10 }),
    includeTopicAuthorizedOperations: bool({ since: 8 }),
  },
  response: {
    throttleTimeMs: int32({ since: 3 }),
    brokers: array({
      nodeId: int32(),
      host: string(),
      port: int32(),
      rack: string({ since: 1, nullableSince: 1, default: null }),
    }),
    clusterId: string({ since: 2, nullableSince: 2, default: null }),
    controllerId: int32({ since: 1, default: -1 }),
    topics: array({
      errorCode: int16(),
      name: string({ nullableSince: 12 }),
      topicId: uuid({ since: 10 }),
      isInternal: bool({ since: 1, default: false }),
      partitions: array({
        errorCode: int16(),
        partitionIndex: int32(),
        leaderId: int32(),
        leaderEpoch: int32({ since: 7, default: -1 }),
        replicaNodes: int32Array(),
        isrNodes: int32Array(),
        offlineReplicas: int32Array({ since: 5 }),
      }),
      topicAuthorizedOperations: int32({ since: 8, default: NO_OPERATIONS }),
    }),
    clusterAuthorizedOperations: int32({ since: 8, until: 10, default: NO_OPERATIONS }),
    errorCode: int16({ since: 13 }),
  },
});
