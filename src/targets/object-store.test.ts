// Against the real object store program, because the SDK's behaviour is what is in question. Needs `npm run build` before.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { Secret } from '../wire/secret.ts';
import { freePorts } from './free-ports.ts';
import { NodeProcess } from './node-process.ts';
import { objectListing, objectStoreAccess } from './object-store.ts';
import { nodeProgram } from './program-files.ts';
import { StoreRequestLog } from './store-request-log.ts';
import type { ObjectStoreAccess } from './target.ts';

const BUCKET = 'bucket';
const signal = AbortSignal.timeout(60_000);
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

let directory: string;
let node: NodeProcess;
let store: ObjectStoreAccess;
let log: StoreRequestLog;
let address: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-store-'));
  mkdirSync(join(directory, 'objects'));
  const [port = 0, adminPort = 0] = await freePorts('127.0.0.1', 2);
  const requestLog = join(directory, 'requests.ndjson');
  node = new NodeProcess({
    node: 'object-store',
    ...nodeProgram('embedded/object-store/object-store-program', {
      exitOnStdinClose: true,
      directory: join(directory, 'objects'),
      requestLog,
      buckets: [BUCKET],
      listeners: [{ name: 'direct', port }],
      adminPort,
    }),
    environment: {},
    logFile: join(directory, 'store.log'),
  });
  await node.start();
  address = `http://127.0.0.1:${port}`;
  log = new StoreRequestLog({ host: '127.0.0.1', port: adminPort }, requestLog);
  store = objectStoreAccess({
    endpoint: { host: '127.0.0.1', port },
    bucket: BUCKET,
    dataPrefix: 'data/',
    walPrefix: 'wal/',
    pageKeys: 10,
  });
});

afterAll(async () => {
  await node.dispose();
  rmSync(directory, { recursive: true, force: true });
});

describe('object store access', () => {
  it('reads back what it wrote, and nothing where nothing is', async () => {
    await store.put('data/a', bytesOf('hello'), signal);
    expect(await store.get('data/a', signal)).toEqual(bytesOf('hello'));
    expect(await store.get('data/none', signal)).toBeUndefined();
  });

  it('reads a range of bytes, both ends included, and nothing where nothing is', async () => {
    await store.put('data/range', bytesOf('0123456789'), signal);
    expect(await store.getRange!('data/range', 2, 4, signal)).toEqual(bytesOf('234'));
    expect(await store.getRange!('data/none', 0, 0, signal)).toBeUndefined();
    await expect(store.getRange!('data/range', 10, 12, signal)).rejects.toMatchObject({
      code: 'TARGET_OBJECT_STORE_FAILED',
    });
  });

  it('removes, and removing what is not there is no error', async () => {
    await store.put('data/gone', bytesOf('x'), signal);
    await store.remove('data/gone', signal);
    await store.remove('data/gone', signal);
    expect(await store.get('data/gone', signal)).toBeUndefined();
  });

  it('lists all pages of a prefix with sizes', async () => {
    await Promise.all(
      Array.from({ length: 25 }, async (_, index) => {
        await store.put(`many/${String(index).padStart(4, '0')}`, bytesOf('12'), signal);
      }),
    );
    const found = await store.list('many/', signal);
    expect(found).toHaveLength(25);
    expect(found[0]).toEqual({ key: 'many/0000', bytes: 2 });
  });

  it('that cannot reach the store says where and what to do', async () => {
    const nowhere = objectStoreAccess({
      endpoint: { host: '127.0.0.1', port: 1 },
      bucket: BUCKET,
      dataPrefix: '',
      walPrefix: '',
    });
    await expect(nowhere.get('a', signal)).rejects.toMatchObject({
      kind: 'environment',
      message: expect.stringMatching(/Reading "a" failed at the object store 127\.0\.0\.1:1/),
    });
  });

  it('ends with the reason of its signal', async () => {
    await expect(store.get('data/a', AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});

describe('the request log of the store', () => {
  it('has the requests that finished since a moment, and none from before', async () => {
    await store.put('data/before', bytesOf('1'), signal);
    await systemClock.sleep(20);
    const since = systemClock.wall();
    await store.put('data/after', bytesOf('22'), signal);
    const requests = await log.since(since, signal);
    expect(requests).toMatchObject([
      { method: 'PUT', operation: 'PutObject', key: 'data/after', status: 200, listener: 'direct', complete: true },
    ]);
    expect((await log.since(0, signal)).some((request) => request.key === 'data/before')).toBe(true);
  });

  it('goes on after the store was killed and started again', async () => {
    await store.put('data/old', bytesOf('1'), signal);
    await expect.poll(async () => (await log.since(0, signal)).some((each) => each.key === 'data/old')).toBe(true);
    await systemClock.sleep(100);
    await node.kill();
    await node.start();
    await store.put('data/new', bytesOf('1'), signal);
    const keys = (await log.since(0, signal)).map((request) => request.key);
    expect(keys).toContain('data/old');
    expect(keys.at(-1)).toBe('data/new');
  });
});

describe('a listing of somebody else’s store', () => {
  const listingAt = (url: string, bucket = BUCKET) =>
    objectListing({
      url,
      region: 'us-east-1',
      accessKey: new Secret('planted-access-41'),
      secretKey: new Secret('planted-secret-42'),
      bucket,
      prefix: 'theirs/',
    });

  it('has what is below its prefix and nothing else', async () => {
    await store.put('theirs/a', bytesOf('12345'), signal);
    await store.put('ours/a', bytesOf('1'), signal);
    const listing = listingAt(address);
    await listing.assertListable(signal);
    expect(await listing.list(signal)).toEqual([{ key: 'theirs/a', bytes: 5 }]);
    expect(await listing.getRange('theirs/a', 1, 3, signal)).toEqual(bytesOf('234'));
  });

  it('is refused in one sentence where there is no such bucket, or nobody answers; the keys are in none of it', async () => {
    for (const [listing, words] of [
      [
        listingAt(address, 'elsewhere'),
        /^Listing "theirs\/" of bucket "elsewhere" failed at the object store 127\.0\.0\.1:/,
      ],
      [listingAt('http://127.0.0.1:9'), /failed at the object store 127\.0\.0\.1:9: /],
    ] as const) {
      const thrown: unknown = await listing.assertListable(signal).catch((error: unknown) => error);
      expect(thrown).toMatchObject({
        code: 'TARGET_OBJECT_STORE_FAILED',
        message: expect.stringMatching(words) as string,
      });
      expect(inspect(thrown, { depth: 9 })).not.toContain('planted-');
    }
  });
});
