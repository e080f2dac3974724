import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { type LoggedRequest, RequestLog } from './request-log.ts';

const disk = vi.hoisted(() => ({ isFull: false }));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const writeSync = (descriptor: number, bytes: Buffer, offset: number): number => {
    if (disk.isFull) throw new Error('ENOSPC');
    return fs.writeSync(descriptor, bytes, offset);
  };
  return { ...fs, writeSync };
});

const directory = mkdtempSync(join(tmpdir(), 'ackproof-log-'));
afterAll(() => rmSync(directory, { recursive: true }));

const request = (key: string): Omit<LoggedRequest, 'seq'> => ({
  at: 1,
  monotonicMs: 1,
  listener: 'data',
  remotePort: 1,
  method: 'GET',
  op: 'GetObject',
  bucket: 'records',
  key,
  range: null,
  status: 200,
  requestBytes: 0,
  responseBytes: 0,
  durationMs: 1,
  client: null,
  aborted: false,
});

const troubles: string[] = [];

const open = (name: string, keep = 100): RequestLog =>
  new RequestLog({ path: join(directory, name), flushEveryMs: 60_000, keep, onTrouble: (text) => troubles.push(text) });

const seqs = (log: RequestLog, since: number, limit = 100): number[] =>
  log.page(since, limit).requests.map(({ seq }) => seq);

describe('the request log', () => {
  test('is read in pages by sequence number', () => {
    const log = open('pages');
    for (let index = 0; index < 5; index++) log.add(request(`${index}`));
    expect(seqs(log, 0, 2)).toEqual([0, 1]);
    expect(log.page(0, 2).next).toBe(2);
    expect(seqs(log, 3)).toEqual([3, 4]);
    expect(log.page(5, 2)).toEqual({ requests: [], next: 5, oldest: 0 });
    log.close();
  });

  test('tells which requests are in the file only', () => {
    const log = open('bounded', 10);
    for (let index = 0; index < 21; index++) log.add(request(`${index}`));
    expect(log.page(0, 100).oldest).toBe(10);
    expect(seqs(log, 0)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
    log.close();
    expect(readFileSync(join(directory, 'bounded'), 'utf8').trimEnd().split('\n')).toHaveLength(21);
  });

  test('that cannot be written is told, and written when there is room again', () => {
    const log = open('full');
    log.add(request('a'));
    disk.isFull = true;
    log.flush();
    expect(troubles).toEqual([expect.stringContaining('ENOSPC')]);
    disk.isFull = false;
    log.flush();
    log.close();
    expect(JSON.parse(readFileSync(join(directory, 'full'), 'utf8'))).toMatchObject({ seq: 0, key: 'a' });
  });

  test('goes on counting after a restart, behind a line that kill -9 has torn', () => {
    const first = open('torn');
    first.add(request('a'));
    first.add(request('b'));
    first.close();
    appendFileSync(join(directory, 'torn'), '{"seq":2,"at":17');
    const second = open('torn');
    second.add(request('c'));
    expect(seqs(second, 0)).toEqual([2]);
    second.close();
    const lines = readFileSync(join(directory, 'torn'), 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    expect(JSON.parse(lines[3]!)).toMatchObject({ seq: 2, key: 'c' });
  });
});
