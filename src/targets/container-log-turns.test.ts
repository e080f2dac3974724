// Answers of the engine that come when nobody waits for them any more.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
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

const inspect = async (): Promise<never> => await Promise.reject(new Error('nobody says'));

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-log-'));
  file = join(directory, 'broker-1.log');
  streams = [];
  answers = [];
  log = new ContainerLog({ followLogs, inspect }, 'c1', file);
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

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
