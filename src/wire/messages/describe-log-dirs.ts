// DescribeLogDirs, key 35: which replicas one broker has on its own disks, how large they are and how far they lag.
import { array, bool, defineApi, int16, int32, int32Array, int64, string } from '../schema.ts';

export const describeLogDirs = defineApi({
  name: 'DescribeLogDirs',
  key: 35,
  minVersion: 1,
  maxVersion: 4,
  flexibleFrom: 2,
  request: {
    /** Null asks for all. */
    topics: array({ topic: string(), partitions: int32Array() }, { nullableSince: 0 }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ since: 3 }),
    results: array({
      errorCode: int16(),
      logDir: string(),
      topics: array({
        name: string(),
        partitions: array({
          partitionIndex: int32(),
          partitionSize: int64(),
          offsetLag: int64(),
          isFutureKey: bool(),
        }),
      }),
      totalBytes: int64({ since: 4, default: -1 }),
      usableBytes: int64({ since: 4, default: -1 }),
    }),
  },
});
