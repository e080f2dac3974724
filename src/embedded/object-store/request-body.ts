// Reads the body of an upload to its end, decoded and checked. Nothing of it is stored before: a client that goes away in the
// middle has stored nothing.
import type { IncomingMessage } from 'node:http';
import { decodeAwsChunked } from './aws-chunked.ts';
import { checkDigests, checkedChecksum } from './body-checksums.ts';
import { ChunkSignatures, type SignedRequest } from './chunk-signatures.ts';
import type { StoredChecksum } from './object-file.ts';
import { S3Error } from './s3-error.ts';

export interface UploadBody {
  readonly body: Buffer;
  readonly checksum?: StoredChecksum;
}

export interface BodyOptions {
  readonly limitBytes: number;
  /** Whether `x-amz-checksum-…` headers are of this body; else they describe something else and are passed over. */
  readonly isChecksummed: boolean;
  /** Absent where signatures are not looked at. */
  readonly signed?: SignedRequest | undefined;
}

const tooLarge = (limitBytes: number): S3Error =>
  new S3Error('EntityTooLarge', `This store takes uploads of up to ${limitBytes} bytes.`, { connection: 'close' });

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

const codingOf = (request: IncomingMessage): string => request.headers['x-amz-content-sha256']?.toString() ?? '';

const isChunked = (request: IncomingMessage): boolean =>
  codingOf(request).startsWith('STREAMING-') ||
  (request.headers['content-encoding']?.split(',').some((coding) => coding.trim() === 'aws-chunked') ?? false);

/** Bytes of framing an aws-chunked body may have on top of its payload. */
const framingAllowance = (limitBytes: number): number => limitBytes / 16 + 65_536;

/** Undefined where chunks are not signed, or nobody looks. Throws NotImplemented for chunks that are signed in another way. */
const signaturesOf = (request: IncomingMessage, signed: SignedRequest | undefined): ChunkSignatures | undefined => {
  const coding = codingOf(request);
  if (signed === undefined || !coding.startsWith('STREAMING-AWS4-')) return undefined;
  const hasTrailers = /^STREAMING-AWS4-HMAC-SHA256-PAYLOAD(-TRAILER)?$/.exec(coding);
  if (hasTrailers === null) throw new S3Error('NotImplemented', `This store does not verify ${coding}.`);
  return new ChunkSignatures(signed, hasTrailers[1] !== undefined);
};

/** What of a request's headers can be told to be too much, before its body is on its way. Throws EntityTooLarge. */
export const assertDeclaredSize = (request: IncomingMessage, limitBytes: number): void => {
  const declared = Number(request.headers['x-amz-decoded-content-length'] ?? request.headers['content-length'] ?? 0);
  if (declared > limitBytes) throw tooLarge(limitBytes);
};

const readChunked = async (
  request: IncomingMessage,
  { limitBytes, signed }: BodyOptions,
): Promise<{ readonly body: Buffer; readonly trailers: Readonly<Record<string, string>> }> => {
  const signatures = signaturesOf(request, signed);
  const decoded = decodeAwsChunked(await collect(request, limitBytes + framingAllowance(limitBytes)), signatures);
  if (decoded.body.length > limitBytes) throw tooLarge(limitBytes);
  const length = request.headers['x-amz-decoded-content-length'];
  if (length !== undefined && Number(length) !== decoded.body.length) {
    throw new S3Error('IncompleteBody', 'The body is not as long as x-amz-decoded-content-length says.');
  }
  return decoded;
};

/** Throws EntityTooLarge, IncompleteBody, BadDigest, InvalidDigest, SignatureDoesNotMatch or XAmzContentSHA256Mismatch. */
export const readUploadBody = async (request: IncomingMessage, options: BodyOptions): Promise<UploadBody> => {
  assertDeclaredSize(request, options.limitBytes);
  const { body, trailers } = isChunked(request)
    ? await readChunked(request, options)
    : { body: await collect(request, options.limitBytes), trailers: {} };
  checkDigests(body, request.headers);
  const checksum = options.isChecksummed ? checkedChecksum(body, { ...request.headers, ...trailers }) : undefined;
  return { body, ...(checksum === undefined ? {} : { checksum }) };
};
