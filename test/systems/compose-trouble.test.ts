// What goes wrong with a compose project, on a real Docker engine: what cannot be started, and what is done to a project behind the back
// of a run. Each ends with a sentence and the right exit code, and leaves nothing. What it takes is dockerd, Compose and the images of
// `npm run images`.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EngineDoor, nameProgram } from '../support/engine-door.ts';
import { useOwnImages } from '../support/own-images.ts';
import { type ProgramResult, runProgram, startProgram } from '../support/program.ts';
import { describeSystem, IS_WHOLE_ROUND } from '../support/systems.ts';
import { ComposeProject } from './kill-sweep/compose-project.ts';
import { smallDrill } from './small-drill.ts';

const MINUTES = 60_000;
const docker = (...words: readonly string[]): string => execFileSync('docker', [...words], { encoding: 'utf8' });

/** Containers, networks and volumes of a project, and its lock. */
const leftOf = (project: string): string =>
  [`com.docker.compose.project=${project}`, `ackproof.lock=${project}`]
    .flatMap((label) => [
      docker('ps', '-aq', '--filter', `label=${label}`),
      docker('network', 'ls', '-q', '--filter', `label=${label}`),
      docker('volume', 'ls', '-q', '--filter', `label=${label}`),
    ])
    .join('');

const scenarioOf = (faults: string): string =>
  smallDrill({
    name: 'trouble',
    claim: 'What is done to a project behind the back of a run is told, and proves nothing.',
    duration: '20s',
    faults,
  });

const CUT = `faults:
  - { fault: client-partition, victim: { broker: 2 }, at: 1s, duration: 15s, heal: { timeout: 20s } }`;

describeSystem('docker', () => {
  let folder: string;
  beforeAll(() => {
    useOwnImages();
    folder = mkdtempSync(join(tmpdir(), 'ackproof-compose-trouble-'));
  }, 20 * MINUTES);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  describe('a project that cannot be started is told with exit 69, and nothing of it is left', () => {
    const project = 'ackproof-trouble';
    const start = async (more: string, env: Readonly<Record<string, string>>): Promise<ProgramResult> => {
      write('target.yaml', `apiVersion: ackproof/v1\nkind: compose\nproject: ${project}\n${more}`);
      const scenario = write('start.yaml', scenarioOf('baseline: true'));
      const own = { XDG_STATE_HOME: join(folder, 'state'), ...env };
      return await runProgram(['run', scenario, '--out', join(folder, 'start')], own);
    };
    const seen = (run: ProgramResult): void => {
      expect(run.exitCode, run.stderr).toBe(69);
      expect(leftOf(project)).toBe('');
      expect(readdirSync(join(folder, 'state', 'ackproof', 'runs'))).toEqual([]);
    };

    test(
      'for want of an image',
      async () => {
        const run = await start('', { ACKPROOF_KAFKA_IMAGE: '127.0.0.1:9/nobody/kafka:0' });
        expect(run.stderr).toMatch(/COMPOSE_FAILED — .*127\.0\.0\.1:9.*If an image cannot be had, build them/su);
        seen(run);
      },
      3 * MINUTES,
    );

    test(
      'because a port is taken',
      async () => {
        const server = createServer().listen(0, '127.0.0.1');
        await once(server, 'listening');
        const address = server.address();
        const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
        const run = await start('', { ACKPROOF_DIRECT_PORT_1: String(port) });
        server.close();
        expect(run.stderr).toMatch(new RegExp(`COMPOSE_FAILED — .*${port}.*if a port is taken, set another`, 'su'));
        seen(run);
      },
      3 * MINUTES,
    );

    test(
      'because a broker ends as soon as it starts',
      async () => {
        const run = await start('', { ACKPROOF_LOG_SIZE: '4k' });
        expect(run.stderr).toMatch(/TARGET_CONTAINER_ENDED — The container \S+broker-\d\S* is exited.*docker logs/su);
        seen(run);
      },
      5 * MINUTES,
    );

    test(
      'because no broker is ready in time',
      async () => {
        const run = await start('startTimeout: 4s\n', {});
        expect(run.stderr).toMatch(/DEADLINE_PASSED — Waited \d+ ms for .*; last seen: /u);
        seen(run);
      },
      5 * MINUTES,
    );
  });

  describe('a project that is somebody else’s', () => {
    let project: ComposeProject;
    beforeAll(async () => {
      project = await ComposeProject.start('ackproof-trouble');
      write(
        'target.yaml',
        `apiVersion: ackproof/v1\nkind: compose\nproject: ${project.name}\nattach: true\nallowFaults: [client-partition]\n`,
      );
    }, 10 * MINUTES);
    afterAll(async () => {
      await project[Symbol.asyncDispose]();
    }, 5 * MINUTES);

    const env = () => ({ XDG_STATE_HOME: join(folder, 'state') });

    /** Runs a drill and does something to the project once it has told of `when`. */
    const during = async (
      faults: string,
      when: RegExp,
      act: () => unknown,
      more: Readonly<Record<string, string>> = {},
    ): Promise<ProgramResult> => {
      const words = ['run', write('drill.yaml', scenarioOf(faults)), '--out', join(folder, 'runs')];
      const child = startProgram(words, { ...env(), ...more });
      const told = { stdout: '', stderr: '' };
      child.stdout.on('data', (chunk: Buffer) => {
        told.stdout += chunk.toString('utf8');
      });
      const acted = new Promise<void>((done) => {
        child.stderr.on('data', (chunk: Buffer) => {
          told.stderr += chunk.toString('utf8');
          if (when.test(told.stderr)) done();
        });
      });
      const exited = once(child, 'close');
      await Promise.race([acted, exited]);
      await act();
      const [exitCode] = (await exited) as [number | null];
      return { exitCode, ...told };
    };
    const STEADY = /fault run: steady|steady for/u;
    const APPLIED = /client-partition-1 .*: confirmed/u;
    const isClean = async (): Promise<void> => {
      const runs = (): readonly string[] => readdirSync(join(folder, 'state', 'ackproof', 'runs'));
      await expect.poll(runs, { timeout: 30_000, interval: 100 }).toEqual([]);
    };
    const serves = async (): Promise<void> => {
      const healthy = (): string =>
        docker(
          'ps',
          '-q',
          '--filter',
          'health=healthy',
          '--filter',
          `label=com.docker.compose.project=${project.name}`,
        );
      await expect.poll(() => healthy().trim().split('\n').length, { timeout: 2 * MINUTES, interval: 500 }).toBe(6);
    };

    test(
      'may have its containers renamed: nothing is found by a name',
      async () => {
        const id = project.idOf('broker-1');
        const name = docker('inspect', '--format', '{{.Name}}', id).trim().slice(1);
        docker('rename', id, 'somebody-elses-name');
        const run = await runProgram(
          ['run', write('renamed.yaml', scenarioOf('baseline: true')), '--out', join(folder, 'runs')],
          env(),
        );
        docker('rename', id, name);
        expect(run.stdout, run.stderr).toMatch(/^PASS/u);
        expect(run.exitCode).toBe(0);
      },
      5 * MINUTES,
    );

    test(
      'and of which a broker is restarted proves nothing',
      async () => {
        const run = await during('baseline: true', STEADY, () =>
          docker('restart', '-t', '0', project.idOf('broker-3')),
        );
        expect(run.stdout, run.stderr).toMatch(/^INCONCLUSIVE .*broker\/3/u);
        expect(run.exitCode).toBe(2);
        await isClean();
        await serves();
      },
      5 * MINUTES,
    );

    // The engine remembers its last 256 events, and a program that is named to it is one.
    test(
      'nor one of which a broker is restarted while the engine cannot be heard, and has forgotten it by then',
      async () => {
        await using door = await EngineDoor.open(join(folder, 'engine.sock'));
        const id = project.idOf('broker-3');
        const unheard = async (): Promise<void> => {
          door.shut();
          docker('restart', '-t', '0', id);
          for (let times = 0; times < 300; times++) await nameProgram(id);
          await door.open();
        };
        const run = await during('baseline: true', STEADY, unheard, { DOCKER_HOST: door.url });
        expect(run.stdout, run.stderr).toMatch(/^INCONCLUSIVE .*broker\/3 ended by itself/u);
        expect(run.exitCode).toBe(2);
        const [last = ''] = readdirSync(join(folder, 'runs')).sort().slice(-1);
        const timeline = readFileSync(join(folder, 'runs', last, 'timeline.ndjson'), 'utf8');
        expect(timeline).toMatch(/"source":"target","text":"nobody told what became of the containers from /u);
        await isClean();
        await serves();
      },
      5 * MINUTES,
    );

    test(
      'and whose Toxiproxy is restarted under a fault proves nothing, and the proxies are as they were',
      async () => {
        const before = project.snapshot();
        const run = await during(CUT, APPLIED, () => docker('restart', '-t', '0', project.idOf('toxiproxy-client')));
        expect(run.stdout, run.stderr).toMatch(/^INCONCLUSIVE /u);
        expect(run.exitCode).toBe(2);
        await isClean();
        expect(project.snapshot()).toEqual(before);
      },
      5 * MINUTES,
    );

    // A replay through a path that is silent takes its whole time.
    test.skipIf(!IS_WHOLE_ROUND)(
      'and whose Toxiproxy does not answer any more cannot be healed, until it does',
      async () => {
        const before = project.snapshot();
        const id = project.idOf('toxiproxy-client');
        const run = await during(CUT, APPLIED, () => docker('pause', id));
        expect(run.exitCode, run.stdout + run.stderr).toBe(4);
        expect(run.stdout).toMatch(/^HEAL FAILED a fault may still be active; run: ackproof heal --all/u);
        const [last] = readdirSync(join(folder, 'runs')).sort().slice(-1);
        expect(readFileSync(join(folder, 'runs', last ?? '', 'run.json'), 'utf8')).toContain('heal');
        docker('unpause', id);
        const healed = await runProgram(['heal', '--all'], env());
        expect(healed.exitCode, healed.stdout).toBe(0);
        await isClean();
        expect(project.snapshot()).toEqual(before);
      },
      5 * MINUTES,
    );
  });
});
