// The `Range` header of a read, as far as S3 serves it: one range of bytes.
import { S3Error } from './s3-error.ts';

/** Both ends inclusive, within the object. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const none = (header: string, sizeBytes: number): S3Error =>
  new S3Error('InvalidRange', `The range ${header} holds no byte of an object of ${sizeBytes} bytes.`, {
    'content-range': `bytes */${sizeBytes}`,
  });

/** `-N`: the last N bytes. */
const suffix = (last: number, sizeBytes: number): ByteRange | undefined =>
  last === 0 || sizeBytes === 0 ? undefined : { start: Math.max(0, sizeBytes - last), end: sizeBytes - 1 };

/** `N-` or `N-M`. */
const fromStart = (start: number, last: number, sizeBytes: number): ByteRange | undefined =>
  start >= sizeBytes ? undefined : { start, end: Math.min(last, sizeBytes - 1) };

/**
 * The part of an object of `sizeBytes` that a `Range` header asks for; undefined when the whole object is meant, which is also
 * what S3 makes of a header it cannot read or of more than one range. Throws InvalidRange when no byte of it exists.
 */
export const byteRange = (header: string | undefined, sizeBytes: number): ByteRange | undefined => {
  const match = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/.exec(header?.trim() ?? '');
  if (match === null) return undefined;
  const [, first, last, tail] = match;
  const end = last === undefined || last === '' ? Number.POSITIVE_INFINITY : Number(last);
  const start = Number(first);
  if (start > end) return undefined;
  const range = first === undefined ? suffix(Number(tail), sizeBytes) : fromStart(start, end, sizeBytes);
  if (range === undefined) throw none(match[0], sizeBytes);
  return range;
};

/** The bytes of one part of an object that was uploaded in parts of these sizes. Throws InvalidPartNumber. */
export const partRange = (number: number, partSizes: readonly number[]): ByteRange | undefined => {
  const size = partSizes[number - 1];
  if (size === undefined) {
    throw new S3Error('InvalidPartNumber', `The object has ${partSizes.length} parts, and no part ${number}.`);
  }
  const start = partSizes.slice(0, number - 1).reduce((sum, each) => sum + each, 0);
  return size === 0 ? undefined : { start, end: start + size - 1 };
};
