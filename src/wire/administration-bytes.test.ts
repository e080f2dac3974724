// The requests and answers of administrators byte for byte, worked out by hand from Kafka's message definitions.
import { expect, it } from 'vitest';
import { damaged } from '../../test/wire-fuzz/mutations.ts';
import { randomStream } from '../random.ts';
import {
  type ApiName,
  decodeRequestFrame,
  decodeResponseFrame,
  encodeRequestFrame,
  encodeResponseFrame,
  type RequestInput,
  type ResponseInput,
  WireError,
} from './protocol.ts';

const TOPIC = '0001' + '74';
const COMPACT_TOPIC = '02' + '74';
const NO_TAGS = '00';

interface Golden {
  readonly name: string;
  /** Without its length. */
  readonly frame: Buffer;
  /** Behind the correlation id, in hexadecimal digits. */
  readonly bytes: string;
  readonly expected: string;
  readonly decode: (frame: Buffer) => unknown;
}

const request = <N extends ApiName>(
  api: N,
  version: number,
  body: RequestInput<N>,
  bytes: readonly string[],
): Golden => {
  const frame = encodeRequestFrame(api, version, { correlationId: 7, clientId: null }, body).subarray(4);
  const name = `${api} v${version} request`;
  return { name, frame, bytes: frame.toString('hex', 8), expected: bytes.join(''), decode: decodeRequestFrame };
};

const response = <N extends ApiName>(
  api: N,
  version: number,
  body: ResponseInput<N>,
  bytes: readonly string[],
): Golden => {
  const frame = encodeResponseFrame(api, version, 7, body).subarray(4);
  const name = `${api} v${version} response`;
  const decode = (given: Buffer): unknown => decodeResponseFrame(api, version, given);
  return { name, frame, bytes: frame.toString('hex', 4), expected: bytes.join(''), decode };
};

const NO_CLIENT = 'ffff';
const FLEXIBLE_HEADER = NO_CLIENT + NO_TAGS;

const elect = { topicPartitions: [{ topic: 't', partitions: [3] }], timeoutMs: 1000 };
const alter = {
  timeoutMs: 1000,
  allowReplicationFactorChange: false,
  topics: [{ name: 't', partitions: [{ partitionIndex: 3, replicas: [1, 2] }] }],
};
const change = {
  resources: [{ resourceType: 4, resourceName: '2', configs: [{ name: 'k', configOperation: 0, value: 'v' }] }],
};
const altered = { responses: [{ errorCode: 40, errorMessage: 'no', resourceType: 4, resourceName: '2' }] };
const directories = {
  results: [
    {
      errorCode: 0,
      logDir: '/d',
      topics: [{ name: 't', partitions: [{ partitionIndex: 3, partitionSize: 5, offsetLag: 1, isFutureKey: true }] }],
      totalBytes: 9,
      usableBytes: 8,
    },
  ],
};
const REPLICA = '00000003' + '0000000000000005' + '0000000000000001' + '01';
const DIRECTORY = ['02', '0000', '032f64', '02', COMPACT_TOPIC, '02', REPLICA, NO_TAGS, NO_TAGS];
const moved = {
  errorCode: 0,
  errorMessage: null,
  responses: [{ name: 't', partitions: [{ partitionIndex: 3, errorCode: 39, errorMessage: 'no' }] }],
};
const MOVED = ['0000', '00', '02', COMPACT_TOPIC, '02', '00000003', '0027', '036e6f', NO_TAGS, NO_TAGS, NO_TAGS];
const elected = {
  errorCode: 0,
  replicaElectionResults: [{ topic: 't', partitionResult: [{ partitionId: 3, errorCode: 84, errorMessage: null }] }],
};
const ELECTED = ['00000001', TOPIC, '00000001', '00000003', '0054', 'ffff'];

const ORDER = ['02', COMPACT_TOPIC, '02', '00000003', '03', '00000001', '00000002', NO_TAGS, NO_TAGS, NO_TAGS];
const ongoing = {
  errorCode: 0,
  errorMessage: null,
  topics: [
    { name: 't', partitions: [{ partitionIndex: 3, replicas: [1], addingReplicas: [2], removingReplicas: [] }] },
  ],
};
const page = { topics: [], responsePartitionLimit: 1, cursor: { topicName: 't', partitionIndex: 3 } };
const described = {
  topics: [
    {
      errorCode: 0,
      name: 't',
      topicId: 'AAAAAAAAAAAAAAAAAAAAAQ',
      partitions: [
        {
          ...{ errorCode: 0, partitionIndex: 3, leaderId: 1, leaderEpoch: 5, replicaNodes: [1, 2], isrNodes: [1] },
          ...{ eligibleLeaderReplicas: [2], lastKnownElr: null, offlineReplicas: [] },
        },
      ],
    },
  ],
  nextCursor: { topicName: 't', partitionIndex: 4 },
};

const raise = { timeoutMs: 1000, featureUpdates: [{ feature: 't', maxVersionLevel: 1 }] };
const raised = { errorCode: 0, results: [{ feature: 't', errorCode: 95, errorMessage: null }] };

const golden: readonly Golden[] = [
  request('UpdateFeatures', 1, raise, [
    ...[FLEXIBLE_HEADER, '000003e8', '02', COMPACT_TOPIC, '0001', '01', NO_TAGS, '00', NO_TAGS],
  ]),
  response('UpdateFeatures', 1, raised, [
    ...[NO_TAGS, '00000000', '0000', '00', '02', COMPACT_TOPIC, '005f', '00', NO_TAGS, NO_TAGS],
  ]),
  request('ElectLeaders', 0, elect, [NO_CLIENT, '00000001', TOPIC, '00000001', '00000003', '000003e8']),
  request('ElectLeaders', 1, elect, [NO_CLIENT, '00', '00000001', TOPIC, '00000001', '00000003', '000003e8']),
  request('ElectLeaders', 2, elect, [
    ...[FLEXIBLE_HEADER, '00', '02', COMPACT_TOPIC, '0200000003', NO_TAGS, '000003e8', NO_TAGS],
  ]),
  response('ElectLeaders', 0, elected, ['00000000', ...ELECTED]),
  response('ElectLeaders', 1, elected, ['00000000', '0000', ...ELECTED]),
  response('ElectLeaders', 2, elected, [
    ...[NO_TAGS, '00000000', '0000', '02', COMPACT_TOPIC, '02', '00000003', '0054', '00', NO_TAGS, NO_TAGS, NO_TAGS],
  ]),
  request('AlterPartitionReassignments', 0, alter, [FLEXIBLE_HEADER, '000003e8', ...ORDER]),
  request('AlterPartitionReassignments', 1, alter, [FLEXIBLE_HEADER, '000003e8', '00', ...ORDER]),
  request('AlterPartitionReassignments', 0, { topics: [{ name: 't', partitions: [{ partitionIndex: 3 }] }] }, [
    ...[FLEXIBLE_HEADER, '0000ea60', '02', COMPACT_TOPIC, '02', '00000003', '00', NO_TAGS, NO_TAGS, NO_TAGS],
  ]),
  response('AlterPartitionReassignments', 0, moved, [NO_TAGS, '00000000', ...MOVED]),
  response('AlterPartitionReassignments', 1, moved, [NO_TAGS, '00000000', '01', ...MOVED]),
  request('ListPartitionReassignments', 0, { topics: null }, [FLEXIBLE_HEADER, '0000ea60', '00', NO_TAGS]),
  response('ListPartitionReassignments', 0, ongoing, [
    ...[NO_TAGS, '00000000', '0000', '00', '02', COMPACT_TOPIC, '02', '00000003', '0200000001', '0200000002', '01'],
    ...[NO_TAGS, NO_TAGS, NO_TAGS],
  ]),
  request('IncrementalAlterConfigs', 0, change, [
    ...[NO_CLIENT, '00000001', '04', '000132', '00000001', '00016b', '00', '000176', '00'],
  ]),
  request('IncrementalAlterConfigs', 1, change, [
    ...[FLEXIBLE_HEADER, '02', '04', '0232', '02', '026b', '00', '0276', NO_TAGS, NO_TAGS, '00', NO_TAGS],
  ]),
  response('IncrementalAlterConfigs', 0, altered, ['00000000', '00000001', '0028', '00026e6f', '04', '000132']),
  response('IncrementalAlterConfigs', 1, altered, [
    ...[NO_TAGS, '00000000', '02', '0028', '036e6f', '04', '0232', NO_TAGS, NO_TAGS],
  ]),
  request('DescribeLogDirs', 1, { topics: null }, [NO_CLIENT, 'ffffffff']),
  request('DescribeLogDirs', 2, { topics: null }, [FLEXIBLE_HEADER, '00', NO_TAGS]),
  request('DescribeLogDirs', 4, { topics: [{ topic: 't', partitions: [3] }] }, [
    ...[FLEXIBLE_HEADER, '02', COMPACT_TOPIC, '0200000003', NO_TAGS, NO_TAGS],
  ]),
  response('DescribeLogDirs', 1, directories, [
    ...['00000000', '00000001', '0000', '00022f64', '00000001', TOPIC, '00000001', REPLICA],
  ]),
  response('DescribeLogDirs', 2, directories, [NO_TAGS, '00000000', ...DIRECTORY, NO_TAGS, NO_TAGS]),
  response('DescribeLogDirs', 3, directories, [NO_TAGS, '00000000', '0000', ...DIRECTORY, NO_TAGS, NO_TAGS]),
  response('DescribeLogDirs', 4, directories, [
    ...[NO_TAGS, '00000000', '0000', ...DIRECTORY, '0000000000000009', '0000000000000008', NO_TAGS, NO_TAGS],
  ]),
  request('DescribeTopicPartitions', 0, { topics: [{ name: 't' }] }, [
    ...[FLEXIBLE_HEADER, '02', COMPACT_TOPIC, NO_TAGS, '000007d0', 'ff', NO_TAGS],
  ]),
  request('DescribeTopicPartitions', 0, page, [
    ...[FLEXIBLE_HEADER, '01', '00000001', '01', COMPACT_TOPIC, '00000003', NO_TAGS, NO_TAGS],
  ]),
  response('DescribeTopicPartitions', 0, described, [
    ...[NO_TAGS, '00000000', '02', '0000', COMPACT_TOPIC, '00000000000000000000000000000001', '00', '02'],
    ...['0000', '00000003', '00000001', '00000005', '030000000100000002', '0200000001', '0200000002', '00', '01'],
    ...[NO_TAGS, '80000000', NO_TAGS, '01', COMPACT_TOPIC, '00000004', NO_TAGS, NO_TAGS],
  ]),
];

it.each(golden)('$name', ({ bytes, expected, frame, decode }) => {
  expect(bytes).toBe(expected);
  expect(() => decode(frame)).not.toThrow();
});

it('damaged in any way they are a body or a WireError, at once', () => {
  const random = randomStream(20_261_130, 'administration');
  let refused = 0;
  for (let index = 0; index < 30_000; index++) {
    const { frame, decode } = golden[index % golden.length]!;
    try {
      decode(damaged(frame, random));
    } catch (thrown) {
      if (!(thrown instanceof WireError)) throw thrown;
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(3_000);
  expect(refused).toBeLessThan(27_000);
});

it('a struct that may be null is null again, where it was sent so', () => {
  const frame = encodeResponseFrame('DescribeTopicPartitions', 0, 1, { topics: [], nextCursor: null });
  expect(decodeResponseFrame('DescribeTopicPartitions', 0, frame.subarray(4)).body.nextCursor).toBeNull();
});
