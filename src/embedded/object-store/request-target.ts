// What a request is about: bucket and key from the path (path-style), the operation from method and query. Keys are taken as
// they are after percent-decoding, `..` and empty segments included; the store turns them into safe file names.
import type { IncomingMessage } from 'node:http';
import { S3Error } from './s3-error.ts';

export type Operation =
  | 'CreateBucket'
  | 'DeleteObject'
  | 'DeleteObjects'
  | 'GetBucketLocation'
  | 'GetObject'
  | 'HeadBucket'
  | 'HeadObject'
  | 'ListBuckets'
  | 'ListObjectsV2'
  | 'PutObject';

export interface RequestTarget {
  /** Empty for the service itself. */
  readonly bucket: string;
  /** Empty for the bucket itself. */
  readonly key: string;
  readonly query: URLSearchParams;
}

const KEY_LIMIT_BYTES = 1024;

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Error('InvalidURI', 'The path is not percent-encoded UTF-8.');
  }
};

/** Throws InvalidURI or KeyTooLongError. */
export const parseTarget = (url: string): RequestTarget => {
  if (!url.startsWith('/')) throw new S3Error('InvalidURI', 'The request path does not begin with a slash.');
  const question = url.indexOf('?');
  const path = question < 0 ? url : url.slice(0, question);
  const slash = path.indexOf('/', 1);
  const bucket = decode(slash < 0 ? path.slice(1) : path.slice(1, slash));
  const key = slash < 0 ? '' : decode(path.slice(slash + 1));
  if (Buffer.byteLength(key) > KEY_LIMIT_BYTES) {
    throw new S3Error('KeyTooLongError', `A key has at most ${KEY_LIMIT_BYTES} bytes of UTF-8.`);
  }
  return { bucket, key, query: new URLSearchParams(question < 0 ? '' : url.slice(question + 1)) };
};

/** Query parameters that name no sub-resource; any other one asks for something this store does not have. */
const PLAIN_PARAMETERS = new Set([
  'continuation-token',
  'delimiter',
  'encoding-type',
  'fetch-owner',
  'list-type',
  'location',
  'max-keys',
  'prefix',
  'start-after',
  'x-id',
]);

const isPlainParameter = (name: string): boolean =>
  PLAIN_PARAMETERS.has(name) || name.startsWith('X-Amz-') || name.startsWith('response-');

/** `delete` is what POST of a bucket means, and means nothing elsewhere. */
const isKnownParameter = (name: string, method: string, target: RequestTarget): boolean =>
  isPlainParameter(name) || (name === 'delete' && method === 'POST' && target.key === '');

const OF_OBJECT: Readonly<Record<string, Operation>> = {
  DELETE: 'DeleteObject',
  GET: 'GetObject',
  HEAD: 'HeadObject',
  PUT: 'PutObject',
};

const ofBucket = (method: string, query: URLSearchParams): Operation | undefined => {
  if (method === 'POST') return query.has('delete') ? 'DeleteObjects' : undefined;
  if (method === 'PUT') return 'CreateBucket';
  if (method === 'HEAD') return 'HeadBucket';
  if (method !== 'GET') return undefined;
  if (query.has('location')) return 'GetBucketLocation';
  return query.get('list-type') === '2' ? 'ListObjectsV2' : undefined;
};

/** Throws NotImplemented for whatever this subset of S3 does not serve. */
export const operationOf = (request: IncomingMessage, target: RequestTarget): Operation => {
  const method = request.method ?? '';
  const foreign = [...target.query.keys()].find((name) => !isKnownParameter(name, method, target));
  const operation =
    target.bucket === ''
      ? method === 'GET'
        ? 'ListBuckets'
        : undefined
      : target.key === ''
        ? ofBucket(method, target.query)
        : OF_OBJECT[method];
  if (foreign !== undefined || operation === undefined || request.headers['x-amz-copy-source'] !== undefined) {
    const what = foreign === undefined ? method : `${method} with ?${foreign}`;
    throw new S3Error('NotImplemented', `This store does not implement ${what} here.`);
  }
  return operation;
};
