// What the program says when the Docker engine is not there, not to be opened, too new, or silent: one sentence, what to do, exit 69,
// and nothing left. The engine is a fake one behind a real socket. Programs come from `dist`: build first.
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeEngine, type FakeEngineOptions } from '../support/fake-engine.ts';
import { runProgram } from '../support/program.ts';

const scenario = resolve(import.meta.dirname, '..', '..', 'scenarios', 'baseline.yaml');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-engine-trouble-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs that are still known of. */
const runsLeft = (): readonly string[] => {
  const runs = join(folder, 'state', 'ackproof', 'runs');
  return existsSync(runs) ? readdirSync(runs) : [];
};

/** Runs a drill on that engine: what it said, and what it left in the user's state directory. */
const drillOn = async (dockerHost: string, within: readonly string[] = []) => {
  const env = { DOCKER_HOST: dockerHost, XDG_STATE_HOME: join(folder, 'state') };
  const words = ['run', scenario, '--target', 'compose', '--out', join(folder, 'runs')];
  const { exitCode, stderr } = await runProgram(words, env, within);
  return { exitCode, stderr, left: runsLeft() };
};

const listenAt = async (path: string): Promise<Server> =>
  await new Promise((done) => {
    const server: Server = createServer().listen(path, () => done(server));
  });

const onFake = async (options: FakeEngineOptions, prepare: (fake: FakeEngine) => void = () => undefined) => {
  const fake = await FakeEngine.start(options);
  prepare(fake);
  const drill = await drillOn(fake.url);
  await fake.stop();
  return drill;
};

describe('an engine that cannot be used ends a run with exit 69', () => {
  it('where there is none', async () => {
    const { exitCode, stderr, left } = await drillOn(`unix://${folder}/none.sock`);
    expect(stderr).toMatch(
      /DOCKER_NOT_FOUND — The Docker engine at unix:.* cannot be reached: there is no such socket/u,
    );
    expect(stderr).toContain('Install and start Docker, or name its engine in DOCKER_HOST.');
    expect([exitCode, left]).toEqual([69, []]);
  });

  it('where nobody listens any more', async () => {
    const { exitCode, stderr, left } = await drillOn('tcp://127.0.0.1:9');
    expect(stderr).toMatch(/DOCKER_NOT_RUNNING — .*nobody listens there. Start the Docker engine and try again./u);
    expect([exitCode, left]).toEqual([69, []]);
  });

  it.skipIf(process.getuid?.() !== 0)('where this user may not open the socket', async () => {
    const socket = join(folder, 'docker.sock');
    const server = await listenAt(socket);
    chmodSync(socket, 0o600);
    // A user that may do everything here but open that socket.
    chmodSync(folder, 0o777);
    const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
    const { exitCode, stderr, left } = await drillOn(`unix://${socket}`, asNobody);
    server.close();
    expect(stderr).toMatch(/DOCKER_NO_PERMISSION — .*this user may not open it. Add the user to the group/u);
    expect([exitCode, left]).toEqual([69, []]);
  });

  it('where it speaks no version that we do', async () => {
    const { exitCode, stderr, left } = await onFake({ apiVersion: '1.99', minApiVersion: '1.60' });
    expect(stderr).toMatch(/DOCKER_API_VERSION — .*speaks API 1.60 to 1.99.*Use a newer ackproof./u);
    expect([exitCode, left]).toEqual([69, []]);
  });

  it('where it gives no answer', async () => {
    const { exitCode, stderr, left } = await onFake({}, (fake) => {
      fake.silentOn = '/version';
    });
    expect(stderr).toMatch(/Waited 10.* for the Docker engine at unix:.* to tell its version; last seen: no answer/u);
    expect(stderr).toContain('See whether the Docker engine is well: `docker info`.');
    expect([exitCode, left]).toEqual([69, []]);
  });

  it('where Compose is missing', async () => {
    const fake = await FakeEngine.start();
    writeFileSync(join(folder, 'empty'), '');
    const env = { DOCKER_HOST: fake.url, XDG_STATE_HOME: join(folder, 'state'), PATH: folder };
    const run = await runProgram(['run', scenario, '--target', 'compose', '--out', join(folder, 'runs')], env);
    expect(run.stderr).toMatch(/COMPOSE_MISSING — .*Install the Compose plugin of Docker/u);
    expect(run.exitCode).toBe(69);
    // The lock of the project went with it.
    expect([...fake.volumes.keys()]).toEqual([]);
    await fake.stop();
  });
});
