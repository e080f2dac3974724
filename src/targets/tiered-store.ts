// The bucket of a cluster with tiers: the server of ackproof's own where the target file names none, and how the harness looks at it,
// past the brokers' proxies and as itself.
import { join, resolve } from 'node:path';
import { Secret } from '../wire/secret.ts';
import { declaredStorage } from './declared-storage.ts';
import { kafkaDirectory } from './kafka-layout.ts';
import { NodeProcess } from './node-process.ts';
import { objectStoreAccess } from './object-store.ts';
import { nodeProgram } from './program-files.ts';
import { fetchReference } from './secret-reference.ts';
import { StoreRequestLog } from './store-request-log.ts';
import type { NodeId, ObjectStoreAccess, StorageFact } from './target.ts';
import type { ProcessSpec } from './target-spec.ts';
import { describeSegmentKey, type StorePath } from './tiered-layout.ts';
import { tieredBucket } from './tiered-spec.ts';

const OBJECT_STORE: NodeId = 'object-store';
/** Kafka's own default for `segment.bytes`. */
const LARGEST_SEGMENT = 1024 ** 3;

/** As whom the brokers come to the bucket, in their environment and in no file. */
export type StoreLogin = Readonly<Record<'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY', string>>;

/** Our own server looks at no signature. */
const OF_OUR_OWN: StoreLogin = { AWS_ACCESS_KEY_ID: 'ackproof', AWS_SECRET_ACCESS_KEY: 'ackproof' };

/** @throws EnvironmentError where a secret that the target file names is not there. */
export const storeLogin = (spec: ProcessSpec, specFolder: string | undefined): StoreLogin | undefined => {
  const tiered = tieredBucket(spec);
  if (tiered === undefined) return undefined;
  const { store } = tiered;
  if (store === undefined) return OF_OUR_OWN;
  const secret = (name: 'accessKey' | 'secretKey'): string =>
    fetchReference(`tieredStorage.store.${name}`, store[name], resolve(specFolder ?? '.'));
  return { AWS_ACCESS_KEY_ID: secret('accessKey'), AWS_SECRET_ACCESS_KEY: secret('secretKey') };
};

const requestLogOf = (runDirectory: string): string => join(kafkaDirectory(runDirectory), 'store-requests.ndjson');

/** The server of ackproof's own; undefined where the bucket is somebody else's. */
export const ownStoreProcess = (
  { own, bucket }: StorePath,
  runDirectory: string,
  runId: string,
): NodeProcess | undefined =>
  own === undefined
    ? undefined
    : new NodeProcess({
        node: OBJECT_STORE,
        ...nodeProgram('embedded/object-store/object-store-program', {
          exitOnStdinClose: true,
          directory: join(kafkaDirectory(runDirectory), 'objects'),
          requestLog: requestLogOf(runDirectory),
          buckets: [bucket],
          host: own.data.host,
          listeners: [
            { name: 'data', port: own.data.port },
            { name: 'direct', port: own.direct.port },
          ],
          adminPort: own.admin.port,
          maxObjectBytes: LARGEST_SEGMENT,
        }),
        environment: { ACKPROOF_RUN: runId },
        logFile: join(runDirectory, 'logs', `${OBJECT_STORE}.log`),
      });

/** The harness's own look. Only our own server tells what it was asked. */
export const tieredStoreAccess = (path: StorePath, login: StoreLogin, runDirectory: string): ObjectStoreAccess => {
  const { own, upstream, bucket, prefix, region } = path;
  const log = own === undefined ? undefined : new StoreRequestLog(own.admin, requestLogOf(runDirectory));
  return objectStoreAccess({
    endpoint: own?.direct ?? upstream,
    bucket,
    dataPrefix: prefix,
    login: {
      region,
      accessKey: new Secret(login.AWS_ACCESS_KEY_ID),
      secretKey: new Secret(login.AWS_SECRET_ACCESS_KEY),
    },
    describeKey: describeSegmentKey(prefix),
    ...(log !== undefined && { requests: async (sinceWallMs, signal) => await log.since(sinceWallMs, signal) }),
  });
};

const WAL =
  'none in it: records are acknowledged from the logs on the disks of the replicas, before they are copied to it';

/** What is known of it; of somebody else's bucket no more than the target file says. */
export const tieredStorageFacts = (spec: ProcessSpec, { own, listens }: StorePath): readonly StorageFact[] => {
  const seen = (item: StorageFact['item'], detail: string): StorageFact => ({ item, state: 'observed', detail });
  const route = `brokers by proxies at ${listens.map(({ host, port }) => `${host}:${port}`).join(', ')}; ackproof itself by none`;
  if (own === undefined) {
    const facts = declaredStorage(undefined, tieredBucket(spec)?.store) ?? [];
    const known = [seen('wal', WAL), seen('route', route)];
    return facts.map((fact) => known.find(({ item }) => item === fact.item) ?? fact);
  }
  return [
    seen('wal', WAL),
    seen('service', `ackproof’s own S3 server, one process on ${own.data.host}`),
    seen('identity', 'one key for all brokers and ackproof itself, which this server does not look at'),
    seen('encryption', 'none, neither on the way nor at rest'),
    seen('route', route),
    seen('shared-fate', 'objects and the logs of all replicas are on disks of one machine'),
  ];
};
