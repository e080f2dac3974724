// The object store as the harness sees it: with its own credentials and by a path of its own, never through a broker's proxy.
// The only importer of the S3 SDK, which takes a fifth of a second to load and is loaded when it is first needed.
import type { S3Client } from '@aws-sdk/client-s3';
import { systemClock } from '../clock.ts';
import { presetEnvironmentVariable } from '../environment.ts';
import { describeError, EnvironmentError } from '../errors.ts';
import { Secret } from '../wire/secret.ts';
import { signatureHeaders } from './s3-signature.ts';
import { type Address, MOST_LISTED, type ObjectListing, type ObjectStoreAccess, type StoredObject } from './target.ts';
import { within } from './wait-for.ts';

/** Where a store is and who we are there. */
interface StoreLogin {
  readonly url: string;
  readonly region: string;
  readonly accessKey: Secret;
  readonly secretKey: Secret;
}

export interface ObjectStoreOptions {
  readonly endpoint: Address;
  readonly bucket: string;
  readonly dataPrefix: string;
  /** Absent where no write-ahead log is in it. */
  readonly walPrefix?: string;
  /** As whom; absent where nobody looks at signatures. */
  readonly login?: Pick<StoreLogin, 'region' | 'accessKey' | 'secretKey'>;
  /** Keys asked for in one page of a listing; default 1,000, the most the S3 API gives. */
  readonly pageKeys?: number;
  readonly requests?: NonNullable<ObjectStoreAccess['requests']>;
  readonly describeKey?: NonNullable<ObjectStoreAccess['describeKey']>;
}

type Sdk = typeof import('@aws-sdk/client-s3');

interface Connected {
  readonly sdk: Sdk;
  readonly client: S3Client;
}

const CALL_DEADLINE_MS = 10_000;
const PAGE_KEYS = 1_000;

/** Everything that decides how a call is made is said here, so that a changed default of the SDK changes nothing. */
const connect = async ({ url, region, accessKey, secretKey }: StoreLogin): Promise<Connected> => {
  presetEnvironmentVariable('AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED', 'true');
  const sdk = await import('@aws-sdk/client-s3');
  const client = new sdk.S3Client({
    endpoint: url,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId: accessKey.reveal(), secretAccessKey: secretKey.reveal() },
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CALL_DEADLINE_MS, requestTimeout: CALL_DEADLINE_MS },
  });
  return { sdk, client };
};

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && (thrown.name === 'NoSuchKey' || thrown.name === 'NotFound');

/**
 * Runs calls with a client that is made for the first of them; what fails is told with the place of the store. Each call gets a
 * signal of its own, so that many at once do not pile up their listeners on the one they were given.
 */
type Caller = <T>(
  what: string,
  signal: AbortSignal,
  run: (connected: Connected, abortSignal: AbortSignal) => Promise<T>,
) => Promise<T>;

const callerOf = (login: StoreLogin, hint: string): Caller => {
  let connected: Promise<Connected> | undefined;
  return async (what, signal, run) => {
    try {
      connected ??= connect(login);
      const ready = await connected;
      return await within(CALL_DEADLINE_MS, signal, async (either) => await run(ready, either));
    } catch (thrown) {
      signal.throwIfAborted();
      const why = login.secretKey.removedFrom(login.accessKey.removedFrom(describeError(thrown)));
      throw new EnvironmentError(
        'TARGET_OBJECT_STORE_FAILED',
        `${what} failed at the object store ${login.url.replace(/^http:\/\//, '')}: ${why}`,
        { hint },
      );
    }
  };
};

const listAll = async (
  { sdk, client }: Connected,
  { bucket, pageKeys = PAGE_KEYS }: Pick<ObjectStoreOptions, 'bucket' | 'pageKeys'>,
  prefix: string,
  abortSignal: AbortSignal,
  mostPages = Infinity,
): Promise<readonly StoredObject[]> => {
  const found: StoredObject[] = [];
  let token: string | undefined;
  let pages = 0;
  do {
    const page = await client.send(
      new sdk.ListObjectsV2Command({
        Bucket: bucket,
        Prefix: prefix,
        MaxKeys: pageKeys,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      }),
      { abortSignal },
    );
    for (const { Key, Size } of page.Contents ?? []) if (Key !== undefined) found.push({ key: Key, bytes: Size ?? 0 });
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    pages += 1;
  } while (token !== undefined && pages < mostPages);
  return found;
};

const readOne = async (
  { sdk, client }: Connected,
  bucket: string,
  key: string,
  abortSignal: AbortSignal,
): Promise<Uint8Array | undefined> => {
  try {
    const answer = await client.send(new sdk.GetObjectCommand({ Bucket: bucket, Key: key }), { abortSignal });
    return (await answer.Body?.transformToByteArray()) ?? new Uint8Array();
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
};

/** One of many objects may be large: only what was asked for is read. */
const readRange = async (
  { sdk, client }: Connected,
  { bucket, key }: { readonly bucket: string; readonly key: string },
  Range: string,
  abortSignal: AbortSignal,
): Promise<Uint8Array | undefined> => {
  try {
    const answer = await client.send(new sdk.GetObjectCommand({ Bucket: bucket, Key: key, Range }), { abortSignal });
    if (answer.$metadata.httpStatusCode !== 206) throw new Error('the store gave the whole object, not the range');
    return (await answer.Body?.transformToByteArray()) ?? new Uint8Array();
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
};

type GetRange = ObjectListing['getRange'];

const rangeReader =
  (call: Caller, bucket: string): GetRange =>
  async (key, first, last, signal) =>
    await call(`Reading bytes ${first} to ${last} of "${key}"`, signal, async (to, either) => {
      return await readRange(to, { bucket, key }, `bytes=${first}-${last}`, either);
    });

/** Nothing is connected before the first call; every call throws EnvironmentError when the store does not do it. */
export const objectStoreAccess = (options: ObjectStoreOptions): ObjectStoreAccess => {
  const { endpoint, bucket, login, ...named } = options;
  const own = new Secret('ackproof');
  const as = login ?? { region: 'us-east-1', accessKey: own, secretKey: own };
  const call = callerOf(
    { url: `http://${endpoint.host}:${endpoint.port}`, ...as },
    'Check that the object store runs and can be reached from here.',
  );
  return {
    ...named,
    bucket,
    sign: (request) => signatureHeaders(as, request, systemClock.wall()),
    list: async (prefix, signal) =>
      await call(`Listing "${prefix}"`, signal, async (to, either) => await listAll(to, options, prefix, either)),
    put: async (key, bytes, signal) => {
      await call(`Writing "${key}"`, signal, async ({ sdk, client }, abortSignal) => {
        await client.send(new sdk.PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes }), { abortSignal });
      });
    },
    get: async (key, signal) =>
      await call(`Reading "${key}"`, signal, async (to, either) => await readOne(to, bucket, key, either)),
    getRange: rangeReader(call, bucket),
    remove: async (key, signal) => {
      await call(`Deleting "${key}"`, signal, async ({ sdk, client }, abortSignal) => {
        await client.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key: key }), { abortSignal });
      });
    },
  };
};

/** Pages of a listing that are asked for at most: a bucket of somebody else's may hold any number of objects. */
const MOST_PAGES = MOST_LISTED / PAGE_KEYS;

export interface ListingOptions extends StoreLogin {
  readonly bucket: string;
  readonly prefix: string;
}

/** Somebody else's store, of which nothing is changed. */
export const objectListing = ({ bucket, prefix, ...login }: ListingOptions): ObjectListing => {
  const call = callerOf(
    login,
    'Correct objectStore or walStore in the target file, or leave it out; the credentials need to list that bucket and no more.',
  );
  const where = `Listing "${prefix}" of bucket "${bucket}"`;
  const list = async (pages: number, pageKeys: number, signal: AbortSignal): Promise<readonly StoredObject[]> =>
    await call(where, signal, async (to, own) => await listAll(to, { bucket, pageKeys }, prefix, own, pages));
  return {
    bucket,
    prefix,
    assertListable: async (signal) => {
      await list(1, 1, signal);
    },
    list: async (signal) => await list(MOST_PAGES, PAGE_KEYS, signal),
    getRange: rangeReader(call, bucket),
  };
};
