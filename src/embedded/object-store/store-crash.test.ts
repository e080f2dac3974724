// kill -9 of the store program in the middle of PUTs, and what is there after it was started again.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { exitOf, STORE_PROGRAM, type StoreProcess, startStoreProcess } from '../../../test/support/store-process.ts';
import { S3Client, StoreUnavailable } from '../s3-client/s3-client.ts';

const directory = mkdtempSync(join(tmpdir(), 'ackproof-store-crash-'));
afterAll(() => rmSync(directory, { recursive: true }));

const start = async (name: string): Promise<StoreProcess> =>
  await startStoreProcess({ directory: join(directory, name), requestLog: join(directory, `${name}.ndjson`) });

const clientOf = (port: number): S3Client =>
  new S3Client({
    endpoint: { host: '127.0.0.1', port },
    bucket: 'records',
    clientName: 'test',
    timeoutMs: 60_000,
    maxSockets: 16,
  });

/** A body that tells its key and whether it is whole. */
const bodyOf = (key: string): Buffer => Buffer.alloc(8_000 + (key.length % 7) * 9_000, `${key} `);

describe('kill -9', () => {
  test('what was answered 200 is there whole, and nothing is there in part', async () => {
    const stored = new Set<string>();
    const tried = new Set<string>();
    for (let round = 0; round < 6; round++) {
      const { child, port } = await start('crash');
      const client = clientOf(port);
      const write = async (lane: number): Promise<void> => {
        for (let index = 0; ; index++) {
          const key = `round-${round}/lane-${lane}/${'x'.repeat(index % 5)}${index}`;
          tried.add(key);
          try {
            await client.put(key, bodyOf(key), index % 2 === 0 ? { ifNoneMatch: true } : {});
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(StoreUnavailable);
            return;
          }
          stored.add(key);
          if (stored.size >= 30 * (round + 1)) child.kill('SIGKILL');
        }
      };
      await Promise.all(Array.from({ length: 12 }, async (_, lane) => await write(lane)));
      client.close();
    }
    const { child, port } = await start('crash');
    const client = clientOf(port);
    const found: string[] = [];
    for await (const page of client.list('')) found.push(...page);
    for (const key of found) {
      expect(tried.has(key)).toBe(true);
      const read = await client.get(key);
      expect(read !== undefined && bodyOf(key).equals(read.bytes)).toBe(true);
    }
    expect([...stored].filter((key) => !found.includes(key))).toEqual([]);
    expect(stored.size).toBeGreaterThanOrEqual(180);
    client.close();
    child.kill('SIGTERM');
    expect(await exitOf(child)).toBe(0);
  });
});

describe('the life of the program', () => {
  test('it ends when its standard input closes', async () => {
    const { child } = await start('life');
    child.stdin!.end();
    expect(await exitOf(child)).toBe(0);
  });

  test('a setting nobody knows is told and ends it with 65', async () => {
    const config = { directory: join(directory, 'bad'), listeners: [{ name: 'data' }], bucket: 'records' };
    const child = spawn(process.execPath, [STORE_PROGRAM, JSON.stringify(config)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    expect(await exitOf(child)).toBe(65);
    expect(said).toContain('OBJECT_STORE_BAD_CONFIG');
    expect(said).toContain('bucket');
  });
});
