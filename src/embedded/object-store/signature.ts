// Verifies AWS Signature Version 4 in the Authorization header, for stores that were given keys; without keys any signature
// passes unread. The signature covers method, path, query, the signed headers and the declared payload hash; the hash itself is
// held against the body when the body has arrived. Signatures of single chunks are not verified.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { S3Error } from './s3-error.ts';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

interface Authorization {
  readonly accessKeyId: string;
  /** `date/region/service/aws4_request`. */
  readonly scope: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

const PATTERN =
  /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/([^,]+\/aws4_request),\s*SignedHeaders=([^,]+),\s*Signature=([0-9a-f]{64})$/;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const parseAuthorization = (header: string | undefined): Authorization => {
  const match = header === undefined ? null : PATTERN.exec(header);
  if (match === null) throw new S3Error('AccessDenied', 'The request carries no AWS4-HMAC-SHA256 signature.');
  const [, accessKeyId = '', scope = '', signedHeaders = '', signature = ''] = match;
  return { accessKeyId, scope, signedHeaders: signedHeaders.split(';'), signature };
};

const encodeStrictly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

const canonicalQuery = (query: string): string =>
  [...new URLSearchParams(query.replaceAll('+', '%2B'))]
    .map(([name, value]) => `${encodeStrictly(name)}=${encodeStrictly(value)}`)
    .sort()
    .join('&');

const headerText = (request: IncomingMessage, name: string): string =>
  [request.headers[name] ?? ''].flat().join(',').trim().replace(/ +/g, ' ');

const canonicalRequest = (request: IncomingMessage, signedHeaders: readonly string[]): string => {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  const headers = signedHeaders.map((name) => `${name}:${headerText(request, name)}\n`).join('');
  const payload = request.headers['x-amz-content-sha256']?.toString() ?? 'UNSIGNED-PAYLOAD';
  return [request.method, path, canonicalQuery(query), headers, signedHeaders.join(';'), payload].join('\n');
};

/** Throws AccessDenied or SignatureDoesNotMatch. The age of a signature is not looked at: this store lives on loopback. */
export const verifySignature = (request: IncomingMessage, credentials: Credentials): void => {
  const given = parseAuthorization(request.headers.authorization);
  if (given.accessKeyId !== credentials.accessKeyId) {
    throw new S3Error('AccessDenied', 'The access key is not one this store knows.');
  }
  const [date = '', region = '', service = ''] = given.scope.split('/');
  const time = headerText(request, 'x-amz-date');
  const hash = sha256(canonicalRequest(request, given.signedHeaders));
  const dateKey = hmac(`AWS4${credentials.secretAccessKey}`, date);
  const key = hmac(hmac(hmac(dateKey, region), service), 'aws4_request');
  const expected = hmac(key, ['AWS4-HMAC-SHA256', time, given.scope, hash].join('\n'));
  if (!timingSafeEqual(expected, Buffer.from(given.signature, 'hex'))) {
    throw new S3Error('SignatureDoesNotMatch', 'The signature is not the one this request should have.');
  }
};
