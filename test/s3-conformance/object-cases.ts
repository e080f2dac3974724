// Objects as a whole: put, get, head, delete, many at once, odd keys.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import { failureOf, MIB, patternOf, type S3Case, type Session } from './endpoint.ts';

const ODD_NAMES = ['a//b', ' spaced +&?#%25 ', 'ключ/鍵/🔑', 'quote\'"<&>', "=()*!'@:,;$", `long/${'é'.repeat(300)}`];

export const put = async (
  { s3, Bucket, key }: Session,
  name: string,
  Body: string | Uint8Array,
  more: object = {},
): Promise<string> => {
  const { ETag } = await s3.send(new PutObjectCommand({ Bucket, Key: key(name), Body, ...more }));
  expect(ETag).toMatch(/^"[^"]+"$/);
  return ETag!;
};

export const bytesOf = async ({ s3, Bucket, key }: Session, name: string, more: object = {}): Promise<Buffer> => {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: key(name), ...more }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
};

/** Compared by checksum: a difference between megabytes is nothing anybody can read. */
export const digestOf = (bytes: Uint8Array): string =>
  `${bytes.length} bytes, ${createHash('sha256').update(bytes).digest('hex')}`;

export const objectCases: readonly S3Case[] = [
  {
    title: 'what was put is what is read, with its type, headers and metadata',
    run: async (session) => {
      const { s3, Bucket, key } = session;
      const described = {
        ContentType: 'text/plain',
        CacheControl: 'no-store',
        ContentEncoding: 'identity',
        Metadata: { owner: 'me', 'two-words': 'a  b' },
      };
      const etag = await put(session, 'whole', 'hello', described);
      expect(etag).toBe('"5d41402abc4b2a76b9719d911017c592"');
      const answer = await s3.send(new GetObjectCommand({ Bucket, Key: key('whole') }));
      expect(await answer.Body?.transformToString()).toBe('hello');
      expect(answer).toMatchObject({
        ContentType: 'text/plain',
        CacheControl: 'no-store',
        ETag: etag,
        ContentLength: 5,
      });
      expect(answer.Metadata).toMatchObject({ owner: 'me' });
      const head = await s3.send(new HeadObjectCommand({ Bucket, Key: key('whole') }));
      expect(head).toMatchObject({ ContentType: 'text/plain', ETag: etag, ContentLength: 5 });
      expect(Math.abs(Date.now() - head.LastModified!.getTime())).toBeLessThan(15 * 60_000);
    },
  },
  {
    title: 'an empty object is an object',
    run: async (session) => {
      const { s3, Bucket, key } = session;
      await put(session, 'empty', '');
      expect(await bytesOf(session, 'empty')).toHaveLength(0);
      expect((await s3.send(new HeadObjectCommand({ Bucket, Key: key('empty') }))).ContentLength).toBe(0);
    },
  },
  {
    title: 'a body of some megabytes, waited for with 100-continue, comes back as it was',
    run: async (session) => {
      const body = patternOf(9 * MIB + 13);
      await put(session, 'large', body);
      expect(digestOf(await bytesOf(session, 'large'))).toBe(digestOf(body));
    },
  },
  {
    title: 'a stream, sent in chunks with its checksum in a trailer, is stored without its framing',
    run: async (session) => {
      const { s3, Bucket, key } = session;
      const body = patternOf(300_001);
      const Body = Readable.from([body.subarray(0, 100_000), body.subarray(100_000)]);
      await s3.send(new PutObjectCommand({ Bucket, Key: key('streamed'), Body, ContentLength: body.length }));
      const answer = await s3.send(new GetObjectCommand({ Bucket, Key: key('streamed') }));
      expect(digestOf((await answer.Body?.transformToByteArray()) ?? new Uint8Array())).toBe(digestOf(body));
      expect(answer.ContentEncoding ?? '').not.toContain('aws-chunked');
    },
  },
  {
    title: 'the last of two puts is what is read',
    run: async (session) => {
      await put(session, 'twice', 'first');
      const etag = await put(session, 'twice', 'second');
      const { s3, Bucket, key } = session;
      expect((await bytesOf(session, 'twice')).toString()).toBe('second');
      expect((await s3.send(new HeadObjectCommand({ Bucket, Key: key('twice') }))).ETag).toBe(etag);
    },
  },
  {
    title: 'a deleted object is gone, and deleting it again is a success',
    run: async (session) => {
      const { s3, Bucket, key } = session;
      await put(session, 'short-lived', 'x');
      await s3.send(new DeleteObjectCommand({ Bucket, Key: key('short-lived') }));
      await s3.send(new DeleteObjectCommand({ Bucket, Key: key('short-lived') }));
      expect(await failureOf(bytesOf(session, 'short-lived'))).toEqual({ name: 'NoSuchKey', status: 404 });
      const head = s3.send(new HeadObjectCommand({ Bucket, Key: key('short-lived') }));
      expect(await failureOf(head)).toEqual({ name: 'NotFound', status: 404 });
    },
  },
  {
    title: 'a key may be any text',
    run: async (session) => {
      for (const name of ODD_NAMES) await put(session, name, `body of ${name}`);
      for (const name of ODD_NAMES) expect((await bytesOf(session, name)).toString()).toBe(`body of ${name}`);
    },
  },
  {
    title: 'many objects are deleted by one request, those that were never there too',
    run: async (session) => {
      const { s3, Bucket, key } = session;
      const names = ['many/1', 'many/<&>"\'2', 'many/never'];
      for (const name of names.slice(0, 2)) await put(session, name, 'x');
      const Objects = names.map((name) => ({ Key: key(name) }));
      const { Deleted, Errors } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
      expect(Errors ?? []).toEqual([]);
      expect(Deleted?.map(({ Key }) => Key).sort()).toEqual(names.map(key).sort());
      for (const name of names) expect(await failureOf(bytesOf(session, name))).toMatchObject({ name: 'NoSuchKey' });
    },
  },
  {
    title: 'a quiet deletion lists nothing that went well',
    run: async (session) => {
      const { s3, Bucket, key } = session;
      await put(session, 'quiet', 'x');
      const Delete = { Objects: [{ Key: key('quiet') }], Quiet: true };
      expect((await s3.send(new DeleteObjectsCommand({ Bucket, Delete }))).Deleted ?? []).toEqual([]);
      expect(await failureOf(bytesOf(session, 'quiet'))).toMatchObject({ name: 'NoSuchKey' });
    },
  },
  {
    title: 'a bucket that is there is seen, and one that is not is told',
    run: async ({ s3, Bucket }) => {
      await s3.send(new HeadBucketCommand({ Bucket }));
      const absent = 'ackproof-conformance-absent';
      expect(await failureOf(s3.send(new HeadBucketCommand({ Bucket: absent })))).toMatchObject({ status: 404 });
      const get = s3.send(new GetObjectCommand({ Bucket: absent, Key: 'x' }));
      expect(await failureOf(get)).toEqual({ name: 'NoSuchBucket', status: 404 });
    },
  },
];
