// What a person gets who wrote a scenario wrongly: every mistake of every file at once, exit 65, and nothing started.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProgram } from '../support/program.ts';

const good = readFileSync(resolve(import.meta.dirname, '..', '..', 'scenarios', 'leader-kill.yaml'), 'utf8');

let folder: string;
let env: Readonly<Record<string, string>>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-input-'));
  env = { XDG_STATE_HOME: join(folder, 'state') };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string | Buffer): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

describe.each(['validate', 'run'])('%s of several files that are all wrong', (command) => {
  it('tells of every one, ends with 65 and starts nothing', async () => {
    const files = [
      join(folder, 'gone.yaml'),
      write('rate.yaml', good.replace('3000/s', '.nan')),
      write('topic.yaml', good.replace('orders/0', 'order/0')),
      write('latin.yaml', Buffer.from(good.replace('leader-kill', 'l\xe9ader'), 'latin1')),
    ];
    const out = command === 'run' ? ['--out', join(folder, 'runs')] : [];
    const { exitCode, stdout, stderr } = await runProgram([command, ...files, ...out], env);
    expect(stderr.split('\n').map((line) => /^[A-Z_0-9]+/.exec(line)?.[0])).toEqual([
      'FILE_UNREADABLE',
      'SCENARIO_INVALID',
      'SCENARIO_UNKNOWN_TOPIC',
      'FILE_NOT_UTF8',
      undefined,
    ]);
    expect(stdout).toBe('');
    expect(exitCode).toBe(65);
    expect(existsSync(join(folder, 'runs'))).toBe(false);
  });

  it('ends with 69 where the files are only not there', async () => {
    const { exitCode, stderr } = await runProgram([command, join(folder, 'gone.yaml')], env);
    expect(stderr).toMatch(/^FILE_UNREADABLE .*gone\.yaml — .*ENOENT.*Check the path/);
    expect(exitCode).toBe(69);
  });
});

it('a file name cannot colour the terminal', async () => {
  const { stdout } = await runProgram(['validate', write('\u001b[31m.yaml', good)], env);
  expect(stdout).toMatch(/^ok {2}scenario {2}.*\\u001b\[31m\.yaml\n$/);
});

it('a value cannot colour the terminal', async () => {
  const { stderr } = await runProgram(['validate', write('x.yaml', good.replace('kafkajs', '"\\e[31mred"'))], env);
  expect(stderr).toContain('\\u001b[31mred');
  expect(stderr).not.toContain('\u001b');
});
