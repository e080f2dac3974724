// A real Toxiproxy that is stopped under a fault: where it is ours it is killed and started again as the fault is healed, with every proxy
// that it had, and the report says so. Where it is somebody else's: compose-trouble.test.ts.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { markedProcesses } from '../../src/faults/run-processes.ts';
import { useOwnImages } from '../support/own-images.ts';
import { startProgram } from '../support/program.ts';
import { describeSystem } from '../support/systems.ts';
import { kafkaLibs } from './kafka/kafka-cluster.ts';
import { smallDrill } from './small-drill.ts';

const MINUTES = 60_000;

const SCENARIO = smallDrill({
  name: 'hung-toxiproxy',
  claim: 'A proxy of ours that hangs under a fault is there again after it.',
  duration: '20s',
  faults: `faults:
  - { fault: client-partition, victim: { broker: 2 }, at: 1s, duration: 8s }`,
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-hung-'));
  writeFileSync(join(folder, 'drill.yaml'), SCENARIO);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the drill, stops the proxy once the fault is confirmed, and tells how it ended. */
const drillWith = async (target: string, stop: () => void, env: Readonly<Record<string, string>> = {}) => {
  writeFileSync(join(folder, 'target.yaml'), `apiVersion: ackproof/v1\n${target}`);
  const words = ['run', join(folder, 'drill.yaml'), '--out', join(folder, 'runs')];
  const child = startProgram(words, { XDG_STATE_HOME: join(folder, 'state'), ...env });
  const told = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    told.stdout += chunk.toString('utf8');
  });
  const confirmed = new Promise<void>((done) => {
    child.stderr.on('data', (chunk: Buffer) => {
      told.stderr += chunk.toString('utf8');
      if (/client-partition-1 .*: confirmed/u.test(told.stderr)) done();
    });
  });
  const closed = once(child, 'close');
  await Promise.race([confirmed, closed]);
  stop();
  const [exitCode] = (await closed) as [number | null];
  return { exitCode, ...told };
};

const seen = ({ exitCode, stdout, stderr }: Awaited<ReturnType<typeof drillWith>>): void => {
  expect(stdout, stderr).toMatch(/^INCONCLUSIVE /u);
  expect(stdout).toMatch(/toxiproxy\/client hung and was started again/u);
  expect(stderr).toMatch(/client-partition-1 .*: healed/u);
  expect(exitCode).toBe(2);
};

describeSystem('kafka', () => {
  test(
    'as a process of the target',
    async () => {
      kafkaLibs();
      const fetch = resolve(import.meta.dirname, '../../docker/toxiproxy/fetch.sh');
      const server = execFileSync('bash', [fetch], { encoding: 'utf8' }).trim();
      const stop = (): void => {
        const own = markedProcesses().filter(({ command }) => /toxiproxy-client\.json/u.test(command));
        const pids = own.filter(({ command }) => command.includes(folder)).map(({ pid }) => pid);
        expect(pids).toHaveLength(1);
        for (const pid of pids) process.kill(pid, 'SIGSTOP');
      };
      seen(await drillWith('kind: process\nproxies: toxiproxy\n', stop, { ACKPROOF_TOXIPROXY: server }));
      expect(markedProcesses().filter(({ command }) => command.includes(folder))).toEqual([]);
    },
    5 * MINUTES,
  );
});

describeSystem('docker', () => {
  test(
    'as a container of a project that was started for the run',
    async () => {
      useOwnImages();
      const stop = (): void => {
        const labels = ['label=com.docker.compose.project=ackproof-hung', 'label=ackproof.path=client'];
        const words = ['ps', '-q', ...labels.flatMap((label) => ['--filter', label])];
        const id = execFileSync('docker', words, { encoding: 'utf8' }).trim();
        execFileSync('docker', ['kill', '--signal', 'STOP', id]);
      };
      seen(await drillWith('kind: compose\nproject: ackproof-hung\n', stop));
    },
    8 * MINUTES,
  );
});
