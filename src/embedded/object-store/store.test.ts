// The store on its directory: what a start makes of what the last process left there.

import { createHash } from 'node:crypto';
import { cpSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, test } from 'vitest';
import { crc32c } from '../../checksum.ts';
import { fileNameOf } from './file-name.ts';
import { encodeObjectFile, type ObjectInfo, writeObjectFile } from './object-file.ts';
import { ObjectStore } from './store.ts';

const root = mkdtempSync(join(tmpdir(), 'ackproof-opened-'));
afterAll(() => rmSync(root, { recursive: true }));

const options = (name: string) => ({ directory: join(root, name), hotObjectBytes: 1024, hotTotalBytes: 4096 });

const infoOf = (key: string, body: Buffer): ObjectInfo => ({
  key,
  sizeBytes: body.length,
  etag: `etag of ${key}`,
  crc: crc32c(body),
  modifiedMs: 0,
  contentType: 'text/plain',
  headers: {},
});

const read = async (store: ObjectStore, key: string): Promise<string> =>
  ((await store.bucket('records').get(key, {}, () => undefined)).body as Buffer).toString();

const put = async (store: ObjectStore, key: string, text: string): Promise<void> => {
  const body = Buffer.from(text);
  await store.bucket('records').put(infoOf(key, body), body, {});
};

describe('opening a store', () => {
  test('finds every object again, with long keys, and empties what was not published', async () => {
    const first = await ObjectStore.open(options('again'));
    await first.createBucket('records');
    const keys = ['a', 'b/c', `long/${'ü'.repeat(200)}`];
    for (const key of keys) await put(first, key, `body of ${key}`);
    first.close();
    writeFileSync(join(root, 'again', 'incoming', '7'), 'half of a body');
    const second = await ObjectStore.open(options('again'));
    expect(readdirSync(join(root, 'again', 'incoming'))).toEqual([]);
    expect(second.objectCount).toBe(3);
    for (const key of keys) expect(await read(second, key)).toBe(`body of ${key}`);
    const page = await second.bucket('records').list({ prefix: '', delimiter: '', maxKeys: 10 });
    expect(page.objects.map(({ key, etag }) => [key, etag])).toEqual(keys.map((key) => [key, `etag of ${key}`]));
    second.close();
  });

  test('of 3,000 objects takes at most 200 ms', async () => {
    const directory = join(root, 'many', 'buckets', 'records');
    mkdirSync(directory, { recursive: true });
    const body = Buffer.from('the body of all of them');
    const original = join(root, 'original');
    writeFileSync(original, Buffer.concat(encodeObjectFile(infoOf('original', body), body)));
    for (let index = 0; index < 3000; index++) {
      linkSync(original, join(directory, fileNameOf(`data/topic/${index % 6}/${index}`)));
    }
    const started = performance.now();
    const store = await ObjectStore.open(options('many'));
    expect(performance.now() - started).toBeLessThan(200);
    expect(store.objectCount).toBe(3000);
    expect(await read(store, 'data/topic/5/2999')).toBe('the body of all of them');
    store.close();
  });
});

/** An upload of one part, and what completes it. */
const begin = async (store: ObjectStore, key: string, text: string) => {
  const uploads = store.uploads('records');
  const body = Buffer.from(text);
  const id = await uploads.begin(infoOf(key, Buffer.alloc(0)));
  const part = { ...infoOf(key, body), etag: createHash('md5').update(body).digest('hex') };
  await uploads.putPart(key, id, 1, async (path) => {
    await writeObjectFile(path, part, body);
    return part;
  });
  const named = [{ number: 1, etag: part.etag, checksums: {} }];
  const limits = { minPartBytes: 1, wall: () => 0 };
  return {
    id,
    complete: async (on: ObjectStore) =>
      await on.uploads('records').complete(key, id, named, { conditions: {} }, limits),
  };
};

describe('an upload in parts', () => {
  test('is found again, and completed by the next process', async () => {
    const first = await ObjectStore.open(options('upload'));
    await first.createBucket('records');
    const { id, complete } = await begin(first, 'later', 'in one part');
    first.close();
    const second = await ObjectStore.open(options('upload'));
    expect(second.uploads('records').all.map((upload) => [upload.id, [...upload.parts.keys()]])).toEqual([[id, [1]]]);
    await complete(second);
    expect(await read(second, 'later')).toBe('in one part');
    expect(second.uploads('records').all).toEqual([]);
    second.close();
  });

  test('that had become its object when the process was killed is no upload any more', async () => {
    const { directory } = options('both');
    const first = await ObjectStore.open(options('both'));
    await first.createBucket('records');
    const { id, complete } = await begin(first, 'there', 'in one part');
    const saved = join(root, 'saved');
    cpSync(join(directory, 'uploads', 'records'), saved, { recursive: true });
    const info = await complete(first);
    first.close();
    cpSync(saved, join(directory, 'uploads', 'records'), { recursive: true });
    const second = await ObjectStore.open(options('both'));
    expect(second.uploads('records').all).toEqual([]);
    expect(readdirSync(join(directory, 'uploads', 'records'))).toEqual([]);
    expect(await complete(second)).toEqual(info);
    await put(second, 'there', 'somebody else’s');
    await expect(complete(second)).rejects.toThrow(expect.objectContaining({ s3Code: 'NoSuchUpload' }));
    expect(await read(second, 'there')).toBe('somebody else’s');
    expect(info.uploadId).toBe(id);
    second.close();
  });

  test('that was not begun yet is nothing', async () => {
    const { directory } = options('half');
    const first = await ObjectStore.open(options('half'));
    await first.createBucket('records');
    first.close();
    mkdirSync(join(directory, 'uploads', 'records', 'no-upload-file'));
    const second = await ObjectStore.open(options('half'));
    expect(second.uploads('records').all).toEqual([]);
    second.deleteBucket('records');
    expect(second.bucketNames).toEqual([]);
    second.close();
  });
});

describe('a damaged object file', () => {
  test.each([
    ['cut short', (path: string) => truncateSync(path, 20)],
    ['empty', (path: string) => truncateSync(path, 0)],
    ['overwritten', (path: string) => writeFileSync(path, 'xxxx', { flag: 'r+' })],
  ])('that is %s is an error, never other bytes and never a missing object', async (_, damage) => {
    const name = `damaged ${_}`;
    const first = await ObjectStore.open(options(name));
    await first.createBucket('records');
    await put(first, 'victim', 'the body of the victim');
    first.close();
    damage(join(root, name, 'buckets', 'records', 'victim'));
    const second = await ObjectStore.open(options(name));
    await expect(read(second, 'victim')).rejects.toThrow('damaged');
    second.close();
  });
});

describe('an object too large to be held in memory', () => {
  const body = Buffer.alloc(17 * 1024 ** 2, 'large ');
  const collect = async (store: ObjectStore): Promise<Buffer> => {
    const read = await store.bucket('records').get('large', {}, () => undefined);
    expect(read.body).toBeInstanceOf(Readable);
    return Buffer.concat((await (read.body as Readable).toArray()) as Buffer[]);
  };

  test('is read as a stream, which breaks off before its end where the file is damaged', async () => {
    const first = await ObjectStore.open(options('large'));
    await first.createBucket('records');
    await first.bucket('records').put(infoOf('large', body), body, {});
    expect((await collect(first)).equals(body)).toBe(true);
    first.close();
    writeFileSync(join(root, 'large', 'buckets', 'records', 'large'), 'xxxx', { flag: 'r+' });
    const second = await ObjectStore.open(options('large'));
    await expect(collect(second)).rejects.toThrow('damaged');
    second.close();
  });
});

describe('bodies in memory', () => {
  test('give way to newer ones, and reads fall back to the file', async () => {
    const store = await ObjectStore.open(options('hot'));
    await store.createBucket('records');
    for (let index = 0; index < 10; index++) await put(store, `k${index}`, String(index).repeat(1000));
    for (let index = 0; index < 10; index++) expect(await read(store, `k${index}`)).toBe(String(index).repeat(1000));
    await put(store, 'k3', 'replaced');
    expect(await read(store, 'k3')).toBe('replaced');
    await store.bucket('records').delete('k3', {});
    await expect(read(store, 'k3')).rejects.toThrow(expect.objectContaining({ s3Code: 'NoSuchKey' }));
    store.close();
  });
});
