// Operations on buckets: create, delete, head, location, list of buckets, the pages of ListObjectsV2, and DeleteObjects.
import { isoTime } from '../../clock.ts';
import { type Answer, emptyAnswer, xmlAnswer } from './answer.ts';
import type { Bucket, ListedPage } from './bucket.ts';
import type { Call } from './call.ts';
import { algorithmOf } from './checksums.ts';
import { type DeleteEntry, parseDeleteRequest } from './delete-request.ts';
import { countOf, echo, encoderOf } from './list-parameters.ts';
import { type PagePosition, positionOf, tokenOf } from './listing.ts';
import { S3Error } from './s3-error.ts';
import { element, textElement, xmlDocument } from './xml.ts';

const OWNER = element('Owner', [textElement('ID', 'ackproof'), textElement('DisplayName', 'ackproof')]);

export const createBucket = async ({ store, target, readBody }: Call): Promise<Answer> => {
  await readBody();
  await store.createBucket(target.bucket);
  return emptyAnswer(200, { location: `/${target.bucket}` });
};

export const deleteBucket = ({ store, target }: Call): Answer => {
  store.deleteBucket(target.bucket);
  return emptyAnswer(204);
};

export const headBucket = ({ store, target }: Call): Answer => {
  store.bucket(target.bucket);
  return emptyAnswer(200, { 'x-amz-bucket-region': 'us-east-1' });
};

export const bucketLocation = ({ store, target }: Call): Answer => {
  store.bucket(target.bucket);
  return xmlAnswer(200, xmlDocument('LocationConstraint', []));
};

/** Nothing is kept in versions. */
export const bucketVersioning = ({ store, target }: Call): Answer => {
  store.bucket(target.bucket);
  return xmlAnswer(200, xmlDocument('VersioningConfiguration', []));
};

export const listBuckets = ({ store }: Call): Answer => {
  const buckets = store.bucketNames.map((name) =>
    element('Bucket', [textElement('Name', name), textElement('CreationDate', isoTime(0))]),
  );
  return xmlAnswer(200, xmlDocument('ListAllMyBucketsResult', [OWNER, element('Buckets', buckets)]));
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

const pageElements = (page: ListedPage, encode: (text: string) => string, owner: string): string[] => [
  ...page.objects.map((info) =>
    element('Contents', [
      textElement('Key', encode(info.key)),
      textElement('LastModified', isoTime(info.modifiedMs)),
      textElement('ETag', `"${info.etag}"`),
      ...(info.checksum === undefined ? [] : [textElement('ChecksumAlgorithm', algorithmOf(info.checksum.header))]),
      textElement('Size', info.sizeBytes),
      owner,
      textElement('StorageClass', 'STANDARD'),
    ]),
  ),
  ...page.commonPrefixes.map((prefix) => element('CommonPrefixes', [textElement('Prefix', encode(prefix))])),
];

export const listObjects = async ({ store, target }: Call): Promise<Answer> => {
  const { query } = target;
  const bucket = store.bucket(target.bucket);
  const maxKeys = countOf(query, 'max-keys');
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
      ...pageElements(page, encode, query.get('fetch-owner') === 'true' ? OWNER : ''),
    ]),
  );
};

/** Undefined once it is gone; what stands in the way of a version that was named is an entry of the answer. */
const deleteVersion = async (bucket: Bucket, { key, etag }: DeleteEntry): Promise<S3Error | undefined> => {
  try {
    await bucket.delete(key, etag === undefined ? {} : { ifMatch: etag });
    return undefined;
  } catch (thrown) {
    if (thrown instanceof S3Error) return thrown;
    throw thrown;
  }
};

/** A key that cannot be deleted although nothing was asked of its version fails the request: then nobody knows what is gone. */
export const deleteObjects = async ({ store, target, readBody }: Call): Promise<Answer> => {
  const bucket = store.bucket(target.bucket);
  const { entries, quiet } = parseDeleteRequest((await readBody()).body);
  await bucket.deleteAll(entries.filter(({ etag }) => etag === undefined).map(({ key }) => key));
  const elements = await Promise.all(
    entries.map(async (entry) => {
      const refusal = entry.etag === undefined ? undefined : await deleteVersion(bucket, entry);
      const key = textElement('Key', entry.key);
      if (refusal === undefined) return quiet ? '' : element('Deleted', [key]);
      return element('Error', [key, textElement('Code', refusal.s3Code), textElement('Message', refusal.message)]);
    }),
  );
  return xmlAnswer(200, xmlDocument('DeleteResult', elements));
};
