// Where the tiers of a cluster of local processes are, and what its brokers are told of them. Pure. Each broker dials the store at an
// address of its own, where its proxy listens: a broker, or all of them, can be cut off.
import { join } from 'node:path';
import { parseAddress } from './spec-fields.ts';
import type { Address, LinkProtocol, ObjectRecords } from './target.ts';
import type { ProcessSpec } from './target-spec.ts';
import { tieredBucket } from './tiered-spec.ts';

/** In a server of ackproof's own. */
const OWN_BUCKET = 'ackproof';
const OWN_PREFIX = 'segments/';

/** Listeners of an S3 server of ackproof's own. */
export interface OwnStore {
  readonly data: Address;
  readonly direct: Address;
  readonly admin: Address;
}

/** The way of brokers to a bucket. */
export interface StorePath {
  readonly own?: OwnStore;
  readonly speaks: LinkProtocol;
  readonly upstream: Address;
  readonly bucket: string;
  readonly prefix: string;
  readonly region: string;
  /** Where each broker's proxy listens, in the order of the brokers. */
  readonly listens: readonly Address[];
}

const OWN_LISTENERS = 3;
const PROXY_ADMIN = 1;

/** How many ports the way to a bucket takes beside those of the cluster. */
export const storePortsNeeded = (spec: ProcessSpec): number => {
  const bucket = tieredBucket(spec);
  if (bucket === undefined) return 0;
  return PROXY_ADMIN + spec.brokers + spec.spareBrokers + (bucket.store === undefined ? OWN_LISTENERS : 0);
};

/** Undefined where no bucket is used. `take` gives an address that is free. */
export const planStorePath = (spec: ProcessSpec, take: () => Address): StorePath | undefined => {
  const tiered = tieredBucket(spec);
  if (tiered === undefined) return undefined;
  const listens = Array.from({ length: spec.brokers + spec.spareBrokers }, take);
  const { store } = tiered;
  if (store === undefined) {
    const own = { data: take(), direct: take(), admin: take() };
    const named = { bucket: OWN_BUCKET, prefix: OWN_PREFIX, region: 'us-east-1' };
    return { own, speaks: 's3', upstream: own.data, ...named, listens };
  }
  const { endpoint, bucket, prefix, region } = store;
  const upstream = parseAddress(endpoint.replace(/^http:\/\//u, '').replace(/\/$/u, ''));
  // What checks signatures takes no canary that signs nothing: that it answers has to do.
  return { speaks: 'http', upstream, bucket, prefix, region, listens };
};

const LOCAL_MANAGER = 'org.apache.kafka.server.log.remote.storage.LocalTieredStorage';
const S3_MANAGER = 'ackproof.tiered.S3RemoteStorageManager';

/** Controllers refuse topics with tiers where they are not told of them. */
export const tierSettings = ({ tieredStorage }: ProcessSpec): Readonly<Record<string, string>> =>
  tieredStorage === undefined ? {} : { 'remote.log.storage.system.enable': 'true' };

/** What broker `number` is told; credentials are in its environment. */
export const brokerTierSettings = (
  spec: ProcessSpec,
  path: StorePath | undefined,
  number: number,
  directory: string,
): Readonly<Record<string, string>> => {
  if (spec.tieredStorage === undefined) return {};
  const listen = path?.listens[number - 1];
  const manager =
    path === undefined || listen === undefined
      ? {
          'remote.log.storage.manager.class.name': LOCAL_MANAGER,
          'rsm.config.dir': join(directory, 'tiers'),
          'rsm.config.delete.on.close': 'false',
        }
      : {
          'remote.log.storage.manager.class.name': S3_MANAGER,
          'rsm.config.s3.endpoint': `http://${listen.host}:${listen.port}`,
          'rsm.config.s3.bucket': path.bucket,
          'rsm.config.s3.prefix': path.prefix,
          'rsm.config.s3.region': path.region,
        };
  return {
    ...tierSettings(spec),
    ...manager,
    'remote.log.metadata.manager.listener.name': 'INTERNAL',
    'rlmm.config.remote.log.metadata.topic.replication.factor': String(Math.min(3, spec.brokers)),
    'rlmm.config.remote.log.metadata.topic.num.partitions': '3',
    'remote.log.manager.task.interval.ms': '1000',
    'log.retention.check.interval.ms': '1000',
  };
};

const SEGMENT = /^([\w-]{22})\/(\d+)\/(\d{20})-(\d{20})-[\w-]{22}\.log$/u;

/** The records that an object below `prefix` holds; undefined for indexes and for whatever else is there. */
export const describeSegmentKey =
  (prefix: string) =>
  (key: string): ObjectRecords | undefined => {
    const [, topicId, partition, baseOffset, endOffset] = key.startsWith(prefix)
      ? (SEGMENT.exec(key.slice(prefix.length)) ?? [])
      : [];
    return topicId === undefined
      ? undefined
      : {
          topicId,
          partition: Number(partition),
          baseOffset: Number(baseOffset),
          endOffset: Number(endOffset),
        };
  };
