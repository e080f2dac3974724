// What the conformance cases are run against: any S3 server, told by an address, keys and a bucket that they may write to. Each case
// has a prefix of its own and cleans up behind itself, so the suite can be run twice, and beside others.
import { randomUUID } from 'node:crypto';
import { DeleteObjectsCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';

/** What S3 has had for a short time only, or what is not of every server: cases that need it say so. */
export type Feature = 'conditional-copy' | 'conditional-delete' | 'crc64nvme' | 'full-object-checksum';

export interface S3Endpoint {
  /** `http://127.0.0.1:9000`, without a path. */
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Exists; everything in it below `conformance/` is the suite's. */
  readonly bucket: string;
}

/** One case at work. */
export interface Session {
  readonly endpoint: S3Endpoint;
  readonly s3: S3Client;
  readonly Bucket: string;
  /** A key of this case. */
  readonly key: (name: string) => string;
}

export interface S3Case {
  readonly title: string;
  readonly needs?: Feature;
  readonly run: (session: Session) => Promise<void>;
}

/** Unmodified, with the SDK's own defaults, except that it never retries: an answer is judged as it comes. */
export const clientOf = ({ url, region, accessKeyId, secretAccessKey }: S3Endpoint): S3Client =>
  new S3Client({
    endpoint: url,
    region,
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId, secretAccessKey },
  });

const removeAll = async (s3: S3Client, Bucket: string, Prefix: string): Promise<void> => {
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket, Prefix })) {
    if (Contents.length === 0) continue;
    const Objects = Contents.map(({ Key }) => ({ Key: Key! }));
    await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
  }
};

/** Runs a case in a place of its own. */
export const runCase = async (endpoint: S3Endpoint, { run }: S3Case): Promise<void> => {
  const s3 = clientOf(endpoint);
  const prefix = `conformance/${randomUUID()}/`;
  const { bucket: Bucket } = endpoint;
  try {
    await run({ endpoint, s3, Bucket, key: (name) => prefix + name });
    await removeAll(s3, Bucket, prefix);
  } finally {
    s3.destroy();
  }
};

/** How a call failed: the error's name as the SDK tells it, and the status; `nothing failed` and 0 where it did not. */
export const failureOf = async (
  call: Promise<unknown>,
): Promise<{ readonly name: string; readonly status: number }> => {
  try {
    await call;
  } catch (thrown) {
    const error = thrown as { readonly name: string; readonly $metadata?: { readonly httpStatusCode?: number } };
    return { name: error.name, status: error.$metadata?.httpStatusCode ?? -1 };
  }
  return { name: 'nothing failed', status: 0 };
};

/** Bytes that are nowhere alike, so that a piece in the wrong place is seen. */
export const patternOf = (sizeBytes: number, seed = 1): Buffer => {
  const bytes = Buffer.alloc(sizeBytes);
  let state = seed >>> 0 || 1;
  for (let at = 0; at + 4 <= sizeBytes; at += 4) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes.writeInt32LE(state, at);
  }
  return bytes;
};

export const MIB = 1024 ** 2;
