// Drills of scenarios/kafka on Apache Kafka in Docker, each of another fault, all on one cluster that is somebody else's: it must be as
// it was after each. The control run is made once: the cluster is the same for all. A drill that destroys what a broker has is made
// on a cluster of its own. What it takes is dockerd, Compose and the images of `npm run images`.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgram } from '../support/program.ts';
import { describeSystem, IS_WHOLE_ROUND } from '../support/systems.ts';
import { ComposeProject } from './kill-sweep/compose-project.ts';

const scenarios = resolve(import.meta.dirname, '..', '..', 'scenarios', 'kafka');
const MINUTES = 60_000;
const LOST = /^FAIL [\d,]+ acked records missing/u;

const DRILLS = [
  { scenario: 'leader-kill', fault: 'process-kill', hasControl: true },
  { scenario: 'isolated-leader', fault: 'node-isolate' },
  { scenario: 'full-disk', fault: 'disk-full' },
  { scenario: 'crash-loop', fault: 'crash-loop' },
  { scenario: 'partitioned-leader', fault: 'network-partition' },
  { scenario: 'slow-follower-link', fault: 'bandwidth-limit' },
  { scenario: 'leader-election', fault: 'leader-election' },
  { scenario: 'partition-reassignment', fault: 'partition-reassignment', isExtra: true },
  { scenario: 'broker-degrade', fault: 'broker-degrade', isExtra: true },
  { scenario: 'losses/acks-one', fault: 'process-pause', first: LOST, exitCode: 1 },
];

describeSystem('docker', () => {
  let folder: string;
  let project: ComposeProject;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ackproof-compose-drills-'));
    project = await ComposeProject.start('ackproof-drills');
  }, 20 * MINUTES);
  afterAll(async () => {
    await project[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }, 5 * MINUTES);

  /** The drill as it is shipped, but for its control run. */
  const fileOf = (scenario: string, hasControl: boolean): string => {
    const file = join(folder, `${scenario.replace('/', '-')}.yaml`);
    const shipped = readFileSync(join(scenarios, `${scenario}.yaml`), 'utf8');
    writeFileSync(file, shipped.replace(/^control: .*$/mu, `control: ${hasControl}`));
    return file;
  };

  const drill = async (scenario: string, hasControl: boolean, target: string) => {
    const file = join(folder, `${target}.yaml`);
    const place = target === 'attached' ? `project: ${project.name}\nattach: true\n` : 'project: ackproof-lost\n';
    writeFileSync(file, `apiVersion: ackproof/v1\nkind: compose\n${place}`);
    const words = ['run', fileOf(scenario, hasControl), '--target', file, '--yes', '--out', join(folder, 'runs')];
    return await runProgram(words, { XDG_STATE_HOME: join(folder, 'state') });
  };

  test.each(DRILLS.filter(({ isExtra = false }) => IS_WHOLE_ROUND || !isExtra))(
    '$scenario ends as written under $fault, and the cluster is as it was',
    async ({ scenario, fault, hasControl = false, first = /^PASS/u, exitCode = 0 }) => {
      const before = project.snapshot();
      const run = await drill(scenario, hasControl, 'attached');
      expect(run.stdout.split('\n')[0], run.stdout + run.stderr).toMatch(first);
      expect(run.exitCode).toBe(exitCode);
      expect(run.stdout).toMatch(new RegExp(`${fault} on [^:]*: confirmed`, 'u'));
      expect(project.snapshot()).toEqual(before);
    },
    5 * MINUTES,
  );

  test(
    'broker-replacement passes: container and volume are taken away and made again, and the broker is rebuilt from its peers',
    async () => {
      // Both would publish the same ports.
      await project[Symbol.asyncDispose]();
      const run = await drill('broker-replacement', false, 'started');
      expect(run.stdout.split('\n')[0], run.stdout + run.stderr).toMatch(/^PASS/u);
      expect(run.exitCode).toBe(0);
      expect(run.stderr).toMatch(/node-loss-1 on broker\/\d: healed/u);
    },
    10 * MINUTES,
  );
});
