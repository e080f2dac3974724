// The digests an uploader may send with a body. One that does not match refuses the upload; the checksum that was sent is stored
// and handed back to readers who ask, so that a client can check what it reads end to end.
import { createHash } from 'node:crypto';
import { CHECKSUM_HEADERS, checksumOf } from './checksums.ts';
import type { StoredChecksum } from './object-file.ts';
import { S3Error } from './s3-error.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** `Content-MD5` and a hexadecimal `x-amz-content-sha256`. Throws InvalidDigest, BadDigest or XAmzContentSHA256Mismatch. */
export const checkDigests = (body: Buffer, headers: Headers): void => {
  const contentMd5 = headers['content-md5'];
  if (contentMd5 !== undefined && Buffer.from(String(contentMd5), 'base64').length !== 16) {
    throw new S3Error('InvalidDigest', 'The Content-MD5 is not the base64 of 16 bytes.');
  }
  if (contentMd5 !== undefined && contentMd5 !== createHash('md5').update(body).digest('base64')) {
    throw new S3Error('BadDigest', 'The body does not match its Content-MD5.');
  }
  const signed = headers['x-amz-content-sha256'];
  if (typeof signed !== 'string' || !/^[0-9a-f]{64}$/.test(signed)) return;
  if (signed !== createHash('sha256').update(body).digest('hex')) {
    throw new S3Error('XAmzContentSHA256Mismatch', 'The body does not match its x-amz-content-sha256.');
  }
};

/** The `x-amz-checksum-…` of headers or trailers, held against the body. Throws BadDigest; undefined where none was sent. */
export const checkedChecksum = (body: Buffer, headers: Headers): StoredChecksum | undefined => {
  for (const header of CHECKSUM_HEADERS) {
    const value = headers[header];
    if (typeof value !== 'string') continue;
    if (value !== checksumOf(header, body)) throw new S3Error('BadDigest', `The body does not match its ${header}.`);
    return { header, value };
  }
  return undefined;
};
