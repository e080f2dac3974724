// The checksums an uploader may send with a body. One that does not match refuses the upload; the one that was sent is stored
// and handed back to readers who ask, so that a client can check what it reads end to end.
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { crc32c } from '../../checksum.ts';
import type { StoredChecksum } from './object-file.ts';
import { S3Error } from './s3-error.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const base64OfUint32 = (value: number): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes.toString('base64');
};

const ALGORITHMS: Readonly<Record<string, (body: Buffer) => string>> = {
  'x-amz-checksum-crc32': (body) => base64OfUint32(crc32(body)),
  'x-amz-checksum-crc32c': (body) => base64OfUint32(crc32c(body)),
  'x-amz-checksum-sha1': (body) => createHash('sha1').update(body).digest('base64'),
  'x-amz-checksum-sha256': (body) => createHash('sha256').update(body).digest('base64'),
};

/**
 * Checks `Content-MD5`, a hexadecimal `x-amz-content-sha256` and the `x-amz-checksum-…` of headers or trailers. Throws BadDigest
 * or XAmzContentSHA256Mismatch; returns the checksum to store, if one was sent.
 */
export const checkBody = (body: Buffer, headers: Headers): StoredChecksum | undefined => {
  const contentMd5 = headers['content-md5'];
  if (contentMd5 !== undefined && contentMd5 !== createHash('md5').update(body).digest('base64')) {
    throw new S3Error('BadDigest', 'The body does not match its Content-MD5.');
  }
  const signed = headers['x-amz-content-sha256'];
  if (typeof signed === 'string' && /^[0-9a-f]{64}$/.test(signed)) {
    if (signed !== createHash('sha256').update(body).digest('hex')) {
      throw new S3Error('XAmzContentSHA256Mismatch', 'The body does not match its x-amz-content-sha256.');
    }
  }
  for (const [header, compute] of Object.entries(ALGORITHMS)) {
    const value = headers[header];
    if (typeof value !== 'string') continue;
    if (value !== compute(body)) throw new S3Error('BadDigest', `The body does not match its ${header}.`);
    return { header, value };
  }
  return undefined;
};
