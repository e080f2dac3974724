// What a request asks of S3, from its method, its path (path style) and its query, without looking at its body.
import { type RequestHead, valueOf } from './http/message-head.ts';

export const S3_OPERATIONS = [
  'AbortMultipart',
  'CompleteMultipart',
  'CopyObject',
  'CreateMultipart',
  'DeleteObject',
  'DeleteObjects',
  'GetObject',
  'HeadObject',
  'List',
  'Other',
  'PutObject',
  'UploadPart',
] as const;
/** `List` is any listing of objects; `Other` is all that has no name here: buckets, tags, lists of parts. */
export type S3Operation = (typeof S3_OPERATIONS)[number];

export interface S3Request {
  readonly method: string;
  readonly op: S3Operation;
  readonly bucket: string;
  /** Percent-decoded; of a `List` its `prefix`. Empty where the request names none: `DeleteObjects` names its keys in its body. */
  readonly key: string;
  /** Path as it was written, for an error document. */
  readonly resource: string;
  /** Of `UploadPart`. */
  readonly partNumber: string | undefined;
  /** Of the payload, aws-chunked coding taken off; 0 without one, undefined where it is not told beforehand. */
  readonly payloadBytes: number | undefined;
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Path and query of a target in origin or absolute form. */
const splitTarget = (target: string): { readonly path: string; readonly query: URLSearchParams } => {
  const origin = target.replace(/^https?:\/\/[^/?]*/iu, '');
  const question = origin.indexOf('?');
  const path = question < 0 ? origin : origin.slice(0, question);
  return { path, query: new URLSearchParams(question < 0 ? '' : origin.slice(question + 1)) };
};

/** Query parameters that turn a request about an object or a bucket into one about something else of it. */
const SUB_RESOURCES = [
  'accelerate',
  'acl',
  'analytics',
  'attributes',
  'cors',
  'encryption',
  'intelligent-tiering',
  'inventory',
  'legal-hold',
  'lifecycle',
  'location',
  'logging',
  'metrics',
  'notification',
  'object-lock',
  'ownershipControls',
  'policy',
  'policyStatus',
  'publicAccessBlock',
  'replication',
  'requestPayment',
  'restore',
  'retention',
  'select',
  'session',
  'tagging',
  'torrent',
  'uploads',
  'versioning',
  'website',
];

const ofObject = (method: string, query: URLSearchParams, isCopy: boolean): S3Operation => {
  const isUpload = query.has('uploadId');
  switch (method) {
    case 'PUT':
      if (isUpload) return query.has('partNumber') ? 'UploadPart' : 'Other';
      return isCopy ? 'CopyObject' : 'PutObject';
    case 'GET':
      return isUpload ? 'Other' : 'GetObject';
    case 'HEAD':
      return 'HeadObject';
    case 'DELETE':
      return isUpload ? 'AbortMultipart' : 'DeleteObject';
    case 'POST':
      return isUpload ? 'CompleteMultipart' : 'Other';
    default:
      return 'Other';
  }
};

const ofBucket = (method: string, query: URLSearchParams): S3Operation => {
  if (method === 'GET') return 'List';
  return method === 'POST' && query.has('delete') ? 'DeleteObjects' : 'Other';
};

const operationOf = (head: RequestHead, bucket: string, key: string, query: URLSearchParams): S3Operation => {
  const { method } = head;
  if (bucket === '') return 'Other';
  if (method === 'POST' && key !== '' && query.has('uploads')) return 'CreateMultipart';
  if (SUB_RESOURCES.some((name) => query.has(name))) return 'Other';
  return key === ''
    ? ofBucket(method, query)
    : ofObject(method, query, valueOf(head, 'x-amz-copy-source') !== undefined);
};

const payloadBytesOf = (head: RequestHead): number | undefined => {
  const written = valueOf(head, 'x-amz-decoded-content-length') ?? valueOf(head, 'content-length');
  if (written !== undefined) return /^\d+$/u.test(written) ? Number(written) : undefined;
  return valueOf(head, 'transfer-encoding') === undefined ? 0 : undefined;
};

export const s3RequestOf = (head: RequestHead): S3Request => {
  const { path, query } = splitTarget(head.target);
  const slash = path.indexOf('/', 1);
  const bucket = decoded(slash < 0 ? path.slice(1) : path.slice(1, slash));
  const named = slash < 0 ? '' : decoded(path.slice(slash + 1));
  const op = operationOf(head, bucket, named, query);
  return {
    method: head.method,
    op,
    bucket,
    key: op === 'List' ? (query.get('prefix') ?? '') : named,
    resource: path,
    partNumber: op === 'UploadPart' ? (query.get('partNumber') ?? '') : undefined,
    payloadBytes: payloadBytesOf(head),
  };
};
