// `cluster up` and `cluster down` without the command line: one process starts a cluster, another ends it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startCluster, stopClusters } from '../../src/targets/standalone-cluster.ts';
import { processesOfRun } from './cluster-fixture.ts';

const MODULE = pathToFileURL(
  fileURLToPath(new URL('../../dist/src/targets/standalone-cluster.js', import.meta.url)),
).href;

let directory: string;
let owner: ChildProcess | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-clusters-'));
});

afterEach(() => {
  owner?.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

/** A process that starts a cluster of one broker in `clusters` and ends it on SIGTERM; returns the cluster's id. */
const clusterInAnotherProcess = async (clusters: string): Promise<string> => {
  const program = join(directory, 'up.mjs');
  writeFileSync(
    program,
    `import { startCluster } from ${JSON.stringify(MODULE)};
     const stop = new AbortController();
     process.once('SIGTERM', () => stop.abort());
     const cluster = await startCluster({ brokers: 1, defects: [], signal: stop.signal, directory: process.argv[2] });
     stop.signal.addEventListener('abort', () => { void cluster[Symbol.asyncDispose](); });
     console.log(cluster.id);
     setInterval(() => { if (stop.signal.aborted) process.exit(0); }, 50);`,
  );
  owner = spawn(process.execPath, [program, clusters], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(owner.stdout!, 'data')) as [Buffer];
  return line.toString('utf8').trim();
};

describe('a cluster by itself', () => {
  it('is found and ended from another process, with all its files', async () => {
    const clusters = join(directory, 'clusters');
    const id = await clusterInAnotherProcess(clusters);
    expect(processesOfRun(id).length).toBeGreaterThan(5);
    expect(await stopClusters(clusters)).toEqual([id]);
    await expect.poll(() => processesOfRun(id)).toEqual([]);
    expect(readdirSync(clusters)).toEqual([]);
  });

  it('whose owner was killed while a node was paused is ended too', async () => {
    const clusters = join(directory, 'clusters');
    const id = await clusterInAnotherProcess(clusters);
    const paused = processesOfRun(id).find((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('broker-program'),
    );
    process.kill(paused!, 'SIGSTOP');
    owner?.kill('SIGKILL');
    await stopClusters(clusters);
    await expect.poll(() => processesOfRun(id)).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')('that has no place for its files is trouble of the environment', async () => {
    const started = startCluster({
      brokers: 1,
      defects: [],
      signal: new AbortController().signal,
      directory: '/proc/nowhere',
    });
    await expect(started).rejects.toMatchObject({ code: 'CLUSTER_DIRECTORY', kind: 'environment' });
  });

  it('that does not exist is no error', async () => {
    expect(await stopClusters(join(directory, 'none'))).toEqual([]);
  });
});
