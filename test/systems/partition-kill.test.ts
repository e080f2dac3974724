// kill -9 of ackproof while a partition by packet filters acts on a compose project that is somebody else's, alone and together with its
// watchdog: every filter must come back as it was. What it takes is dockerd, Compose and the images of `npm run images`.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgram, startProgram } from '../support/program.ts';
import { describeRare } from '../support/systems.ts';
import { cutHelpers, packetFiltersOf } from './docker/packet-filters.ts';
import { ComposeProject } from './kill-sweep/compose-project.ts';
import { killAtMoment } from './kill-sweep/compose-sweep.ts';
import { processesNaming } from './kill-sweep/remains.ts';
import { smallDrill } from './small-drill.ts';

const MINUTES = 60_000;
const SERVICES = ['broker-1', 'broker-2', 'broker-3', 'controller-1', 'controller-2', 'controller-3'];

const SCENARIO = smallDrill({
  name: 'partition-kill',
  claim: "A drill that dies while nodes are cut off leaves somebody else's packet filters as they were.",
  duration: '60s',
  faults: `faults:
  - { fault: network-partition, backend: netns, victim: { broker: 2 }, params: { from: [broker/3] }, at: 1s, duration: 40s }`,
});

describeRare('docker', 'partition-kill', 'its two kills take four minutes', () => {
  let folder: string;
  let project: ComposeProject;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ackproof-partition-kill-'));
    project = await ComposeProject.start('ackproof-cut');
    const target = `apiVersion: ackproof/v1\nkind: compose\nproject: ${project.name}\nattach: true\n`;
    writeFileSync(join(folder, 'target.yaml'), `${target}allowFaults: [network-partition]\n`);
    writeFileSync(join(folder, 'drill.yaml'), SCENARIO);
  }, 20 * MINUTES);
  afterAll(async () => {
    await project[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }, 5 * MINUTES);

  const env = () => ({ XDG_STATE_HOME: join(folder, 'state') });
  const filters = (): readonly string[] => packetFiltersOf(SERVICES.map((service) => project.idOf(service)));

  test(
    'the watchdog puts every filter back',
    async () => {
      const before = filters();
      const drill = { scenario: join(folder, 'drill.yaml'), out: join(folder, 'runs'), env: env() };
      const outcome = await killAtMoment(drill, { after: 'applied', afterMs: 500 });
      expect([outcome.troubles, outcome.by]).toEqual([[], 'watchdog']);
      expect([filters(), cutHelpers()]).toEqual([before, '']);
    },
    5 * MINUTES,
  );

  test(
    'without a watchdog the next run is refused, and heal puts every filter back',
    async () => {
      const before = filters();
      const words = ['run', join(folder, 'drill.yaml'), '--out', join(folder, 'runs')];
      const child = startProgram(words, env());
      let told = '';
      child.stdout.resume();
      child.stderr.on('data', (chunk: Buffer) => {
        told += chunk.toString('utf8');
      });
      await expect.poll(() => told, { timeout: 2 * MINUTES }).toMatch(/network-partition-1 .*: confirmed/u);
      const runId = /→ \S*\/(\S+)\n/u.exec(told)?.[1] ?? '';
      const exited = once(child, 'exit');
      for (const pid of [...processesNaming(runId).filter((each) => each !== child.pid), child.pid ?? 0])
        process.kill(pid, 'SIGKILL');
      await exited;
      expect(filters()).not.toEqual(before);
      const next = await runProgram(words, env());
      expect([next.exitCode, next.stderr]).toEqual([69, expect.stringContaining(`ackproof heal --run ${runId}`)]);
      const healed = await runProgram(['heal', '--all'], env());
      expect(healed.exitCode, healed.stdout + healed.stderr).toBe(0);
      expect([filters(), cutHelpers()]).toEqual([before, '']);
    },
    5 * MINUTES,
  );
});
