// `@aws-sdk/client-s3` as it comes, with a store that checks its signatures: what it is told is the same past the proxy and through it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningStore, startStore } from '../../src/embedded/object-store/running-store.ts';
import { parseStoreConfig } from '../../src/embedded/object-store/store-config.ts';
import { type RunningS3Proxy, startS3Proxy } from '../../src/s3-proxy/s3-proxy.ts';
import { bareCaller } from '../support/bare-sockets.ts';

const Bucket = 'records';
const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
const directory = mkdtempSync(join(tmpdir(), 'ackproof-sdk-'));
let store: RunningStore;
let proxy: RunningS3Proxy;
const clients: S3Client[] = [];

const clientOf = (port: number, secretAccessKey = 'secret'): S3Client => {
  const client = new S3Client({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { ...credentials, secretAccessKey },
  });
  clients.push(client);
  return client;
};

beforeAll(async () => {
  const config = { directory, listeners: [{ name: 'data' }], buckets: [Bucket], credentials };
  store = await startStore(parseStoreConfig(config));
  const upstream = { protocol: 'http' as const, host: '127.0.0.1', port: store.listeners['data']! };
  proxy = await startS3Proxy({ listeners: [{ name: 'data', upstream }] });
});
afterAll(async () => {
  for (const client of clients) client.destroy();
  await proxy.stop();
  await store.stop();
  rmSync(directory, { recursive: true });
});

/** Without what no two answers have in common. */
const told = (answer: object): Record<string, unknown> => {
  const { $metadata, Contents, ...rest } = answer as Record<string, unknown> & {
    $metadata: { httpStatusCode: number };
    Contents?: readonly { readonly Key: string }[];
  };
  const keys = Contents === undefined ? {} : { keys: Contents.map(({ Key }) => Key) };
  return { ...rest, ...keys, LastModified: undefined, status: $metadata.httpStatusCode };
};

const refusalIn = (thrown: unknown): Record<string, unknown> => {
  const { name, $metadata } = thrown as Error & { $metadata: { httpStatusCode: number } };
  return { name, status: $metadata.httpStatusCode };
};

const outcome = async (call: Promise<object>): Promise<Record<string, unknown>> => {
  try {
    return told(await call);
  } catch (thrown) {
    return refusalIn(thrown);
  }
};

const read = async (s3: S3Client, Key: string, more: object = {}): Promise<Record<string, unknown>> => {
  try {
    const { Body, ...answer } = await s3.send(new GetObjectCommand({ Bucket, Key, ...more }));
    return { ...told(answer), text: await Body?.transformToString() };
  } catch (thrown) {
    return refusalIn(thrown);
  }
};

type Step = (s3: S3Client, prefix: string) => Promise<unknown>;

const body = 'a streamed body '.repeat(20_000);
const inPieces = (): Readable =>
  Readable.from([body.slice(0, 70_000), body.slice(70_000)].map((piece) => Buffer.from(piece)));

const steps: Readonly<Record<string, Step>> = {
  'put and get, with metadata and a checksum': async (s3, prefix) => {
    const Key = `${prefix}/a b+c%é`;
    const put = new PutObjectCommand({
      Bucket,
      Key,
      Body: 'hello',
      Metadata: { owner: 'me' },
      ContentType: 'text/plain',
    });
    return [await outcome(s3.send(put)), await read(s3, Key, { ChecksumMode: 'ENABLED' })];
  },
  'a streamed upload, in aws-chunked coding with a trailer': async (s3, prefix) => {
    const put = { Bucket, Key: `${prefix}/streamed`, Body: inPieces(), ContentLength: body.length };
    return [await outcome(s3.send(new PutObjectCommand(put))), await read(s3, put.Key, { ChecksumMode: 'ENABLED' })];
  },
  'a large upload that waits for 100-continue': async (s3, prefix) => {
    const put = new PutObjectCommand({ Bucket, Key: `${prefix}/large`, Body: Buffer.alloc(5 * 1024 ** 2, 'x') });
    return [await outcome(s3.send(put)), (await read(s3, `${prefix}/large`))['ContentLength']];
  },
  ranges: async (s3, prefix) => {
    await s3.send(new PutObjectCommand({ Bucket, Key: `${prefix}/ten`, Body: '0123456789' }));
    const ranges = ['bytes=3-5', 'bytes=7-', 'bytes=-2', 'bytes=50-60'];
    return await Promise.all(ranges.map(async (Range) => await read(s3, `${prefix}/ten`, { Range })));
  },
  conditions: async (s3, prefix) => {
    const put = { Bucket, Key: `${prefix}/once`, Body: '1', IfNoneMatch: '*' };
    const first = await outcome(s3.send(new PutObjectCommand(put)));
    const second = await outcome(s3.send(new PutObjectCommand(put)));
    const IfNoneMatch = first['ETag'] as string;
    return [first, second, await read(s3, put.Key, { IfNoneMatch }), await read(s3, put.Key, { IfMatch: '"x"' })];
  },
  'listing in pages': async (s3, prefix) => {
    for (const key of ['1', '2', '3'])
      await s3.send(new PutObjectCommand({ Bucket, Key: `${prefix}/list/${key}`, Body: key }));
    const list = { Bucket, Prefix: `${prefix}/list/`, MaxKeys: 2 };
    const first = await s3.send(new ListObjectsV2Command(list));
    const second = await s3.send(new ListObjectsV2Command({ ...list, ContinuationToken: first.NextContinuationToken }));
    const keysOf = ({ Contents }: typeof first) => Contents?.map(({ Key }) => Key?.slice(prefix.length));
    return [keysOf(first), first.IsTruncated, keysOf(second), second.IsTruncated];
  },
  'head, delete, and delete of many': async (s3, prefix) => {
    const Key = `${prefix}/gone`;
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
    const head = await outcome(s3.send(new HeadObjectCommand({ Bucket, Key })));
    const one = await outcome(s3.send(new DeleteObjectCommand({ Bucket, Key })));
    const Objects = [{ Key }, { Key: `${prefix}/never` }];
    const { Deleted } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    const after = await outcome(s3.send(new HeadObjectCommand({ Bucket, Key })));
    return [head, one, Deleted?.length, after, await outcome(s3.send(new HeadBucketCommand({ Bucket })))];
  },
  'what the store does not have': async (s3, prefix) => [
    await read(s3, `${prefix}/none`),
    await outcome(s3.send(new HeadBucketCommand({ Bucket: 'none' }))),
    (await outcome(s3.send(new CreateMultipartUploadCommand({ Bucket, Key: `${prefix}/m` }))))['status'],
    (await outcome(s3.send(new CopyObjectCommand({ Bucket, Key: `${prefix}/c`, CopySource: `${Bucket}/none` }))))[
      'status'
    ],
  ],
};

describe('the same past the proxy and through it', () => {
  test.each(Object.entries(steps))('%s', async (_, step) => {
    const past = await step(clientOf(store.listeners['data']!), 'same');
    await cleanUp();
    const through = await step(clientOf(proxy.listeners['data']!.port), 'same');
    await cleanUp();
    expect(through).toEqual(past);
  });

  test('a signature that is wrong', async () => {
    const put = new PutObjectCommand({ Bucket, Key: 'wrong', Body: 'x' });
    const through = await outcome(clientOf(proxy.listeners['data']!.port, 'other').send(put));
    expect(through).toEqual({ name: 'SignatureDoesNotMatch', status: 403 });
  });
});

const cleanUp = async (): Promise<void> => {
  const s3 = clientOf(store.listeners['data']!);
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
  for (const { Key } of Contents) await s3.send(new DeleteObjectCommand({ Bucket, Key }));
};

test('one kept connection serves the client through the whole life of a rule', async () => {
  const s3 = clientOf(proxy.listeners['data']!.port);
  const get = async (): Promise<unknown> => (await read(s3, 'kept'))['status'];
  await s3.send(new PutObjectCommand({ Bucket, Key: 'kept', Body: 'x' }));
  const { acceptedConnections } = (await proxy.control.counters()).listeners['data']!;
  expect(await get()).toBe(200);
  await proxy.control.addRule({
    id: 'slow-down',
    ttlMs: 60_000,
    match: { op: 'GetObject' },
    action: { kind: 'status', status: 503 },
    count: 1,
  });
  expect(await outcome(s3.send(new GetObjectCommand({ Bucket, Key: 'kept' })))).toEqual({
    name: 'SlowDown',
    status: 503,
  });
  expect(await get()).toBe(200);
  expect((await proxy.control.counters()).listeners['data']).toMatchObject({ acceptedConnections });
});

test('chunks that are signed one by one arrive as they were', async () => {
  const open = await startStore(
    parseStoreConfig({ directory: join(directory, 'open'), listeners: [{ name: 'data' }], buckets: [Bucket] }),
  );
  const upstream = { protocol: 'http' as const, host: '127.0.0.1', port: open.listeners['data']! };
  const way = await startS3Proxy({ listeners: [{ name: 'data', upstream }] });
  try {
    const chunk = (size: string, data: string): string => `${size};chunk-signature=${'0a'.repeat(32)}\r\n${data}\r\n`;
    const coded = `${chunk('5', 'hello')}${chunk('6', ' world')}${chunk('0', '')}`;
    const caller = await bareCaller(way.listeners['data']!.port);
    caller.send(
      [
        `PUT /${Bucket}/signed HTTP/1.1`,
        'Host: s3',
        'x-amz-content-sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
        'x-amz-decoded-content-length: 11',
        'content-encoding: aws-chunked',
        `Content-Length: ${coded.length}`,
        '',
        coded,
      ].join('\r\n'),
    );
    await caller.until('200 OK');
    caller.send(`GET /${Bucket}/signed HTTP/1.1\r\nHost: s3\r\n\r\n`);
    await caller.until('hello world');
    caller.socket.destroy();
  } finally {
    await way.stop();
    await open.stop();
  }
});
