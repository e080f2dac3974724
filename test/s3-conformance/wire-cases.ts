// What is seen on the wire only: signed chunks, trailers, 100-continue, presigned addresses, error documents, checksums by name.
import { createHash, createHmac } from 'node:crypto';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import { failureOf, patternOf, type S3Case, type S3Endpoint, type Session } from './endpoint.ts';
import { bytesOf, digestOf } from './object-cases.ts';
import { converse, type RawAnswer, type RawRequest, signChunks, signHead } from './raw-request.ts';

const CLOSE = { connection: 'close' };

const chunkedPut = async (
  { endpoint, key }: Session,
  name: string,
  chunks: readonly Buffer[],
  options: { readonly trailers?: Readonly<Record<string, string>>; readonly spoil?: (body: Buffer) => Buffer } = {},
): Promise<RawAnswer> => {
  const { trailers = {}, spoil = (body: Buffer) => body } = options;
  const names = Object.keys(trailers);
  const payload = `STREAMING-AWS4-HMAC-SHA256-PAYLOAD${names.length === 0 ? '' : '-TRAILER'}`;
  const decoded = String(chunks.reduce((sum, { length }) => sum + length, 0));
  const headersOf = (length: number): NonNullable<RawRequest['headers']> => ({
    ...CLOSE,
    'content-encoding': 'aws-chunked',
    'content-length': String(length),
    'x-amz-decoded-content-length': decoded,
    ...(names.length === 0 ? {} : { 'x-amz-trailer': names.join(',') }),
  });
  const request = { method: 'PUT', key: key(name), payload };
  const { length } = signChunks(signHead(endpoint, { ...request, headers: headersOf(0) }), chunks, trailers);
  const head = signHead(endpoint, { ...request, headers: headersOf(length) });
  return await converse(endpoint, head.text, spoil(signChunks(head, chunks, trailers)));
};

/** An address that whoever has it may use for a while. */
const presign = (endpoint: S3Endpoint, key: string, signedAtMs: number): string => {
  const time = new Date(signedAtMs).toISOString().replace(/[-:]|\.\d+/g, '');
  const scope = `${time.slice(0, 8)}/${endpoint.region}/s3/aws4_request`;
  const url = new URL(`/${endpoint.bucket}/${key}`, endpoint.url);
  const query = new URLSearchParams({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${endpoint.accessKeyId}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': '600',
    'X-Amz-SignedHeaders': 'host',
  });
  const canonical = ['GET', url.pathname, query.toString(), `host:${url.host}\n`, 'host', 'UNSIGNED-PAYLOAD'].join(
    '\n',
  );
  const hmac = (secret: string | Buffer, text: string): Buffer => createHmac('sha256', secret).update(text).digest();
  const parts = [time.slice(0, 8), endpoint.region, 's3', 'aws4_request'];
  const signingKey = parts.reduce<string | Buffer>(hmac, `AWS4${endpoint.secretAccessKey}`);
  const hash = createHash('sha256').update(canonical).digest('hex');
  const signature = hmac(signingKey, ['AWS4-HMAC-SHA256', time, scope, hash].join('\n')).toString('hex');
  return `${url.href}?${query.toString()}&X-Amz-Signature=${signature}`;
};

const CHUNKS = [patternOf(65_536, 1), patternOf(65_536, 2), patternOf(777, 3)];

/** Of `hello`, by the name of the SDK's parameter. */
const SUMS = {
  ChecksumCRC32: 'NhCmhg==',
  ChecksumCRC32C: 'mnG7TA==',
  ChecksumSHA1: 'qvTGHdzF6KLavt4PO0gs2a6pQ00=',
  ChecksumSHA256: createHash('sha256').update('hello').digest('base64'),
};

export const wireCases: readonly S3Case[] = [
  {
    title: 'chunks with signatures of their own are stored without their framing',
    run: async (session) => {
      const answer = await chunkedPut(session, 'signed', CHUNKS);
      expect(answer.statuses).toEqual([200]);
      expect(digestOf(await bytesOf(session, 'signed'))).toBe(digestOf(Buffer.concat(CHUNKS)));
    },
  },
  {
    title: 'a trailer with a signature of its own holds the checksum of the body',
    run: async (session) => {
      const trailers = { 'x-amz-checksum-crc32': 'NhCmhg==' };
      expect((await chunkedPut(session, 'trailed', [Buffer.from('hello')], { trailers })).statuses).toEqual([200]);
      expect((await bytesOf(session, 'trailed')).toString()).toBe('hello');
      const wrong = await chunkedPut(session, 'wrong', [Buffer.from('hallo')], { trailers });
      expect(wrong.statuses).toEqual([400]);
      expect(await failureOf(bytesOf(session, 'wrong'))).toMatchObject({ name: 'NoSuchKey' });
    },
  },
  {
    title: 'a chunk that was changed on the way is refused, and nothing is stored',
    run: async (session) => {
      const spoil = (body: Buffer): Buffer => {
        const spoilt = Buffer.from(body);
        spoilt[70_000] = spoilt[70_000]! ^ 1;
        return spoilt;
      };
      const answer = await chunkedPut(session, 'spoilt', CHUNKS, { spoil });
      expect(answer.statuses).toEqual([403]);
      expect(answer.text).toContain('<Code>SignatureDoesNotMatch</Code>');
      expect(await failureOf(bytesOf(session, 'spoilt'))).toMatchObject({ name: 'NoSuchKey' });
    },
  },
  {
    title: 'a body that waits is invited by 100 where it is wanted, and stored',
    run: async (session) => {
      const { endpoint, key } = session;
      const headers = { ...CLOSE, expect: '100-continue', 'content-length': '5' };
      const { text } = signHead(endpoint, { method: 'PUT', key: key('waited'), headers });
      expect((await converse(endpoint, text, Buffer.from('hello'), 'when invited')).statuses).toEqual([100, 200]);
      expect((await bytesOf(session, 'waited')).toString()).toBe('hello');
    },
  },
  {
    title: 'a body that waits and may not be stored is not invited',
    run: async ({ endpoint, key }) => {
      const headers = { ...CLOSE, expect: '100-continue', 'content-length': '5' };
      const wrong = { ...endpoint, secretAccessKey: `${endpoint.secretAccessKey}-and-more` };
      const { text } = signHead(wrong, { method: 'PUT', key: key('unwanted'), headers });
      expect((await converse(endpoint, text, Buffer.from('hello'), 'when invited')).statuses).toEqual([403]);
    },
  },
  {
    title: 'an error is a document with code, message and the id of the request',
    run: async ({ endpoint, key, s3, Bucket }) => {
      const { text } = signHead(endpoint, { method: 'GET', key: key('nothing'), headers: CLOSE });
      const answer = await converse(endpoint, text);
      expect(answer.statuses).toEqual([404]);
      expect(answer.text).toMatch(/content-type: application\/xml/i);
      expect(answer.text).toMatch(/<Error>.*<Code>NoSuchKey<\/Code>.*<Message>[^<]+<\/Message>/s);
      const thrown: unknown = await s3
        .send(new GetObjectCommand({ Bucket, Key: key('nothing') }))
        .catch((e: unknown) => e);
      expect(thrown).toMatchObject({
        name: 'NoSuchKey',
        $metadata: { requestId: expect.stringMatching(/./) as string },
      });
    },
  },
  {
    title: 'a signature with another key, of another time, or none is refused by name',
    run: async ({ endpoint, key }) => {
      const request = { method: 'GET', key: key('nothing'), headers: CLOSE };
      const codeOf = async (text: string): Promise<string> => {
        const answer = await converse(endpoint, text);
        return `${answer.statuses.join()} ${/<Code>(.*?)<\/Code>/.exec(answer.text)?.[1] ?? ''}`;
      };
      const other = { ...endpoint, secretAccessKey: 'not-the-secret-at-all' };
      expect(await codeOf(signHead(other, request).text)).toBe('403 SignatureDoesNotMatch');
      const unknown = { ...endpoint, accessKeyId: 'nobody-here' };
      expect(await codeOf(signHead(unknown, request).text)).toBe('403 InvalidAccessKeyId');
      const hourAgo = signHead(endpoint, { ...request, signedAtMs: Date.now() - 3_600_000 });
      expect(await codeOf(hourAgo.text)).toBe('403 RequestTimeTooSkewed');
      const unsigned = signHead(endpoint, request).text.replace(/^authorization:.*\r\n/m, '');
      expect(await codeOf(unsigned)).toMatch(/^403 AccessDenied/);
    },
  },
  {
    title: 'a presigned address is read by whoever has it, while it holds',
    run: async (session) => {
      const { endpoint, key, s3, Bucket } = session;
      await s3.send(new PutObjectCommand({ Bucket, Key: key('shared'), Body: 'for everybody' }));
      const fresh = await fetch(presign(endpoint, key('shared'), Date.now()));
      expect([fresh.status, await fresh.text()]).toEqual([200, 'for everybody']);
      const stale = await fetch(presign(endpoint, key('shared'), Date.now() - 3_600_000));
      expect(stale.status).toBe(403);
      await stale.text();
    },
  },
  {
    title: 'every checksum that is sent is checked, kept and told to readers who ask',
    run: async ({ s3, Bucket, key }) => {
      for (const [name, value] of Object.entries(SUMS)) {
        const Key = key(name);
        const checksum = { [name]: value };
        await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'hello', ...checksum }));
        const answer = await s3.send(new GetObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
        expect(await answer.Body?.transformToString()).toBe('hello');
        expect(answer).toMatchObject(checksum);
        const other = new PutObjectCommand({ Bucket, Key: key('no'), Body: 'hallo', ...checksum });
        expect(await failureOf(s3.send(other))).toMatchObject({ status: 400 });
      }
      expect(await failureOf(s3.send(new GetObjectCommand({ Bucket, Key: key('no') })))).toMatchObject({ status: 404 });
    },
  },
  {
    title: 'CRC-64/NVME too',
    needs: 'crc64nvme',
    run: async ({ s3, Bucket, key }) => {
      const Body = '123456789';
      const ChecksumCRC64NVME = 'rosUhgp5mIg=';
      await s3.send(new PutObjectCommand({ Bucket, Key: key('nvme'), Body, ChecksumCRC64NVME }));
      const wrong = new PutObjectCommand({ Bucket, Key: key('no'), Body: '12345678', ChecksumCRC64NVME });
      expect(await failureOf(s3.send(wrong))).toMatchObject({ status: 400 });
    },
  },
];
