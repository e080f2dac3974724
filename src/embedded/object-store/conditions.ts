// The conditions a request may put on the object's present state. `evaluate…` is called under the key's lock, at the moment of
// the change: an answer other than an error means that the condition still held when the change was published.
import { S3Error } from './s3-error.ts';

/** `If-Match` and `If-None-Match` as they came; undefined when absent. */
export interface Conditions {
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
}

/** What a condition is evaluated against: the object's etag without quotes, undefined when there is no object. */
type Present = string | undefined;

const unquote = (tag: string): string =>
  tag
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1');

const names = (header: string, etag: string): boolean =>
  header.split(',').some((tag) => tag.trim() === '*' || unquote(tag) === etag);

const failed = (): S3Error =>
  new S3Error('PreconditionFailed', 'At least one of the preconditions you specified did not hold.');

const missing = (): S3Error => new S3Error('NoSuchKey', 'The specified key does not exist.');

/** For a PUT or DELETE. Throws PreconditionFailed, or NoSuchKey for `If-Match` on an object that is not there. */
export const evaluateForChange = (conditions: Conditions, present: Present): void => {
  if (conditions.ifMatch !== undefined) {
    if (present === undefined) throw missing();
    if (!names(conditions.ifMatch, present)) throw failed();
  }
  if (conditions.ifNoneMatch !== undefined && present !== undefined && names(conditions.ifNoneMatch, present)) {
    throw failed();
  }
};

/** For a GET or HEAD of an object that is there. Throws PreconditionFailed or NotModified. */
export const evaluateForRead = (conditions: Conditions, etag: string): void => {
  if (conditions.ifMatch !== undefined && !names(conditions.ifMatch, etag)) throw failed();
  if (conditions.ifNoneMatch !== undefined && names(conditions.ifNoneMatch, etag)) {
    throw new S3Error('NotModified', 'The object is the one you have.', { etag: `"${etag}"` });
  }
};
