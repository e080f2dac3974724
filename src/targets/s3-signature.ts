// Signs single requests to S3 (AWS Signature Version 4, in the Authorization header), for canaries that must see every byte of an answer
// and every way in which a connection can end, as no client library shows them.
import { createHash, createHmac } from 'node:crypto';
import { isoTime } from '../clock.ts';
import type { Address } from '../vocabulary.ts';
import type { Secret } from '../wire/secret.ts';

export interface S3Login {
  readonly region: string;
  readonly accessKey: Secret;
  readonly secretKey: Secret;
}

/** What is going to be sent. */
export interface SignableRequest {
  readonly method: string;
  /** Whom it is sent to: the signature covers the Host header. */
  readonly address: Address;
  /** Encoded as it is sent, the query behind a `?`. */
  readonly path: string;
  readonly body?: Uint8Array;
  /** More that is signed, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const HTTP_PORT = 80;

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const hostOf = ({ host, port }: Address): string => (port === HTTP_PORT ? host : `${host}:${port}`);

/** The headers to send with it, beside those that it has; `wallMs` is when. */
export const signatureHeaders = (
  login: S3Login,
  request: SignableRequest,
  wallMs: number,
): Readonly<Record<string, string>> => {
  const { method, address, path, body = '', headers = {} } = request;
  const time = isoTime(wallMs).replaceAll(/[-:]|\.\d+/gu, '');
  const scope = `${time.slice(0, 8)}/${login.region}/s3/aws4_request`;
  const own = { 'x-amz-content-sha256': sha256(body), 'x-amz-date': time };
  const signed = Object.entries({ ...headers, ...own, host: hostOf(address) }).sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  const names = signed.map(([name]) => name).join(';');
  const [resource = '', query = ''] = path.split('?', 2);
  const canonical = [
    method,
    resource,
    query.split('&').sort().join('&'),
    ...signed.map(([name, value]) => `${name}:${value.trim()}`),
    '',
    names,
    own['x-amz-content-sha256'],
  ].join('\n');
  const text = [ALGORITHM, time, scope, sha256(canonical)].join('\n');
  const key = scope
    .split('/')
    .reduce<string | Buffer>((from, part) => hmac(from, part), `AWS4${login.secretKey.reveal()}`);
  const signature = hmac(key as Buffer, text).toString('hex');
  const credential = `${login.accessKey.reveal()}/${scope}`;
  return {
    ...own,
    authorization: `${ALGORITHM} Credential=${credential},SignedHeaders=${names},Signature=${signature}`,
  };
};
