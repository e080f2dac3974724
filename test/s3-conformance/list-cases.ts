// ListObjectsV2: order, pages, prefix, delimiter, encoding, and keys that come and go between pages.
import {
  DeleteObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import type { S3Case, Session } from './endpoint.ts';
import { put } from './object-cases.ts';

/** Keys and common prefixes of all pages, without the prefix of the case. */
const listAll = async (
  { s3, Bucket, key }: Session,
  input: Omit<ListObjectsV2CommandInput, 'Bucket' | 'Prefix'> & { readonly below?: string },
  pageSize = 1000,
): Promise<{ readonly keys: readonly string[]; readonly prefixes: readonly string[] }> => {
  const { below = '', ...more } = input;
  const keys: string[] = [];
  const prefixes: string[] = [];
  const request = { Bucket, Prefix: key(below), ...more };
  for await (const page of paginateListObjectsV2({ client: s3, pageSize }, request)) {
    expect(page.KeyCount).toBe((page.Contents ?? []).length + (page.CommonPrefixes ?? []).length);
    expect(page.KeyCount).toBeLessThanOrEqual(pageSize);
    keys.push(...(page.Contents ?? []).map(({ Key }) => Key!.slice(key('').length)));
    prefixes.push(...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix!.slice(key('').length)));
  }
  return { keys, prefixes };
};

export const listCases: readonly S3Case[] = [
  {
    title: 'pages come in the order of UTF-8 bytes, each key once, whatever their size',
    run: async (session) => {
      const names = ['a', 'a/1', 'a/2', 'b', '\u{ffee}', '\u{10000}', 'é'];
      for (const name of names) await put(session, name, name);
      const ordered = [...names].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
      for (const size of [1, 2, 3, 1000]) expect((await listAll(session, {}, size)).keys).toEqual(ordered);
    },
  },
  {
    title: 'keys below a delimiter are one common prefix, on whatever page',
    run: async (session) => {
      for (const name of ['l/b', 'l/a/2', 'l/a/1', 'l/c/1', 'l/d', 'm']) await put(session, name, name);
      for (const size of [1, 2, 1000]) {
        const found = await listAll(session, { below: 'l/', Delimiter: '/' }, size);
        expect(found).toEqual({ keys: ['l/b', 'l/d'], prefixes: ['l/a/', 'l/c/'] });
      }
    },
  },
  {
    title: 'StartAfter begins behind that key',
    run: async (session) => {
      for (const name of ['s/1', 's/2', 's/3']) await put(session, name, name);
      expect((await listAll(session, { StartAfter: session.key('s/1') })).keys).toEqual(['s/2', 's/3']);
    },
  },
  {
    title: 'an entry tells size, ETag and time; a page its marks',
    run: async (session) => {
      const { s3, Bucket, key } = session;
      const etag = await put(session, 'one', '12345');
      await put(session, 'two', '12');
      const page = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: key(''), MaxKeys: 1 }));
      expect(page).toMatchObject({ Name: Bucket, IsTruncated: true, KeyCount: 1, MaxKeys: 1 });
      expect(page.NextContinuationToken).toMatch(/./);
      expect(page.Contents?.[0]).toMatchObject({ Key: key('one'), Size: 5, ETag: etag });
      expect(page.Contents?.[0]?.LastModified).toBeInstanceOf(Date);
    },
  },
  {
    title: 'names are percent-encoded where they are asked to be',
    run: async (session) => {
      const { s3, Bucket, key } = session;
      const name = 'é +%/x';
      await put(session, name, 'x');
      const input = { Bucket, Prefix: key(''), EncodingType: 'url' } as const;
      const { Contents, EncodingType } = await s3.send(new ListObjectsV2Command(input));
      expect(EncodingType).toBe('url');
      const [{ Key = '' } = {}] = Contents ?? [];
      expect(Key).toMatch(/^[\x21-\x7e]+$/);
      expect(decodeURIComponent(Key.replaceAll('+', '%20'))).toBe(key(name));
    },
  },
  {
    title: 'keys that exist the whole time are listed once each while others come and go',
    run: async (session) => {
      const { s3, Bucket, key } = session;
      const name = (index: number): string => `steady/${String(index).padStart(4, '0')}`;
      const steady = Array.from({ length: 30 }, (_, index) => name(index * 2));
      for (const each of steady) await put(session, each, 'x');
      const seen: string[] = [];
      let churn = 0;
      for await (const page of paginateListObjectsV2({ client: s3, pageSize: 7 }, { Bucket, Prefix: key('steady/') })) {
        seen.push(...(page.Contents ?? []).map(({ Key }) => Key!.slice(key('').length)));
        for (let step = 0; step < 3; step++) {
          await put(session, name(churn * 2 + 1), 'y');
          if (churn > 0) await s3.send(new DeleteObjectCommand({ Bucket, Key: key(name(churn * 2 - 1)) }));
          churn += 1;
        }
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((each) => steady.includes(each))).toEqual(steady);
    },
  },
  {
    title: 'no keys below a prefix are an empty page',
    run: async (session) => {
      expect(await listAll(session, { below: 'nothing/' })).toEqual({ keys: [], prefixes: [] });
    },
  },
];
