import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { EnvironmentError } from '../errors.ts';
import { type ProgramHost, runProgram } from './program-life.ts';

interface FakeHost extends ProgramHost {
  readonly signals: EventEmitter;
  readonly input: PassThrough;
  readonly said: { out: string; error: string; codes: number[] };
}

const hostWith = (argument: string | undefined): FakeHost => {
  const signals = new EventEmitter();
  const input = new PassThrough();
  const said = { out: '', error: '', codes: [] as number[] };
  return {
    signals,
    input,
    said,
    argv: ['node', 'program', ...(argument === undefined ? [] : [argument])],
    stdin: input,
    stdout: { write: (text) => (said.out += text) },
    stderr: { write: (text) => (said.error += text) },
    on: (signal, listener) => signals.on(signal, listener),
    exit: (code) => said.codes.push(code),
  };
};

const idle = { ready: { port: 1 }, stop: async () => await Promise.resolve() };

describe('a program', () => {
  test('says in one line that it is ready', async () => {
    const host = hostWith('{"a":1}');
    await runProgram(host, async (config) => await Promise.resolve({ ...idle, ready: { config } }));
    expect(host.said).toEqual({ out: '{"ready":true,"config":{"a":1}}\n', error: '', codes: [] });
  });

  test('stops once, however often it is told to, and then ends with 0', async () => {
    const host = hostWith('{}');
    let stops = 0;
    const stop = async (): Promise<void> => {
      stops += 1;
      await Promise.resolve();
    };
    await runProgram(host, async () => await Promise.resolve({ ...idle, stop }));
    host.signals.emit('SIGTERM');
    host.signals.emit('SIGINT');
    await expect.poll(() => host.said.codes).toEqual([0]);
    expect(stops).toBe(1);
  });

  test('ends when its standard input closes, if it was asked to', async () => {
    const asked = hostWith('{"exitOnStdinClose":true}');
    const other = hostWith('{}');
    await runProgram(asked, async () => await Promise.resolve(idle));
    await runProgram(other, async () => await Promise.resolve(idle));
    asked.input.end();
    other.input.end();
    await expect.poll(() => asked.said.codes[0]).toBe(0);
    expect(other.said.codes).toEqual([]);
  });

  test.each([
    [undefined, 65, 'PROGRAM_NO_CONFIG'],
    ['{', 65, 'PROGRAM_BAD_CONFIG'],
    ['{}', 69, 'PORT_TAKEN'],
  ])('that cannot start with %s ends with %i and says why', async (argument, code, why) => {
    const host = hostWith(argument);
    await runProgram(host, async () => await Promise.reject(new EnvironmentError('PORT_TAKEN', 'The port is taken.')));
    expect(host.said.codes).toEqual([code]);
    expect(host.said.error).toContain(why);
    expect(host.said.out).toBe('');
  });
});
