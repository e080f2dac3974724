// CopyObject: what goes along, what is replaced, and on which conditions.
import { CopyObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import { failureOf, patternOf, type S3Case, type Session } from './endpoint.ts';
import { bytesOf, digestOf, put } from './object-cases.ts';

const copy = async ({ s3, Bucket, key }: Session, from: string, to: string, more: object = {}): Promise<string> => {
  const CopySource = `${Bucket}/${encodeURIComponent(key(from))}`;
  const command = new CopyObjectCommand({ Bucket, Key: key(to), CopySource, ...more });
  const { CopyObjectResult } = await s3.send(command);
  expect(CopyObjectResult?.LastModified).toBeInstanceOf(Date);
  return CopyObjectResult!.ETag!;
};

const OTHER = '"00000000000000000000000000000000"';

export const copyCases: readonly S3Case[] = [
  {
    title: 'a copy has the bytes, type and metadata of its source, whatever its key',
    run: async (session) => {
      const { s3, Bucket, key } = session;
      const body = patternOf(700_000);
      const name = "odd +&=()'/é";
      const etag = await put(session, name, body, { ContentType: 'text/plain', Metadata: { owner: 'me' } });
      expect(await copy(session, name, 'copy')).toBe(etag);
      expect(digestOf(await bytesOf(session, 'copy'))).toBe(digestOf(body));
      const head = await s3.send(new HeadObjectCommand({ Bucket, Key: key('copy') }));
      expect(head).toMatchObject({ ContentType: 'text/plain', ETag: etag });
      expect(head.Metadata).toMatchObject({ owner: 'me' });
    },
  },
  {
    title: 'metadata is replaced where that is asked for, also of the object itself',
    run: async (session) => {
      const { s3, Bucket, key } = session;
      await put(session, 'self', 'body', { Metadata: { old: 'yes' } });
      const more = { MetadataDirective: 'REPLACE', ContentType: 'text/css', Metadata: { fresh: 'yes' } };
      await copy(session, 'self', 'self', more);
      const head = await s3.send(new HeadObjectCommand({ Bucket, Key: key('self') }));
      expect(head.ContentType).toBe('text/css');
      expect(head.Metadata).toMatchObject({ fresh: 'yes' });
      expect(head.Metadata).not.toHaveProperty('old');
      expect((await bytesOf(session, 'self')).toString()).toBe('body');
    },
  },
  {
    title: 'a source that is not there, or is another version than was meant, is not copied',
    run: async (session) => {
      const etag = await put(session, 'source', 'body');
      expect(await failureOf(copy(session, 'never', 'to'))).toMatchObject({ name: 'NoSuchKey', status: 404 });
      const failed = { name: 'PreconditionFailed', status: 412 };
      expect(await failureOf(copy(session, 'source', 'to', { CopySourceIfMatch: OTHER }))).toEqual(failed);
      expect(await failureOf(copy(session, 'source', 'to', { CopySourceIfNoneMatch: etag }))).toEqual(failed);
      expect(await failureOf(bytesOf(session, 'to'))).toMatchObject({ name: 'NoSuchKey' });
      await copy(session, 'source', 'to', { CopySourceIfMatch: etag });
      expect((await bytesOf(session, 'to')).toString()).toBe('body');
    },
  },
  {
    title: 'a copy with If-None-Match: * creates once',
    needs: 'conditional-copy',
    run: async (session) => {
      await put(session, 'source', 'body');
      await put(session, 'to', 'was here before');
      const refused = await failureOf(copy(session, 'source', 'to', { IfNoneMatch: '*' }));
      expect(refused).toEqual({ name: 'PreconditionFailed', status: 412 });
      expect((await bytesOf(session, 'to')).toString()).toBe('was here before');
      await copy(session, 'source', 'fresh', { IfNoneMatch: '*' });
      expect((await bytesOf(session, 'fresh')).toString()).toBe('body');
    },
  },
];
