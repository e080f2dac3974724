// The body of DeleteObjects: which keys to delete, and whether the answer lists them. Read with patterns, not a parser: the
// document is a flat list, and whatever does not look like one is refused.
import { S3Error } from './s3-error.ts';
import { flatElements, innerTexts } from './xml.ts';

export interface DeleteEntry {
  readonly key: string;
  /** Deleted only while it is this version. */
  readonly etag?: string;
}

export interface DeleteRequest {
  readonly entries: readonly DeleteEntry[];
  /** The answer then names nothing that was deleted. */
  readonly quiet: boolean;
}

/** The most keys S3 takes in one request. */
const MOST_KEYS = 1000;

const malformed = (why: string): S3Error => new S3Error('MalformedXML', `The list of keys to delete ${why}.`);

const entryOf = (inner: string): DeleteEntry => {
  const { texts, rest } = flatElements(inner);
  const { Key: key, ETag: etag, ...others } = texts;
  if (key === undefined || key === '' || rest !== '') throw malformed('has an entry without a key');
  const foreign = Object.keys(others)[0];
  if (foreign !== undefined)
    throw new S3Error('NotImplemented', `This store deletes by key and ETag, not by ${foreign}.`);
  return { key, ...(etag === undefined ? {} : { etag }) };
};

/** Throws MalformedXML, and NotImplemented for a version of one of the objects. */
export const parseDeleteRequest = (body: Buffer): DeleteRequest => {
  const document = body.toString('utf8');
  const objects = innerTexts(document, 'Object');
  if (!/<Delete[\s>]/.test(document) || objects.length === 0) throw malformed('is empty or no list');
  if (objects.length > MOST_KEYS) throw malformed(`has more than ${MOST_KEYS} entries`);
  return { entries: objects.map(entryOf), quiet: /<Quiet>\s*true\s*<\/Quiet>/.test(document) };
};
