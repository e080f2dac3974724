// Reading parts of objects, and reading or changing them on conditions.
import { DeleteObjectCommand, GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import { failureOf, patternOf, type S3Case, type Session } from './endpoint.ts';
import { bytesOf, digestOf, put } from './object-cases.ts';

const textOf = async (session: Session, name: string, Range: string): Promise<string> =>
  (await bytesOf(session, name, { Range })).toString();

const FAILED = { name: 'PreconditionFailed', status: 412 };
const OTHER = '"00000000000000000000000000000000"';

export const rangeCases: readonly S3Case[] = [
  {
    title: 'every form of one range reads exactly those bytes',
    run: async (session) => {
      const { s3, Bucket, key } = session;
      await put(session, 'ten', '0123456789');
      expect(await textOf(session, 'ten', 'bytes=0-0')).toBe('0');
      expect(await textOf(session, 'ten', 'bytes=3-5')).toBe('345');
      expect(await textOf(session, 'ten', 'bytes=8-')).toBe('89');
      expect(await textOf(session, 'ten', 'bytes=-3')).toBe('789');
      expect(await textOf(session, 'ten', 'bytes=5-1000')).toBe('56789');
      const answer = await s3.send(new GetObjectCommand({ Bucket, Key: key('ten'), Range: 'bytes=3-5' }));
      expect(answer).toMatchObject({ ContentRange: 'bytes 3-5/10', ContentLength: 3 });
      expect(answer.$metadata.httpStatusCode).toBe(206);
      await answer.Body?.transformToString();
    },
  },
  {
    title: 'a range that holds no byte is answered 416',
    run: async (session) => {
      await put(session, 'ten', '0123456789');
      expect(await failureOf(textOf(session, 'ten', 'bytes=10-'))).toEqual({ name: 'InvalidRange', status: 416 });
    },
  },
  {
    title: 'ranges of a large object are those bytes, wherever they lie',
    run: async (session) => {
      const body = patternOf(3_000_000);
      await put(session, 'large', body);
      for (const [first, last] of [
        [0, 0],
        [131_071, 262_145],
        [999_999, 2_000_001],
        [2_999_999, 2_999_999],
      ] as const) {
        const read = await bytesOf(session, 'large', { Range: `bytes=${first}-${last}` });
        expect(digestOf(read)).toBe(digestOf(body.subarray(first, last + 1)));
      }
    },
  },
];

export const conditionCases: readonly S3Case[] = [
  {
    title: 'GET and HEAD with If-Match are answered for that version and no other',
    run: async (session) => {
      const { s3, Bucket, key } = session;
      const IfMatch = await put(session, 'version', 'one');
      expect((await bytesOf(session, 'version', { IfMatch })).toString()).toBe('one');
      await s3.send(new HeadObjectCommand({ Bucket, Key: key('version'), IfMatch }));
      expect(await failureOf(bytesOf(session, 'version', { IfMatch: OTHER }))).toEqual(FAILED);
      const head = s3.send(new HeadObjectCommand({ Bucket, Key: key('version'), IfMatch: OTHER }));
      expect(await failureOf(head)).toMatchObject({ status: 412 });
    },
  },
  {
    title: 'GET and HEAD with If-None-Match are answered 304 for the version that the reader has',
    run: async (session) => {
      const { s3, Bucket, key } = session;
      const IfNoneMatch = await put(session, 'version', 'one');
      expect(await failureOf(bytesOf(session, 'version', { IfNoneMatch }))).toMatchObject({ status: 304 });
      const head = s3.send(new HeadObjectCommand({ Bucket, Key: key('version'), IfNoneMatch }));
      expect(await failureOf(head)).toMatchObject({ status: 304 });
      expect((await bytesOf(session, 'version', { IfNoneMatch: OTHER })).toString()).toBe('one');
    },
  },
  {
    title: 'GET by date is answered for what was changed since, or was not',
    run: async (session) => {
      await put(session, 'dated', 'one');
      const past = new Date(Date.now() - 3_600_000);
      expect((await bytesOf(session, 'dated', { IfModifiedSince: past })).toString()).toBe('one');
      expect(await failureOf(bytesOf(session, 'dated', { IfUnmodifiedSince: past }))).toEqual(FAILED);
    },
  },
  {
    title: 'PUT with If-None-Match: * creates once',
    run: async (session) => {
      await put(session, 'created', 'first', { IfNoneMatch: '*' });
      expect(await failureOf(put(session, 'created', 'second', { IfNoneMatch: '*' }))).toEqual(FAILED);
      expect((await bytesOf(session, 'created')).toString()).toBe('first');
    },
  },
  {
    title: 'of 10 racing creations exactly one wins, and its body is the one that is read',
    run: async (session) => {
      const racers = Array.from({ length: 10 }, async (_, racer) => {
        const { status } = await failureOf(put(session, 'race', `racer ${racer}`, { IfNoneMatch: '*' }));
        return { racer, status };
      });
      const outcomes = await Promise.all(racers);
      const winners = outcomes.filter(({ status }) => status === 0);
      expect(winners).toHaveLength(1);
      // 409: the other one is at it just now.
      expect(outcomes.every(({ status }) => [0, 409, 412].includes(status))).toBe(true);
      expect((await bytesOf(session, 'race')).toString()).toBe(`racer ${winners[0]!.racer}`);
    },
  },
  {
    title: 'PUT with If-Match replaces that version and no other, and nothing that is not there',
    run: async (session) => {
      const IfMatch = await put(session, 'swapped', 'one');
      await put(session, 'swapped', 'two', { IfMatch });
      expect(await failureOf(put(session, 'swapped', 'three', { IfMatch }))).toEqual(FAILED);
      expect((await bytesOf(session, 'swapped')).toString()).toBe('two');
      expect(await failureOf(put(session, 'never', 'x', { IfMatch }))).toMatchObject({ status: 404 });
    },
  },
  {
    title: 'DELETE with If-Match removes only the version it names',
    needs: 'conditional-delete',
    run: async (session) => {
      const { s3, Bucket, key } = session;
      const IfMatch = await put(session, 'guarded', 'one');
      await put(session, 'guarded', 'two');
      const stale = s3.send(new DeleteObjectCommand({ Bucket, Key: key('guarded'), IfMatch }));
      expect(await failureOf(stale)).toMatchObject({ status: 412 });
      expect((await bytesOf(session, 'guarded')).toString()).toBe('two');
    },
  },
];
