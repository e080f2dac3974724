import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ContainerLog } from './container-log.ts';

let directory: string;
let file: string;
/** What the engine has answered, one stream a call; a call waits for `answer`. */
let streams: PassThrough[];
let answers: (() => void)[];
let log: ContainerLog;

const followLogs = async (): Promise<PassThrough> =>
  await new Promise((resolve) => {
    const stream = new PassThrough();
    streams.push(stream);
    answers.push(() => resolve(stream));
  });

const framed = (text: string): Buffer => {
  const header = Buffer.alloc(8);
  header[0] = 1;
  header.writeUInt32BE(text.length, 4);
  return Buffer.concat([header, Buffer.from(text)]);
};

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-log-'));
  file = join(directory, 'broker-1.log');
  streams = [];
  answers = [];
  log = new ContainerLog({ followLogs }, 'c1', file);
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('what a container prints comes into the file', async () => {
  const following = log.follow(0);
  answers[0]?.();
  await following;
  streams[0]?.write(framed('started\n'));
  await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toBe('started\n'));
  await log[Symbol.asyncDispose]();
  expect(streams[0]?.destroyed).toBe(true);
});

// Red before: an answer that came as the run had ended was followed by nobody, and kept the process alive.
test('an answer that comes after the end is let go', async () => {
  const following = log.follow(0);
  await log[Symbol.asyncDispose]();
  answers[0]?.();
  await following;
  expect(streams[0]?.destroyed).toBe(true);
});

// Red before: the same where the container was started again meanwhile.
test('of two answers only the last one counts', async () => {
  const both = [log.follow(0), log.follow(1)];
  answers[1]?.();
  answers[0]?.();
  await Promise.all(both);
  expect(streams.map(({ destroyed }) => destroyed)).toEqual([true, false]);
  await log[Symbol.asyncDispose]();
});
