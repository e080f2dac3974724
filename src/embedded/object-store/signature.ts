// Verifies AWS Signature Version 4, in the Authorization header or in the query of a presigned address, for stores that were
// given keys; without keys any signature passes unread. The signature covers method, path, query, the signed headers and the
// declared payload hash; the hash itself, and the signatures of single chunks, are held against the body when that has arrived.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { wallOfIsoTime } from '../../clock.ts';
import type { SignedRequest } from './chunk-signatures.ts';
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
  /** `20261129T160411Z`. */
  readonly time: string;
  readonly payload: string;
  /** How long a presigned address holds, s; absent of a header. */
  readonly expiresSeconds?: number;
}

/** What S3 allows clocks to differ by. */
const SKEW_MS = 15 * 60_000;

const PATTERN =
  /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/([^,]+\/aws4_request),\s*SignedHeaders=([^,]+),\s*Signature=([0-9a-f]{64})$/;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const splitUrl = (request: IncomingMessage): readonly [path: string, query: string] => {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  return [path, query];
};

const parametersOf = (query: string): URLSearchParams => new URLSearchParams(query.replaceAll('+', '%2B'));

const unsigned = (): S3Error => new S3Error('AccessDenied', 'The request carries no AWS4-HMAC-SHA256 signature.');

const ofHeader = (request: IncomingMessage): Authorization => {
  const match = PATTERN.exec(request.headers.authorization ?? '');
  if (match === null) throw unsigned();
  const [, accessKeyId = '', scope = '', signedHeaders = '', signature = ''] = match;
  return {
    accessKeyId,
    scope,
    signedHeaders: signedHeaders.split(';'),
    signature,
    time: headerText(request, 'x-amz-date'),
    payload: request.headers['x-amz-content-sha256']?.toString() ?? 'UNSIGNED-PAYLOAD',
  };
};

/** Undefined where the query carries no signature. */
const ofQuery = (request: IncomingMessage): Authorization | undefined => {
  const query = parametersOf(splitUrl(request)[1]);
  if (!query.has('X-Amz-Signature')) return undefined;
  const of = (name: string): string => query.get(`X-Amz-${name}`) ?? '';
  const [accessKeyId = '', ...scope] = of('Credential').split('/');
  if (of('Algorithm') !== 'AWS4-HMAC-SHA256' || !/^[0-9a-f]{64}$/.test(of('Signature'))) throw unsigned();
  return {
    accessKeyId,
    scope: scope.join('/'),
    signedHeaders: of('SignedHeaders').split(';'),
    signature: of('Signature'),
    time: of('Date'),
    payload: 'UNSIGNED-PAYLOAD',
    expiresSeconds: Number(of('Expires')),
  };
};

const encodeStrictly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

const compareText = (one: string, other: string): number => Number(one > other) - Number(one < other);

const canonicalQuery = (query: string): string =>
  [...parametersOf(query)]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => [encodeStrictly(name), encodeStrictly(value)] as const)
    .sort(([one, first], [other, second]) => compareText(one, other) || compareText(first, second))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

const headerText = (request: IncomingMessage, name: string): string =>
  [request.headers[name] ?? ''].flat().join(',').trim().replace(/ +/g, ' ');

const canonicalRequest = (request: IncomingMessage, { signedHeaders, payload }: Authorization): string => {
  const [path, query] = splitUrl(request);
  const headers = signedHeaders.map((name) => `${name}:${headerText(request, name)}\n`).join('');
  return [request.method, path, canonicalQuery(query), headers, signedHeaders.join(';'), payload].join('\n');
};

/** Throws RequestTimeTooSkewed, or AccessDenied for a presigned address that holds no more. */
const assertTimely = ({ time, expiresSeconds }: Authorization, wallMs: number): void => {
  const signedAt = wallOfIsoTime(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (signedAt === undefined) throw new S3Error('AccessDenied', 'The request does not say when it was signed.');
  if (expiresSeconds !== undefined && !(wallMs <= signedAt + expiresSeconds * 1000)) {
    throw new S3Error('AccessDenied', 'The presigned address holds no more.');
  }
  const isFuture = signedAt > wallMs + SKEW_MS;
  if (isFuture || (expiresSeconds === undefined && signedAt < wallMs - SKEW_MS)) {
    const message = 'The difference between the time of the request and that of this store is too large.';
    throw new S3Error('RequestTimeTooSkewed', message);
  }
};

/** Throws AccessDenied, InvalidAccessKeyId, RequestTimeTooSkewed or SignatureDoesNotMatch. */
export const verifySignature = (request: IncomingMessage, credentials: Credentials, wallMs: number): SignedRequest => {
  const given = ofQuery(request) ?? ofHeader(request);
  if (given.accessKeyId !== credentials.accessKeyId) {
    throw new S3Error('InvalidAccessKeyId', 'The access key is not one this store knows.');
  }
  const { time, scope, signature } = given;
  assertTimely(given, wallMs);
  const [date = '', region = '', service = ''] = scope.split('/');
  const hash = sha256(canonicalRequest(request, given));
  const dateKey = hmac(`AWS4${credentials.secretAccessKey}`, date);
  const key = hmac(hmac(hmac(dateKey, region), service), 'aws4_request');
  const expected = hmac(key, ['AWS4-HMAC-SHA256', time, scope, hash].join('\n'));
  if (!timingSafeEqual(expected, Buffer.from(signature, 'hex'))) {
    throw new S3Error('SignatureDoesNotMatch', 'The signature is not the one this request should have.');
  }
  return { key, time, scope, signature };
};
