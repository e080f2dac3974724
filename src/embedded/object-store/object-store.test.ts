// The store as `@aws-sdk/client-s3` sees it, unmodified and with its default settings.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningStore, startStore } from './running-store.ts';
import { parseStoreConfig } from './store-config.ts';

const Bucket = 'records';
const directory = mkdtempSync(join(tmpdir(), 'ackproof-store-'));
const requestLog = join(directory, 'requests.ndjson');
let store: RunningStore;
let s3: S3Client;

const clientOf = (port: number, secretAccessKey = 'secret'): S3Client =>
  new S3Client({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: 'key', secretAccessKey },
  });

const put = async (Key: string, Body: string, conditions: { IfMatch?: string; IfNoneMatch?: string } = {}) =>
  await s3.send(new PutObjectCommand({ Bucket, Key, Body, ...conditions }));

const read = async (Key: string, Range?: string): Promise<string> => {
  const answer = await s3.send(new GetObjectCommand({ Bucket, Key, ...(Range === undefined ? {} : { Range }) }));
  return (await answer.Body?.transformToString()) ?? '';
};

const failure = async (call: Promise<unknown>): Promise<{ readonly name: string; readonly status: number }> => {
  try {
    await call;
  } catch (thrown) {
    const error = thrown as { name: string; $metadata: { httpStatusCode: number } };
    return { name: error.name, status: error.$metadata.httpStatusCode };
  }
  return { name: 'nothing failed', status: 0 };
};

beforeAll(async () => {
  store = await startStore(
    parseStoreConfig({
      directory: join(directory, 'store'),
      listeners: [{ name: 'data' }, { name: 'wal' }],
      buckets: [Bucket],
      requestLog,
      maxObjectBytes: 8 * 1024 * 1024,
    }),
  );
  s3 = clientOf(store.listeners['data']!);
});

afterAll(async () => {
  s3.destroy();
  await store.stop();
  rmSync(directory, { recursive: true });
});

describe('objects', () => {
  test('what was put is what is read, with its type and metadata', async () => {
    await s3.send(
      new PutObjectCommand({ Bucket, Key: 'a/1', Body: 'hello', ContentType: 'text/plain', Metadata: { owner: 'me' } }),
    );
    const answer = await s3.send(new GetObjectCommand({ Bucket, Key: 'a/1', ChecksumMode: 'ENABLED' }));
    expect(await answer.Body?.transformToString()).toBe('hello');
    expect(answer.ContentType).toBe('text/plain');
    expect(answer.Metadata).toEqual({ owner: 'me' });
    expect(answer.ETag).toBe('"5d41402abc4b2a76b9719d911017c592"');
    expect(answer.ChecksumCRC32).toBe('NhCmhg==');
  });

  test('a streamed upload in aws-chunked coding is stored without its framing', async () => {
    const body = Buffer.alloc(300_000, 'streamed ');
    const Body = Readable.from([body.subarray(0, 100_000), body.subarray(100_000)]);
    await s3.send(new PutObjectCommand({ Bucket, Key: 'streamed', Body, ContentLength: body.length }));
    const answer = await s3.send(new GetObjectCommand({ Bucket, Key: 'streamed', ChecksumMode: 'ENABLED' }));
    expect(Buffer.from((await answer.Body?.transformToByteArray()) ?? []).equals(body)).toBe(true);
    expect(answer.ContentEncoding).toBeUndefined();
  });

  test('an empty object is an object', async () => {
    await put('empty', '');
    expect(await read('empty')).toBe('');
    expect((await s3.send(new HeadObjectCommand({ Bucket, Key: 'empty' }))).ContentLength).toBe(0);
  });

  test('many objects are deleted by one request, those that were never there too', async () => {
    const keys = ['many/1', 'many/<&>"\'2', 'many/never'];
    for (const key of keys.slice(0, 2)) await put(key, 'x');
    const Objects = keys.map((Key) => ({ Key }));
    const { Deleted } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expect(Deleted?.map(({ Key }) => Key)).toEqual(keys);
    for (const key of keys) expect(await failure(read(key))).toEqual({ name: 'NoSuchKey', status: 404 });
  });

  test('a deleted object is gone, and deleting it again is a success', async () => {
    await put('short-lived', 'x');
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'short-lived' }));
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'short-lived' }));
    expect(await failure(read('short-lived'))).toEqual({ name: 'NoSuchKey', status: 404 });
    expect(await failure(s3.send(new HeadObjectCommand({ Bucket, Key: 'short-lived' })))).toEqual({
      name: 'NotFound',
      status: 404,
    });
  });

  test('a key may be any text and stays inside the store', async () => {
    const keys = [
      '../../escape',
      '..',
      'a//b',
      ' spaced +&?#%25 ',
      'ключ/鍵/🔑',
      'quote\'"<&>',
      `long/${'é'.repeat(400)}`,
    ];
    for (const key of keys) await put(key, `body of ${key}`);
    for (const key of keys) expect(await read(key)).toBe(`body of ${key}`);
    const listed = await s3.send(new ListObjectsV2Command({ Bucket }));
    expect(listed.Contents?.map((object) => object.Key)).toEqual(expect.arrayContaining(keys));
  });

  test('a key of more than 1,024 bytes and an object over the limit are refused', async () => {
    expect(await failure(put('k'.repeat(1025), 'x'))).toEqual({ name: 'KeyTooLongError', status: 400 });
    expect(await failure(put('huge', 'x'.repeat(8 * 1024 * 1024 + 1)))).toMatchObject({ name: 'EntityTooLarge' });
    expect(await failure(read('huge'))).toMatchObject({ name: 'NoSuchKey' });
  });
});

describe('ranges', () => {
  test('every form of one range reads exactly those bytes', async () => {
    await put('ten', '0123456789');
    expect(await read('ten', 'bytes=0-0')).toBe('0');
    expect(await read('ten', 'bytes=3-5')).toBe('345');
    expect(await read('ten', 'bytes=8-')).toBe('89');
    expect(await read('ten', 'bytes=-3')).toBe('789');
    expect(await read('ten', 'bytes=5-1000')).toBe('56789');
    const answer = await s3.send(new GetObjectCommand({ Bucket, Key: 'ten', Range: 'bytes=3-5' }));
    expect(answer.$metadata.httpStatusCode).toBe(206);
    expect(answer.ContentRange).toBe('bytes 3-5/10');
    await answer.Body?.transformToString();
  });

  test('a range that holds no byte is answered 416', async () => {
    await put('ten', '0123456789');
    await put('none', '');
    expect(await failure(read('ten', 'bytes=10-'))).toEqual({ name: 'InvalidRange', status: 416 });
    expect(await failure(read('none', 'bytes=0-0'))).toEqual({ name: 'InvalidRange', status: 416 });
  });

  test('a range of an object too large for memory comes from its file', async () => {
    const body = Buffer.from(Array.from({ length: 400_000 }, (_, index) => index % 251));
    await s3.send(new PutObjectCommand({ Bucket, Key: 'large', Body: body }));
    const answer = await s3.send(new GetObjectCommand({ Bucket, Key: 'large', Range: 'bytes=131070-262150' }));
    expect(Buffer.from((await answer.Body?.transformToByteArray()) ?? []).equals(body.subarray(131070, 262151))).toBe(
      true,
    );
  });
});

describe('conditional writes', () => {
  test('If-None-Match: * creates once', async () => {
    await put('created', 'first', { IfNoneMatch: '*' });
    expect(await failure(put('created', 'second', { IfNoneMatch: '*' }))).toEqual({
      name: 'PreconditionFailed',
      status: 412,
    });
    expect(await read('created')).toBe('first');
  });

  test('of 20 racing creations exactly one wins, and its body is the one that is read', async () => {
    for (let round = 0; round < 10; round++) {
      const key = `race/${round}`;
      const racers = Array.from({ length: 20 }, async (_, racer) => {
        const lost = await failure(put(key, `racer ${racer}`, { IfNoneMatch: '*' }));
        return lost.status === 0 ? racer : undefined;
      });
      const winners = (await Promise.all(racers)).filter((racer) => racer !== undefined);
      expect(winners).toHaveLength(1);
      expect(await read(key)).toBe(`racer ${winners[0]!}`);
    }
  });

  test('of 20 racing replacements of one version exactly one wins', async () => {
    const { ETag } = await put('swapped', 'start');
    const racers = Array.from(
      { length: 20 },
      async (_, racer) => await failure(put('swapped', `racer ${racer}`, { IfMatch: ETag! })),
    );
    const outcomes = (await Promise.all(racers)).map(({ status }) => status);
    expect(outcomes.filter((status) => status === 0)).toHaveLength(1);
    expect(outcomes.filter((status) => status === 412)).toHaveLength(19);
  });

  test('If-Match on an object that is not there is answered 404', async () => {
    expect(await failure(put('never', 'x', { IfMatch: '"abc"' }))).toEqual({ name: 'NoSuchKey', status: 404 });
  });

  test('DELETE with If-Match removes only the version it names', async () => {
    const { ETag } = await put('guarded', 'one');
    await put('guarded', 'two');
    const stale = s3.send(new DeleteObjectCommand({ Bucket, Key: 'guarded', IfMatch: ETag! }));
    expect(await failure(stale)).toMatchObject({ status: 412 });
    expect(await read('guarded')).toBe('two');
  });
});

describe('listing', () => {
  test('pages come in order of UTF-8 bytes, with prefix and delimiter', async () => {
    for (const key of ['l/b', 'l/a/2', 'l/a/1', 'l/c/1', 'l/\u{ffee}', 'l/\u{10000}', 'm']) await put(key, key);
    const first = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'l/', Delimiter: '/', MaxKeys: 2 }));
    expect(first.CommonPrefixes?.map(({ Prefix }) => Prefix)).toEqual(['l/a/']);
    expect(first.Contents?.map(({ Key }) => Key)).toEqual(['l/b']);
    expect(first.IsTruncated).toBe(true);
    const rest = await s3.send(
      new ListObjectsV2Command({
        Bucket,
        Prefix: 'l/',
        Delimiter: '/',
        ContinuationToken: first.NextContinuationToken!,
      }),
    );
    expect(rest.CommonPrefixes?.map(({ Prefix }) => Prefix)).toEqual(['l/c/']);
    expect(rest.Contents?.map(({ Key }) => Key)).toEqual(['l/\u{ffee}', 'l/\u{10000}']);
    expect(rest.IsTruncated).toBe(false);
  });

  test('keys that exist the whole time are listed once each while others come and go', async () => {
    const name = (index: number): string => `steady/${String(index).padStart(4, '0')}`;
    const steady = Array.from({ length: 60 }, (_, index) => name(index * 2));
    for (const key of steady) await put(key, 'x');
    const seen: string[] = [];
    let churn = 0;
    for await (const page of paginateListObjectsV2({ client: s3, pageSize: 7 }, { Bucket, Prefix: 'steady/' })) {
      seen.push(...(page.Contents ?? []).map(({ Key }) => Key!));
      for (let step = 0; step < 5; step++) {
        await put(name(churn * 2 + 1), 'y');
        if (churn > 0) await s3.send(new DeleteObjectCommand({ Bucket, Key: name(churn * 2 - 1) }));
        churn += 1;
      }
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((key) => steady.includes(key))).toEqual(steady);
  });

  test('StartAfter begins behind that key', async () => {
    for (const key of ['s/1', 's/2', 's/3']) await put(key, key);
    const page = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 's/', StartAfter: 's/1' }));
    expect(page.Contents?.map(({ Key }) => Key)).toEqual(['s/2', 's/3']);
  });
});

describe('buckets', () => {
  test('a bucket can be created and seen; one that is not there is told', async () => {
    await s3.send(new CreateBucketCommand({ Bucket: 'another' }));
    await s3.send(new HeadBucketCommand({ Bucket: 'another' }));
    const listed = await s3.send(new ListBucketsCommand({}));
    expect(listed.Buckets?.map(({ Name }) => Name)).toEqual(['another', Bucket]);
    expect(await failure(s3.send(new GetObjectCommand({ Bucket: 'absent', Key: 'x' })))).toEqual({
      name: 'NoSuchBucket',
      status: 404,
    });
  });
});

describe('evidence', () => {
  test('the request log tells listener, operation, key, range and client, in memory and in the file', async () => {
    const admin = `http://127.0.0.1:${store.adminPort}/_ackproof`;
    const mark = (await (await fetch(`${admin}/requests?since=999999999`)).json()) as { next: number };
    await put('evidence', '0123456789');
    await fetch(`http://127.0.0.1:${store.listeners['wal']!}/${Bucket}/evidence`, {
      headers: { range: 'bytes=2-4', 'x-ackproof-client': 'broker-1' },
    }).then(async (answer) => await answer.text());
    const page = (await (await fetch(`${admin}/requests?since=${mark.next}`)).json()) as {
      requests: Record<string, unknown>[];
    };
    const expected = [
      { listener: 'data', op: 'PutObject', key: 'evidence', status: 200, client: null, range: null, aborted: false },
      {
        listener: 'wal',
        op: 'GetObject',
        key: 'evidence',
        status: 206,
        range: [2, 4],
        responseBytes: 3,
        client: 'broker-1',
      },
    ];
    expect(page.requests).toMatchObject(expected);
    await expect
      .poll(() =>
        readFileSync(requestLog, 'utf8')
          .trimEnd()
          .split('\n')
          .slice(-2)
          .map((line) => JSON.parse(line) as unknown),
      )
      .toMatchObject(expected);
    const counters = (await (await fetch(`${admin}/counters`)).json()) as {
      listeners: Record<string, Record<string, Record<string, number>>>;
    };
    expect(counters.listeners['wal']?.['GetObject']?.['206']).toBe(1);
  });
});

describe('signatures', () => {
  test('a store with keys takes requests signed with them and no others', async () => {
    const guarded = await startStore(
      parseStoreConfig({
        directory: join(directory, 'guarded'),
        listeners: [{ name: 'data' }],
        buckets: [Bucket],
        credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
      }),
    );
    const right = clientOf(guarded.listeners['data']!);
    const wrong = clientOf(guarded.listeners['data']!, 'guess');
    try {
      const Key = "odd key +&='()*!/é";
      await right.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
      await right.send(new ListObjectsV2Command({ Bucket, Prefix: "odd key +&='()*!" }));
      const refused = await failure(wrong.send(new PutObjectCommand({ Bucket, Key, Body: 'y' })));
      expect(refused).toEqual({ name: 'SignatureDoesNotMatch', status: 403 });
      const unsigned = await fetch(
        `http://127.0.0.1:${guarded.listeners['data']!}/${Bucket}/${encodeURIComponent(Key)}`,
      );
      expect(unsigned.status).toBe(403);
      expect(await unsigned.text()).toContain('<Code>AccessDenied</Code>');
    } finally {
      right.destroy();
      wrong.destroy();
      await guarded.stop();
    }
  });
});
