// The order in which a change reaches the disk, which no crash of the process alone can show: the file system calls are
// recorded, and fsync can be made to fail.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { crc32c } from '../../checksum.ts';
import type { NamedPart } from './complete-request.ts';
import { type ObjectInfo, writeObjectFile } from './object-file.ts';
import { ObjectStore } from './store.ts';

const calls = vi.hoisted(() => ({
  seen: [] as string[],
  /** Numbers of the fsync calls, from 1, that fail. */
  failing: new Set<number>(),
  fsyncs: 0,
}));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const fsync = (descriptor: number, done: (error: Error | null) => void): void => {
    calls.fsyncs += 1;
    const fails = calls.failing.has(calls.fsyncs);
    const kind = fs.fstatSync(descriptor).isDirectory() ? 'directory' : 'file';
    fs.fsync(descriptor, (error) => {
      calls.seen.push(`fsync ${kind}`);
      done(fails ? new Error('EIO') : error);
    });
  };
  const writev = (
    descriptor: number,
    parts: readonly Buffer[],
    done: (error: Error | null, written: number) => void,
  ): void => {
    calls.seen.push('write');
    fs.writev(descriptor, parts, done);
  };
  return { ...fs, fsync, writev };
});

vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof import('node:fs/promises')>();
  const noted =
    <A extends unknown[], R>(name: string, call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      const result = await call(...args);
      calls.seen.push(name);
      return result;
    };
  return {
    ...fs,
    rename: noted('rename', fs.rename),
    unlink: noted('unlink', fs.unlink),
  };
});

const directory = mkdtempSync(join(tmpdir(), 'ackproof-durability-'));
const store = await ObjectStore.open({ directory, hotObjectBytes: 1024, hotTotalBytes: 4096 });
await store.createBucket('records');
const bucket = store.bucket('records');

afterAll(() => {
  store.close();
  rmSync(directory, { recursive: true });
});

beforeEach(() => {
  calls.seen.length = 0;
  calls.failing.clear();
  calls.fsyncs = 0;
});

const put = async (key: string, text: string, conditions: { ifNoneMatch?: string } = {}): Promise<void> => {
  const body = Buffer.from(text);
  const info: ObjectInfo = {
    key,
    sizeBytes: body.length,
    etag: text,
    crc: 0,
    modifiedMs: 0,
    contentType: 'text/plain',
    headers: {},
  };
  await bucket.put(info, body, conditions);
  calls.seen.push('answered');
};

const etagOf = async (key: string): Promise<string> => (await bucket.head(key, {})).etag;

describe('a change is answered', () => {
  test('after its file was written and fsynced, then named, then its directory fsynced', async () => {
    await put('replaced', 'one');
    expect(calls.seen).toEqual(['write', 'fsync file', 'rename', 'fsync directory', 'answered']);
    calls.seen.length = 0;
    await put('created', 'one', { ifNoneMatch: '*' });
    expect(calls.seen).toEqual(['write', 'fsync file', 'rename', 'fsync directory', 'answered']);
    calls.seen.length = 0;
    await bucket.delete('created', {});
    expect(calls.seen).toEqual(['unlink', 'fsync directory']);
  });

  test('after all of many were removed and their directory fsynced after the last, far fewer times than there are', async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `many/${index}`);
    for (const key of keys) await put(key, 'x');
    calls.seen.length = 0;
    await bucket.deleteAll([...keys, 'never there']);
    expect(calls.seen.filter((call) => call === 'unlink')).toHaveLength(20);
    expect(calls.seen.at(-1)).toBe('fsync directory');
    expect(calls.seen.filter((call) => call === 'fsync directory').length).toBeLessThan(10);
  });

  test('by a directory fsync that began after it was named, though several share one', async () => {
    await Promise.all(Array.from({ length: 20 }, async (_, index) => await put(`shared/${index}`, 'x')));
    const lastName = calls.seen.lastIndexOf('rename');
    expect(calls.seen.slice(lastName)).toContain('fsync directory');
    expect(calls.seen.filter((call) => call === 'fsync directory').length).toBeLessThan(20);
    const firstAnswer = calls.seen.indexOf('answered');
    expect(calls.seen.indexOf('fsync directory')).toBeLessThan(firstAnswer);
  });
});

/** An upload of two parts of one byte; what was called for each step. */
const uploadInParts = async (key: string): Promise<readonly string[][]> => {
  const uploads = store.uploads('records');
  const steps: string[][] = [];
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    calls.seen.length = 0;
    const result = await work();
    steps.push([...calls.seen, 'answered']);
    return result;
  };
  const info = { key, crc: 0, modifiedMs: 0, contentType: '', headers: {}, sizeBytes: 0, etag: '' };
  const id = await step(async () => await uploads.begin(info));
  const named: NamedPart[] = [];
  for (const number of [1, 2]) {
    const part = { ...info, sizeBytes: 1, etag: `0${number}`, crc: crc32c(Buffer.from('x')) };
    await step(async () => {
      await uploads.putPart(key, id, number, async (path) => {
        await writeObjectFile(path, part, Buffer.from('x'));
        return part;
      });
    });
    named.push({ number, etag: part.etag, checksums: {} });
  }
  const limits = { minPartBytes: 1, wall: () => 0 };
  await step(async () => await uploads.complete(key, id, named, { conditions: {} }, limits));
  return steps;
};

describe('an upload in parts is answered', () => {
  test('at each step after what was written was fsynced, named, and its directory fsynced', async () => {
    const [begun, first, , completed] = await uploadInParts('parts');
    expect(begun).toEqual(['write', 'fsync file', 'fsync directory', 'rename', 'fsync directory', 'answered']);
    expect(first).toEqual(['write', 'fsync file', 'rename', 'fsync directory', 'answered']);
    // The object is durable before its upload goes.
    const published = ['write', 'write', 'write', 'fsync file', 'rename', 'fsync directory'];
    expect(completed).toEqual([...published, 'rename', 'fsync directory', 'answered']);
  });
});

describe('a failing fsync', () => {
  test('of the object an upload becomes publishes nothing and keeps the upload', async () => {
    const [begun, first, second] = [3, 2, 2];
    calls.failing.add(calls.fsyncs + begun + first + second + 1);
    await expect(uploadInParts('unpublished')).rejects.toThrow('EIO');
    await expect(etagOf('unpublished')).rejects.toThrow(expect.objectContaining({ s3Code: 'NoSuchKey' }));
    expect(store.uploads('records').all.map(({ object, parts }) => [object.key, parts.size])).toEqual([
      ['unpublished', 2],
    ]);
    expect(readdirSync(join(directory, 'incoming'))).toEqual([]);
  });

  test('of the file publishes nothing and leaves nothing behind', async () => {
    await put('kept', 'old');
    calls.failing.add(calls.fsyncs + 1);
    await expect(put('kept', 'new')).rejects.toThrow('EIO');
    expect(await etagOf('kept')).toBe('old');
    expect(readdirSync(join(directory, 'incoming'))).toEqual([]);
  });

  test('of the directory is an error, and what is there afterwards is what the file says', async () => {
    await put('moved', 'old');
    calls.failing.add(calls.fsyncs + 2);
    await expect(put('moved', 'new')).rejects.toThrow('EIO');
    expect(await etagOf('moved')).toBe('new');
    calls.failing.add(calls.fsyncs + 1);
    await expect(bucket.delete('moved', {})).rejects.toThrow('EIO');
    await expect(etagOf('moved')).rejects.toThrow(expect.objectContaining({ s3Code: 'NoSuchKey' }));
  });
});
