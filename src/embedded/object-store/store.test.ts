// The store on its directory: what a start makes of what the last process left there.
import { linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { crc32c } from '../../checksum.ts';
import { fileNameOf } from './file-name.ts';
import { encodeObjectFile, type ObjectInfo } from './object-file.ts';
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
  (await store.bucket('records').get(key, {}, undefined)).bytes.toString();

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
