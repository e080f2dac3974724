// The signatures of the chunks of an `aws-chunked` body. Each covers its chunk and the signature before it, the first one that of
// the request itself, so a chunk that was changed, left out or moved does not fit into the chain.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { S3Error } from './s3-error.ts';

/** What a verified request leaves for its body. */
export interface SignedRequest {
  /** The signing key of its day, region and service. */
  readonly key: Buffer;
  /** `20261129T160411Z`. */
  readonly time: string;
  /** `date/region/service/aws4_request`. */
  readonly scope: string;
  readonly signature: string;
}

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');
const EMPTY = sha256('');

export class ChunkSignatures {
  readonly #request: SignedRequest;
  readonly #hasTrailers: boolean;
  #previous: string;

  /** `hasTrailers`: that trailing headers come, and are signed as well. */
  constructor(request: SignedRequest, hasTrailers: boolean) {
    this.#request = request;
    this.#hasTrailers = hasTrailers;
    this.#previous = request.signature;
  }

  /** In the order of the body, the empty last one too. Throws SignatureDoesNotMatch. */
  verifyChunk(chunk: Buffer, signature: string | undefined): void {
    this.#verify(['AWS4-HMAC-SHA256-PAYLOAD', ...this.#place(), EMPTY, sha256(chunk)], signature, 'a chunk');
  }

  /** After the last chunk. Throws SignatureDoesNotMatch. */
  verifyTrailers(trailers: Readonly<Record<string, string>>, signature: string | undefined): void {
    if (!this.#hasTrailers) return;
    const lines = Object.entries(trailers).map(([name, value]) => `${name}:${value}\n`);
    this.#verify(['AWS4-HMAC-SHA256-TRAILER', ...this.#place(), sha256(lines.join(''))], signature, 'the trailer');
  }

  #place(): readonly string[] {
    return [this.#request.time, this.#request.scope, this.#previous];
  }

  #verify(signed: readonly string[], given: string | undefined, what: string): void {
    const expected = createHmac('sha256', this.#request.key).update(signed.join('\n')).digest();
    const bytes = Buffer.from(given ?? '', 'hex');
    if (bytes.length !== expected.length || !timingSafeEqual(expected, bytes)) {
      throw new S3Error('SignatureDoesNotMatch', `The signature of ${what} is not the one it should have.`);
    }
    this.#previous = expected.toString('hex');
  }
}
