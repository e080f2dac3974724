// kill -9 of ackproof and its watchdog together with a restart of the Docker engine, and an engine that goes away under a drill: what
// a fault changed must be put back by `ackproof heal`, and until the engine is there again that must be said. The engine is one of the
// test's own. What it takes is root, dockerd, Compose and the images of `npm run images`.
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { startProgram } from '../support/program.ts';
import { describeRare } from '../support/systems.ts';
import { PrivateEngine } from './docker/private-engine.ts';
import { ComposeProject } from './kill-sweep/compose-project.ts';
import { processesNaming, readEdges } from './kill-sweep/remains.ts';
import { smallDrill } from './small-drill.ts';

const MINUTES = 60_000;

/** Two faults of containers at once, of different brokers. */
const SCENARIO = smallDrill({
  name: 'engine-restart',
  claim: "A drill that dies together with the engine leaves somebody else's cluster as it was.",
  minInSyncReplicas: 1,
  duration: '90s',
  faults: `faults:
  - { fault: node-isolate, victim: { broker: 2 }, at: 1s, duration: 60s }
  - { fault: cpu-throttle, victim: { broker: 3 }, at: 8s, duration: 50s, params: { quota: 5% } }`,
});

/** Everything that an engine does not give anew to a container that is started again. */
const lasting = (project: ComposeProject) =>
  project.containers().map(({ name, limits, networks }) => ({
    name,
    limits,
    networks: networks.map(({ network, aliases, fixed }) => ({ network, aliases, fixed })),
  }));

describeRare('docker', 'compose-restart', 'an engine of its own takes five minutes', () => {
  let engine: PrivateEngine;
  let project: ComposeProject;
  let before: ReturnType<typeof lasting>;

  beforeAll(async () => {
    engine = await PrivateEngine.start();
    project = await ComposeProject.start('ackproof-restart', engine);
    before = lasting(project);
    const target =
      'apiVersion: ackproof/v1\nkind: compose\nproject: ackproof-restart\nattach: true\nallowFaults: [cpu-throttle, node-isolate]\n';
    writeFileSync(join(engine.folder, 'target.yaml'), target);
    writeFileSync(join(engine.folder, 'engine-restart.yaml'), SCENARIO);
  }, 20 * MINUTES);

  afterAll(async () => {
    try {
      await engine.up();
      await project[Symbol.asyncDispose]();
    } finally {
      await engine[Symbol.asyncDispose]();
    }
  }, 5 * MINUTES);

  /** Starts the drill; returns once both faults act. */
  const underFaults = async (out: string) => {
    const directory = join(engine.folder, out);
    const child = engine.startRun(['run', join(engine.folder, 'engine-restart.yaml'), '--out', directory]);
    const told = { text: '' };
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        told.text += chunk.toString('utf8');
      });
    }
    const isDue = (): boolean => {
      const [runId] = readdirSync(directory);
      const edges = runId === undefined ? [] : readEdges(join(directory, runId, 'journal.ndjson'));
      return edges.filter(({ edge }) => edge === 'applied').length === 2;
    };
    const bothAct = (): boolean => {
      try {
        return isDue();
      } catch {
        // Its directory is not there yet.
        return false;
      }
    };
    await expect.poll(bothAct, { timeout: 3 * MINUTES, interval: 50 }).toBe(true);
    return { child, told, runId: readdirSync(directory)[0] ?? '', directory };
  };

  /** Kills whatever names the run: ackproof and its watchdog. */
  const killAll = async (child: ReturnType<typeof startProgram>, runId: string): Promise<void> => {
    const exited = once(child, 'exit');
    for (const pid of processesNaming(runId)) process.kill(pid, 'SIGKILL');
    child.kill('SIGKILL');
    await exited;
    while (processesNaming(runId).length > 0) await delay(20);
  };

  const startAll = async (): Promise<void> => {
    for (const { name } of before) engine.docker('start', name);
    await expect.poll(() => project.containers().every(({ isRunning }) => isRunning), { timeout: MINUTES }).toBe(true);
  };

  test(
    'a killed run, its watchdog killed, and the engine restarted: heal puts back what the faults changed, field by field',
    async () => {
      const { child, runId } = await underFaults('killed');
      expect(lasting(project)).not.toEqual(before);
      await killAll(child, runId);
      await engine.down();
      const status = await engine.run(['status']);
      expect(status.stdout).toMatch(
        /left behind.*containers: nobody can tell. The Docker engine at .* cannot be reached/su,
      );
      const early = await engine.run(['heal', '--all']);
      expect(early.stdout).toContain('start that engine, then run: ackproof heal --run');
      expect(early.exitCode).toBe(4);
      await engine.up();
      const refused = await engine.run(['run', join(engine.folder, 'engine-restart.yaml'), '--out', engine.folder]);
      expect(refused.stderr).toMatch(/RESIDUE_FOUND.*heal --run/su);
      expect(refused.exitCode).toBe(69);
      const healed = await engine.run(['heal', '--all']);
      expect(healed.exitCode, healed.stdout).toBe(0);
      expect(readdirSync(join(engine.folder, 'state', 'ackproof', 'runs'))).toEqual([]);
      await startAll();
      expect(lasting(project)).toEqual(before);
      expect(engine.docker('volume', 'ls', '-q', '--filter', 'label=ackproof.lock')).toBe('');
    },
    10 * MINUTES,
  );

  test(
    'an engine that goes away under a drill ends it with exit 4 and a way back, and what it recorded is kept',
    async () => {
      const { child, told, runId, directory } = await underFaults('left');
      const exited = once(child, 'exit');
      await engine.down('SIGKILL');
      const [exitCode] = (await exited) as [number | null];
      expect(exitCode, told.text).toBe(4);
      expect(told.text).toMatch(/ackproof heal --(run|all)/u);
      expect(readFileSync(join(directory, runId, 'run.json'), 'utf8')).toContain('"verdict"');
      await engine.up();
      const healed = await engine.run(['heal', '--all']);
      expect(healed.exitCode, healed.stdout).toBe(0);
      await startAll();
      expect(lasting(project)).toEqual(before);
    },
    10 * MINUTES,
  );
});
