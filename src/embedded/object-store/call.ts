// A request as an operation sees it: what it is about, what it says in its headers, and a body that is read when it is asked for.
import type { IncomingHttpHeaders } from 'node:http';
import type { Conditions } from './conditions.ts';
import type { UploadBody } from './request-body.ts';
import type { RequestTarget } from './request-target.ts';
import type { ObjectStore } from './store.ts';

export interface CallLimits {
  /** Of an object that is put in one piece, and of a part. */
  readonly maxObjectBytes: number;
  /** Of every part but the last. */
  readonly minPartBytes: number;
}

export interface Call {
  readonly store: ObjectStore;
  readonly target: RequestTarget;
  readonly headers: IncomingHttpHeaders;
  readonly limits: CallLimits;
  /** Wall-clock milliseconds. */
  readonly wall: () => number;
  /**
   * The whole body, decoded and held against its digests; a client that waits for `100 Continue` gets it now. `payload` is what
   * `x-amz-checksum-…` headers speak of: the body itself, or something else, which is then for the operation to check. Throws
   * EntityTooLarge, IncompleteBody, BadDigest, SignatureDoesNotMatch or XAmzContentSHA256Mismatch.
   */
  readonly readBody: (payload?: 'checksummed' | 'described') => Promise<UploadBody>;
}

/** A header as one text, where it was sent. */
export const headerOf = ({ headers }: Pick<Call, 'headers'>, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
};

/** The conditions under `prefix` (`x-amz-copy-source-` for the source of a copy, none for the object itself). */
export const conditionsOf = (call: Pick<Call, 'headers'>, prefix = ''): Conditions => {
  const named = {
    ifMatch: headerOf(call, `${prefix}if-match`),
    ifNoneMatch: headerOf(call, `${prefix}if-none-match`),
    ifModifiedSince: headerOf(call, `${prefix}if-modified-since`),
    ifUnmodifiedSince: headerOf(call, `${prefix}if-unmodified-since`),
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
};
