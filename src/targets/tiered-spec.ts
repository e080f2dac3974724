// What a file of the target process says of tiered storage (KIP-405): who keeps the rolled segments, and where.
import { z } from 'zod';
import { type ObjectStoreSpec, objectStoreField } from './external-spec.ts';

/** A bucket of somebody else's, which brokers reach through proxies: over TLS they would ask for another name. */
const storeField = objectStoreField.refine(({ endpoint }) => endpoint.startsWith('http://'), {
  error: 'brokers reach the store through proxies, so its endpoint is http://host:port.',
});

export const tieredStorageField = z
  .discriminatedUnion('manager', [
    /** Kafka's own `LocalTieredStorage`: a directory of this machine that all brokers share. */
    z.strictObject({ manager: z.literal('local') }),
    /** Ours, of docker/tiered-storage: a bucket. */
    z.strictObject({
      manager: z.literal('s3'),
      /** Where there is none, an S3 server of ackproof's own is started with the cluster. */
      store: storeField.exactOptional(),
    }),
  ])
  .exactOptional();

type TieredStorageSpec = NonNullable<z.infer<typeof tieredStorageField>>;
export type TieredBucketSpec = Extract<TieredStorageSpec, { manager: 's3' }>;
interface WithTiers {
  readonly tieredStorage?: TieredStorageSpec;
}

/** The bucket that segments are copied to; undefined where they are copied to none. */
export const tieredBucket = ({ tieredStorage }: WithTiers): TieredBucketSpec | undefined =>
  tieredStorage?.manager === 's3' ? tieredStorage : undefined;

/** `s3 at http://127.0.0.1:9000, bucket tiered`; no secret is in it. */
export const describeTiers = (tiered: TieredStorageSpec): string => {
  if (tiered.manager === 'local') return 'local';
  const { store } = tiered;
  return store === undefined ? 's3, ackproof’s own server' : `s3 at ${store.endpoint}, ${placeIn(store)}`;
};

const placeIn = ({ bucket, prefix }: ObjectStoreSpec): string =>
  prefix === '' ? `bucket ${bucket}` : `bucket ${bucket} below ${prefix}`;
