// Reads the body of an upload to its end, decoded and checked. Nothing of it is stored before: a client that goes away in the
// middle has stored nothing.
import type { IncomingMessage } from 'node:http';
import { decodeAwsChunked } from './aws-chunked.ts';
import { checkBody } from './body-checksums.ts';
import type { StoredChecksum } from './object-file.ts';
import { S3Error } from './s3-error.ts';

export interface UploadBody {
  readonly body: Buffer;
  readonly checksum?: StoredChecksum;
}

const tooLarge = (limitBytes: number): S3Error =>
  new S3Error('EntityTooLarge', `This store takes objects of up to ${limitBytes} bytes.`, { connection: 'close' });

const collect = async (request: IncomingMessage, limitBytes: number): Promise<Buffer> =>
  await new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let total = 0;
    request.on('data', (chunk: Buffer) => {
      total += chunk.length;
      if (total > limitBytes) {
        request.removeAllListeners('data').resume();
        reject(tooLarge(limitBytes));
        return;
      }
      chunks.push(chunk);
    });
    request.on('end', () => resolve(Buffer.concat(chunks, Math.min(total, limitBytes))));
    request.on('error', () => reject(new S3Error('IncompleteBody', 'The connection ended before the body did.')));
    request.resume();
  });

const isChunked = (request: IncomingMessage): boolean =>
  (request.headers['x-amz-content-sha256']?.toString().startsWith('STREAMING-') ?? false) ||
  (request.headers['content-encoding']?.split(',').some((coding) => coding.trim() === 'aws-chunked') ?? false);

/** Bytes of framing an aws-chunked body may have on top of its payload. */
const framingAllowance = (limitBytes: number): number => limitBytes / 16 + 65_536;

/** Throws EntityTooLarge, IncompleteBody, BadDigest or XAmzContentSHA256Mismatch. */
export const readUploadBody = async (request: IncomingMessage, limitBytes: number): Promise<UploadBody> => {
  const declared = Number(request.headers['x-amz-decoded-content-length'] ?? request.headers['content-length'] ?? 0);
  if (declared > limitBytes) throw tooLarge(limitBytes);
  if (!isChunked(request)) {
    const body = await collect(request, limitBytes);
    const checksum = checkBody(body, request.headers);
    return { body, ...(checksum === undefined ? {} : { checksum }) };
  }
  const decoded = decodeAwsChunked(await collect(request, limitBytes + framingAllowance(limitBytes)));
  if (decoded.body.length > limitBytes) throw tooLarge(limitBytes);
  const length = request.headers['x-amz-decoded-content-length'];
  if (length !== undefined && Number(length) !== decoded.body.length) {
    throw new S3Error('IncompleteBody', 'The body is not as long as x-amz-decoded-content-length says.');
  }
  const checksum = checkBody(decoded.body, { ...request.headers, ...decoded.trailers });
  return { body: decoded.body, ...(checksum === undefined ? {} : { checksum }) };
};
