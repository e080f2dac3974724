// The program itself, from its built file: its ready line, its end, and its address after it was killed and started again.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const program = fileURLToPath(new URL('../../../dist/src/embedded/link-proxy/link-proxy-program.js', import.meta.url));

const exited = async (child: ChildProcess): Promise<number | NodeJS.Signals | null> =>
  await new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));

const start = async (
  config: object,
): Promise<{ child: ChildProcess; api: number; proxies: Record<string, string> }> => {
  const child = spawn(process.execPath, [program, JSON.stringify(config)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    child.once('exit', (code) => reject(new Error(`the proxy ended with ${code}`)));
  });
  const ready = JSON.parse(line) as { ready: boolean; api: number; proxies: Record<string, string> };
  expect(ready.ready).toBe(true);
  return { child, ...ready };
};

describe('the link proxy program', () => {
  test('serves what it was configured with, and again on the same address after kill -9', async () => {
    const proxies = [{ name: 'p', listen: '127.0.0.1:0', upstream: '127.0.0.1:1' }];
    const first = await start({ proxies });
    const listen = first.proxies['p']!;
    expect(listen).toMatch(/^127\.0\.0\.1:\d+$/);
    first.child.kill('SIGKILL');
    await exited(first.child);
    const second = await start({ proxies: [{ ...proxies[0], listen }], apiPort: first.api });
    expect([second.proxies['p'], second.api]).toEqual([listen, first.api]);
    second.child.kill('SIGTERM');
    expect(await exited(second.child)).toBe(0);
  });

  test('ends when its standard input closes', async () => {
    const { child } = await start({ exitOnStdinClose: true });
    child.stdin!.end();
    expect(await exited(child)).toBe(0);
  });
});
