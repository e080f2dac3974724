// Requests as the SDK does not make them, written out on a socket: chunks with signatures of their own, a body that waits to be
// invited, a signature that is wrong. Signed here, by the rules of AWS Signature Version 4, and by no code that is tested.
import { createHash, createHmac } from 'node:crypto';
import { connect } from 'node:net';
import type { S3Endpoint } from './endpoint.ts';

export interface RawRequest {
  readonly method: string;
  /** Not encoded; of harmless characters. */
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** `x-amz-content-sha256`; default `UNSIGNED-PAYLOAD`. */
  readonly payload?: string;
  /** Wall-clock milliseconds; default now. */
  readonly signedAtMs?: number;
}

/** A signed request, and what the signatures of its chunks go on from. */
export interface SignedHead {
  /** Request line and headers, with the empty line behind them. */
  readonly text: string;
  readonly signature: string;
  readonly signingKey: Buffer;
  readonly time: string;
  readonly scope: string;
}

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

export const signHead = (endpoint: S3Endpoint, request: RawRequest): SignedHead => {
  const { host } = new URL(endpoint.url);
  const time = new Date(request.signedAtMs ?? Date.now()).toISOString().replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const scope = `${day}/${endpoint.region}/s3/aws4_request`;
  const payload = request.payload ?? 'UNSIGNED-PAYLOAD';
  const path = `/${endpoint.bucket}/${request.key}`;
  const headers: Record<string, string> = {
    ...request.headers,
    host,
    'x-amz-content-sha256': payload,
    'x-amz-date': time,
  };
  const names = Object.keys(headers).sort();
  const lines = names.map((name) => `${name}:${headers[name]!.trim()}\n`).join('');
  const canonical = [request.method, path, '', lines, names.join(';'), payload].join('\n');
  const signingKey = [endpoint.region, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${endpoint.secretAccessKey}`, day));
  const signature = hmac(signingKey, ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')).toString('hex');
  const credential = `Credential=${endpoint.accessKeyId}/${scope}`;
  const authorization = `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  const written = [...names.map((name) => `${name}: ${headers[name]!}`), `authorization: ${authorization}`];
  const text = [`${request.method} ${path} HTTP/1.1`, ...written, '', ''].join('\r\n');
  return { text, signature, signingKey, time, scope };
};

/** A body of `STREAMING-AWS4-HMAC-SHA256-PAYLOAD`, its trailers too where there are any. */
export const signChunks = (
  { signature, signingKey, time, scope }: SignedHead,
  chunks: readonly Buffer[],
  trailers: Readonly<Record<string, string>> = {},
): Buffer => {
  let previous = signature;
  const sign = (kind: string, ...signed: readonly string[]): string => {
    const text = [`AWS4-HMAC-SHA256-${kind}`, time, scope, previous, ...signed].join('\n');
    previous = hmac(signingKey, text).toString('hex');
    return previous;
  };
  const framed = [...chunks, Buffer.alloc(0)].flatMap((chunk) => {
    const head = `${chunk.length.toString(16)};chunk-signature=${sign('PAYLOAD', sha256(''), sha256(chunk))}\r\n`;
    return [Buffer.from(head), chunk, Buffer.from(chunk.length === 0 ? '' : '\r\n')];
  });
  const lines = Object.entries(trailers).map(([name, value]) => `${name}:${value}`);
  if (lines.length > 0) {
    const signed = sign('TRAILER', sha256(lines.map((line) => `${line}\n`).join('')));
    framed.push(Buffer.from([...lines, `x-amz-trailer-signature:${signed}`, ''].join('\r\n')));
  }
  return Buffer.concat([...framed, Buffer.from('\r\n')]);
};

export interface RawAnswer {
  /** Of the last answer, in order of arrival: `100` before `200` where the server invited the body. */
  readonly statuses: readonly number[];
  /** Everything that was said. */
  readonly text: string;
}

/**
 * Sends a head and, at once or when it is invited by 100, a body. Resolves when a final answer has come and the connection ended,
 * which it does: every request says `connection: close`.
 */
export const converse = async (
  endpoint: S3Endpoint,
  head: string,
  body: Buffer = Buffer.alloc(0),
  sendBody: 'at once' | 'when invited' = 'at once',
): Promise<RawAnswer> => {
  const { hostname, port } = new URL(endpoint.url);
  const text = await new Promise<string>((resolve, reject) => {
    let said = '';
    let isSent = sendBody === 'at once';
    const socket = connect(Number(port), hostname, () =>
      socket.write(isSent ? Buffer.concat([Buffer.from(head), body]) : head),
    );
    socket.on('data', (bytes) => {
      said += bytes.toString('latin1');
      if (isSent || !/^HTTP\/1\.1 100/.test(said)) return;
      isSent = true;
      socket.write(body);
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(said));
  });
  const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
  return { statuses, text };
};
