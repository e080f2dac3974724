// Operations on buckets: create, head, location, list of buckets, the pages of ListObjectsV2, and DeleteObjects.
import type { IncomingMessage } from 'node:http';
import { isoTime } from '../../clock.ts';
import { type Answer, emptyAnswer, xmlAnswer } from './answer.ts';
import type { ListedPage } from './bucket.ts';
import { parseDeleteRequest } from './delete-request.ts';
import { type PagePosition, positionOf, tokenOf } from './listing.ts';
import { readUploadBody } from './request-body.ts';
import type { RequestTarget } from './request-target.ts';
import { S3Error } from './s3-error.ts';
import type { ObjectStore } from './store.ts';
import { element, textElement, xmlDocument } from './xml.ts';

const MOST_KEYS = 1000;

export const createBucket = async (store: ObjectStore, name: string): Promise<Answer> => {
  await store.createBucket(name);
  return emptyAnswer(200, { location: `/${name}` });
};

export const headBucket = (store: ObjectStore, name: string): Answer => {
  store.bucket(name);
  return emptyAnswer(200);
};

export const bucketLocation = (store: ObjectStore, name: string): Answer => {
  store.bucket(name);
  return xmlAnswer(200, xmlDocument('LocationConstraint', []));
};

export const listBuckets = (store: ObjectStore): Answer => {
  const buckets = store.bucketNames.map((name) =>
    element('Bucket', [textElement('Name', name), textElement('CreationDate', isoTime(0))]),
  );
  const owner = element('Owner', [textElement('ID', 'ackproof'), textElement('DisplayName', 'ackproof')]);
  return xmlAnswer(200, xmlDocument('ListAllMyBucketsResult', [owner, element('Buckets', buckets)]));
};

const maxKeysOf = (query: URLSearchParams): number => {
  const text = query.get('max-keys');
  if (text === null || text === '') return MOST_KEYS;
  if (!/^\d{1,9}$/.test(text)) {
    throw new S3Error('InvalidArgument', 'max-keys is not a whole number between 0 and 2147483647.');
  }
  return Math.min(Number(text), MOST_KEYS);
};

const afterOf = (query: URLSearchParams): PagePosition | undefined => {
  const token = query.get('continuation-token');
  if (token !== null) {
    const position = positionOf(token);
    if (position === undefined) throw new S3Error('InvalidArgument', 'The continuation token is not one of ours.');
    return position;
  }
  const startAfter = query.get('start-after');
  return startAfter === null || startAfter === '' ? undefined : { kind: 'key', name: startAfter };
};

const encoderOf = (query: URLSearchParams): ((text: string) => string) => {
  const encoding = query.get('encoding-type');
  if (encoding === null) return (text) => text;
  if (encoding === 'url') return (text) => encodeURIComponent(text).replaceAll('%2F', '/');
  throw new S3Error('InvalidArgument', 'The only encoding-type is url.');
};

const pageElements = (page: ListedPage, encode: (text: string) => string): string[] => [
  ...page.objects.map((info) =>
    element('Contents', [
      textElement('Key', encode(info.key)),
      textElement('LastModified', isoTime(info.modifiedMs)),
      textElement('ETag', `"${info.etag}"`),
      textElement('Size', info.sizeBytes),
      textElement('StorageClass', 'STANDARD'),
    ]),
  ),
  ...page.commonPrefixes.map((prefix) => element('CommonPrefixes', [textElement('Prefix', encode(prefix))])),
];

/** Echoes a parameter of the request, when it was given. */
const echo = (name: string, value: string | null): string[] => (value === null ? [] : [textElement(name, value)]);

export const listObjects = async (store: ObjectStore, target: RequestTarget): Promise<Answer> => {
  const { query } = target;
  const bucket = store.bucket(target.bucket);
  const maxKeys = maxKeysOf(query);
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const after = afterOf(query);
  const encode = encoderOf(query);
  const page = await bucket.list({ prefix, delimiter, maxKeys, ...(after === undefined ? {} : { after }) });
  const startAfter = query.get('start-after');
  return xmlAnswer(
    200,
    xmlDocument('ListBucketResult', [
      textElement('Name', bucket.name),
      textElement('Prefix', encode(prefix)),
      ...(delimiter === '' ? [] : [textElement('Delimiter', encode(delimiter))]),
      textElement('MaxKeys', maxKeys),
      ...echo('EncodingType', query.get('encoding-type')),
      ...echo('ContinuationToken', query.get('continuation-token')),
      ...echo('StartAfter', startAfter === null ? null : encode(startAfter)),
      textElement('KeyCount', page.objects.length + page.commonPrefixes.length),
      textElement('IsTruncated', page.next !== undefined),
      ...(page.next === undefined ? [] : [textElement('NextContinuationToken', tokenOf(page.next))]),
      ...pageElements(page, encode),
    ]),
  );
};

/** All of the keys or an error: what cannot be deleted is no entry in the answer, it fails the request. */
export const deleteObjects = async (
  store: ObjectStore,
  name: string,
  request: IncomingMessage,
  limitBytes: number,
): Promise<Answer> => {
  const bucket = store.bucket(name);
  const { keys, quiet } = parseDeleteRequest((await readUploadBody(request, limitBytes)).body);
  await bucket.deleteAll(keys);
  const deleted = quiet ? [] : keys.map((key) => element('Deleted', [textElement('Key', key)]));
  return xmlAnswer(200, xmlDocument('DeleteResult', deleted));
};
