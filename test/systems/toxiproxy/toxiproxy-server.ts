// A real Toxiproxy for the tests: a process of its own on loopback, with the proxies it is given. What it takes is Go, once,
// to build it; where Go is missing the test fails with how to get it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePorts } from '../../../src/targets/free-ports.ts';
import type { Address } from '../../../src/vocabulary.ts';

const HOST = '127.0.0.1';
const STARTUP_MS = 20_000;

export interface DeclaredProxy {
  readonly name: string;
  /** `host:port`. */
  readonly listen: string;
  readonly upstream: string;
}

export interface ToxiproxyServer extends AsyncDisposable {
  readonly admin: Address;
  /** As the server itself says. */
  readonly version: string;
  /** Stops or continues the process, as a hang would. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
}

const program = (): string =>
  execFileSync('bash', [resolve(import.meta.dirname, '../../../docker/toxiproxy/fetch.sh')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();

const versionWhenReady = async (admin: Address, child: ChildProcess, log: () => string): Promise<string> => {
  const until = performance.now() + STARTUP_MS;
  while (performance.now() < until && child.exitCode === null) {
    const answer = await fetch(`http://${admin.host}:${admin.port}/version`, {
      signal: AbortSignal.timeout(1000),
    }).catch(() => undefined);
    if (answer?.ok === true) return ((await answer.json()) as { version: string }).version;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`Toxiproxy did not start: ${log()}`);
};

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
};

/** Starts a server whose control API is at `port` (a free one by default), with `proxies` open. */
export const startToxiproxy = async (
  options: {
    readonly port?: number;
    readonly proxies?: readonly DeclaredProxy[];
    readonly args?: readonly string[];
  } = {},
): Promise<ToxiproxyServer> => {
  const server = program();
  const [port = 0] = options.port === undefined ? await freePorts(HOST, 1) : [options.port];
  const folder = mkdtempSync(join(tmpdir(), 'ackproof-toxiproxy-'));
  const config = join(folder, 'proxies.json');
  writeFileSync(config, JSON.stringify((options.proxies ?? []).map((proxy) => ({ ...proxy, enabled: true }))));
  const child = spawn(server, ['-host', HOST, '-port', String(port), '-config', config, ...(options.args ?? [])], {
    env: { ...process.env, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-20_000);
    });
  }
  const stop = async (): Promise<void> => {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  const admin = { host: HOST, port };
  try {
    const version = await versionWhenReady(admin, child, () => log);
    return { admin, version, signal: (name) => child.kill(name), [Symbol.asyncDispose]: stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
};
