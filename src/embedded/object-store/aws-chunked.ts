// The body coding `aws-chunked`: chunks of `size[;chunk-signature=…]`, data, a chunk of size 0, then trailer lines. Decoded in
// one go after the body has arrived, because nothing is stored before that anyway.
import type { ChunkSignatures } from './chunk-signatures.ts';
import { S3Error } from './s3-error.ts';

/** The payload and the trailing headers, lower case. */
export interface DecodedBody {
  readonly body: Buffer;
  readonly trailers: Readonly<Record<string, string>>;
}

const CRLF = Buffer.from('\r\n');
const LINE_LIMIT_BYTES = 8192;
const SIGNATURE_TRAILER = 'x-amz-trailer-signature';

const broken = (why: string): S3Error => new S3Error('IncompleteBody', `The aws-chunked body cannot be read: ${why}.`);

/** One line at `from` and where the next begins. */
const lineAt = (bytes: Buffer, from: number): { readonly text: string; readonly next: number } => {
  const end = bytes.indexOf(CRLF, from);
  if (end < 0 || end - from > LINE_LIMIT_BYTES) throw broken('a line does not end');
  return { text: bytes.toString('latin1', from, end), next: end + CRLF.length };
};

const readTrailers = (bytes: Buffer, from: number): Record<string, string> => {
  const trailers: Record<string, string> = {};
  let position = from;
  while (position < bytes.length) {
    const line = lineAt(bytes, position);
    position = line.next;
    if (line.text === '') break;
    const colon = line.text.indexOf(':');
    if (colon < 1) throw broken('a trailer has no name');
    trailers[line.text.slice(0, colon).trim().toLowerCase()] = line.text.slice(colon + 1).trim();
  }
  return trailers;
};

/** The trailers of a body, held against their signature where there is one to be held against. */
const endOf = (bytes: Buffer, from: number, signatures: ChunkSignatures | undefined): DecodedBody['trailers'] => {
  const { [SIGNATURE_TRAILER]: signature, ...trailers } = readTrailers(bytes, from);
  signatures?.verifyTrailers(trailers, signature);
  return trailers;
};

const CHUNK = /^([0-9a-fA-F]{1,8})(?:;chunk-signature=([0-9a-f]{64})|;.*)?$/;

/** Throws IncompleteBody where the chunks do not add up, and SignatureDoesNotMatch where `signatures` says that one is not right. */
export const decodeAwsChunked = (bytes: Buffer, signatures?: ChunkSignatures): DecodedBody => {
  const parts: Buffer[] = [];
  let position = 0;
  for (;;) {
    const line = lineAt(bytes, position);
    const [, size, signature] = CHUNK.exec(line.text) ?? [];
    if (size === undefined) throw broken('a chunk has no size');
    const start = line.next;
    const end = start + Number.parseInt(size, 16);
    if (end > start && end + CRLF.length > bytes.length) throw broken('a chunk is shorter than it says');
    const chunk = bytes.subarray(start, end);
    signatures?.verifyChunk(chunk, signature);
    if (chunk.length === 0) return { body: Buffer.concat(parts), trailers: endOf(bytes, start, signatures) };
    if (!bytes.subarray(end, end + CRLF.length).equals(CRLF)) throw broken('a chunk is longer than it says');
    parts.push(chunk);
    position = end + CRLF.length;
  }
};
