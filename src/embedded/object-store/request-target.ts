// What a request is about: bucket and key from the path (path-style), the operation from method and query. Keys are taken as
// they are after percent-decoding, `..` and empty segments included; the store turns them into safe file names.
import type { IncomingMessage } from 'node:http';
import { S3Error } from './s3-error.ts';

export type Operation =
  | 'AbortMultipartUpload'
  | 'CompleteMultipartUpload'
  | 'CopyObject'
  | 'CreateBucket'
  | 'CreateMultipartUpload'
  | 'DeleteBucket'
  | 'DeleteObject'
  | 'DeleteObjects'
  | 'GetBucketLocation'
  | 'GetBucketVersioning'
  | 'GetObject'
  | 'HeadBucket'
  | 'HeadObject'
  | 'ListBuckets'
  | 'ListMultipartUploads'
  | 'ListObjectsV2'
  | 'ListParts'
  | 'PutObject'
  | 'UploadPart'
  | 'UploadPartCopy';

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

export const assertKeyLength = (key: string): void => {
  if (Buffer.byteLength(key) > KEY_LIMIT_BYTES) {
    throw new S3Error('KeyTooLongError', `A key has at most ${KEY_LIMIT_BYTES} bytes of UTF-8.`);
  }
};

/** `bucket/key` after percent-decoding. Throws InvalidURI. */
export const splitPath = (path: string): { readonly bucket: string; readonly key: string } => {
  const slash = path.indexOf('/');
  return slash < 0
    ? { bucket: decode(path), key: '' }
    : { bucket: decode(path.slice(0, slash)), key: decode(path.slice(slash + 1)) };
};

/** Throws InvalidURI or KeyTooLongError. */
export const parseTarget = (url: string): RequestTarget => {
  if (!url.startsWith('/')) throw new S3Error('InvalidURI', 'The request path does not begin with a slash.');
  const question = url.indexOf('?');
  const { bucket, key } = splitPath(url.slice(1, question < 0 ? undefined : question));
  assertKeyLength(key);
  return { bucket, key, query: new URLSearchParams(question < 0 ? '' : url.slice(question + 1)) };
};

type Scope = 'service' | 'bucket' | 'object';

interface Route {
  readonly operation: Operation;
  readonly method: string;
  readonly scope: Scope;
  /** Query parameters that make a request this one. */
  readonly by?: readonly string[];
  /** … and those it may have besides. */
  readonly with?: readonly string[];
  /** Whether it names another object to copy from. */
  readonly copies?: boolean;
}

const PAGE = ['delimiter', 'encoding-type', 'prefix'];

/** The first one that fits is meant: whoever asks for more stands before who asks for less. */
const ROUTES: readonly Route[] = [
  { operation: 'ListBuckets', method: 'GET', scope: 'service', with: ['max-buckets', 'prefix'] },
  { operation: 'GetBucketLocation', method: 'GET', scope: 'bucket', by: ['location'] },
  { operation: 'GetBucketVersioning', method: 'GET', scope: 'bucket', by: ['versioning'] },
  {
    operation: 'ListMultipartUploads',
    method: 'GET',
    scope: 'bucket',
    by: ['uploads'],
    with: [...PAGE, 'key-marker', 'max-uploads', 'upload-id-marker'],
  },
  {
    operation: 'ListObjectsV2',
    method: 'GET',
    scope: 'bucket',
    by: ['list-type'],
    with: [...PAGE, 'continuation-token', 'fetch-owner', 'max-keys', 'start-after'],
  },
  { operation: 'DeleteObjects', method: 'POST', scope: 'bucket', by: ['delete'] },
  { operation: 'CreateBucket', method: 'PUT', scope: 'bucket' },
  { operation: 'HeadBucket', method: 'HEAD', scope: 'bucket' },
  { operation: 'DeleteBucket', method: 'DELETE', scope: 'bucket' },
  { operation: 'CreateMultipartUpload', method: 'POST', scope: 'object', by: ['uploads'] },
  { operation: 'CompleteMultipartUpload', method: 'POST', scope: 'object', by: ['uploadId'] },
  { operation: 'AbortMultipartUpload', method: 'DELETE', scope: 'object', by: ['uploadId'] },
  {
    operation: 'ListParts',
    method: 'GET',
    scope: 'object',
    by: ['uploadId'],
    with: ['max-parts', 'part-number-marker'],
  },
  { operation: 'UploadPartCopy', method: 'PUT', scope: 'object', by: ['partNumber', 'uploadId'], copies: true },
  { operation: 'UploadPart', method: 'PUT', scope: 'object', by: ['partNumber', 'uploadId'] },
  { operation: 'CopyObject', method: 'PUT', scope: 'object', copies: true },
  { operation: 'PutObject', method: 'PUT', scope: 'object' },
  { operation: 'GetObject', method: 'GET', scope: 'object', with: ['partNumber'] },
  { operation: 'HeadObject', method: 'HEAD', scope: 'object', with: ['partNumber'] },
  { operation: 'DeleteObject', method: 'DELETE', scope: 'object' },
];

const scopeOf = ({ bucket, key }: RequestTarget): Scope => {
  if (bucket === '') return 'service';
  return key === '' ? 'bucket' : 'object';
};

/** Of no meaning here: the SDK's name of the call, a signature in the query, headers of the answer that the reader wishes for. */
const isPassedOver = (name: string): boolean =>
  name === 'x-id' || name.startsWith('X-Amz-') || name.startsWith('response-');

const understands = ({ by = [], with: others = [] }: Route, name: string): boolean =>
  by.includes(name) || others.includes(name) || isPassedOver(name);

/** Throws NotImplemented for whatever this subset of S3 does not serve: a parameter that is not understood is never ignored. */
export const operationOf = (request: IncomingMessage, target: RequestTarget): Operation => {
  const method = request.method ?? '';
  const scope = scopeOf(target);
  const copies = request.headers['x-amz-copy-source'] !== undefined;
  const route = ROUTES.find(
    (each) =>
      each.method === method &&
      each.scope === scope &&
      (each.copies ?? false) === copies &&
      (each.by ?? []).every((name) => target.query.has(name)),
  );
  const foreign = [...target.query.keys()].find((name) => route !== undefined && !understands(route, name));
  const listType = target.query.get('list-type');
  if (route === undefined || foreign !== undefined || (listType !== null && listType !== '2')) {
    const what = foreign === undefined ? method : `${method} with ?${foreign}`;
    throw new S3Error('NotImplemented', `This store does not implement ${what} here.`);
  }
  return route.operation;
};
