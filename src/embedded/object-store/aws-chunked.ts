// The body coding `aws-chunked`: chunks of `size[;chunk-signature=…]`, data, a chunk of size 0, then trailer lines. Decoded in
// one go after the body has arrived, because nothing is stored before that anyway.
import { S3Error } from './s3-error.ts';

/** The payload and the trailing headers, lower case. Chunk signatures are not part of either. */
export interface DecodedBody {
  readonly body: Buffer;
  readonly trailers: Readonly<Record<string, string>>;
}

const CRLF = Buffer.from('\r\n');
const LINE_LIMIT_BYTES = 8192;

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

/** Throws IncompleteBody where the chunks do not add up. */
export const decodeAwsChunked = (bytes: Buffer): DecodedBody => {
  const parts: Buffer[] = [];
  let position = 0;
  for (;;) {
    const line = lineAt(bytes, position);
    const size = /^([0-9a-fA-F]{1,8})(;.*)?$/.exec(line.text)?.[1];
    if (size === undefined) throw broken('a chunk has no size');
    const start = line.next;
    const length = Number.parseInt(size, 16);
    if (length === 0) return { body: Buffer.concat(parts), trailers: readTrailers(bytes, start) };
    const end = start + length;
    if (end + CRLF.length > bytes.length) throw broken('a chunk is shorter than it says');
    if (!bytes.subarray(end, end + CRLF.length).equals(CRLF)) throw broken('a chunk is longer than it says');
    parts.push(bytes.subarray(start, end));
    position = end + CRLF.length;
  }
};
