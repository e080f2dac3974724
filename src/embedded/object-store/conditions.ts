// The conditions a request may put on the object's present state. `evaluate…` is called under the key's lock, at the moment of
// the change: an answer other than an error means that the condition still held when the change was published.
import { wallOfHttpTime } from '../../clock.ts';
import { S3Error } from './s3-error.ts';

/** `If-Match`, `If-None-Match` and the two dates as they came; undefined when absent. */
export interface Conditions {
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
  readonly ifModifiedSince?: string;
  readonly ifUnmodifiedSince?: string;
}

/** What a condition is evaluated against: the object's etag without quotes, undefined when there is no object. */
type Present = string | undefined;

/** What a reader's condition is evaluated against. */
interface Version {
  readonly etag: string;
  readonly modifiedMs: number;
}

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

/** Whether it was changed after that date, to the second; undefined where no date can be read. */
const changedSince = ({ modifiedMs }: Version, date: string | undefined): boolean | undefined => {
  const since = date === undefined ? undefined : wallOfHttpTime(date);
  return since === undefined ? undefined : Math.floor(modifiedMs / 1000) * 1000 > since;
};

/** For a GET or HEAD of an object that is there; a date counts only where no tag was named. Throws PreconditionFailed or NotModified. */
export const evaluateForRead = (conditions: Conditions, version: Version): void => {
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = conditions;
  if (ifMatch === undefined ? changedSince(version, ifUnmodifiedSince) === true : !names(ifMatch, version.etag)) {
    throw failed();
  }
  const isSame =
    ifNoneMatch === undefined ? changedSince(version, ifModifiedSince) === false : names(ifNoneMatch, version.etag);
  if (isSame) throw new S3Error('NotModified', 'The object is the one you have.', { etag: `"${version.etag}"` });
};

/** For the source of a copy, where nobody has a version to go on with. Throws PreconditionFailed. */
export const evaluateForCopy = (conditions: Conditions, version: Version): void => {
  try {
    evaluateForRead(conditions, version);
  } catch {
    throw failed();
  }
};
