// kill -9 of ackproof while a fault of containers acts on a compose project that is somebody else's: the project must be left as it
// was, field by field. One project serves all kills; it is started and ended by the test, not by ackproof. How many kills there are
// is set by ACKPROOF_KILLS. What it takes is dockerd, Compose and the images of `npm run images`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomStream } from '../../src/random.ts';
import { describeSystem } from '../support/systems.ts';
import { ComposeProject } from './kill-sweep/compose-project.ts';
import { CONTAINER_FAULTS, type ContainerFault, writeContainerScenario } from './kill-sweep/compose-scenario.ts';
import { type ContainerKill, killUnderFault } from './kill-sweep/compose-sweep.ts';

const kills = Number(process.env['ACKPROOF_KILLS'] ?? 6);
const seed = Number(process.env['ACKPROOF_KILL_SEED'] ?? 1);
const MINUTES = 60_000;

describeSystem('docker', () => {
  let directory: string;
  let project: ComposeProject;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'ackproof-compose-kills-'));
    project = await ComposeProject.start('ackproof-kills');
  }, 20 * MINUTES);

  afterAll(async () => {
    await project[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  }, 5 * MINUTES);

  test(
    `${kills} kills under a fault of containers leave the project as it was, field by field`,
    async () => {
      const random = randomStream(seed, 'compose-kill-sweep');
      const env = { XDG_STATE_HOME: join(directory, 'state') };
      const before = project.snapshot();
      const outcomes: ContainerKill[] = [];
      for (let index = 0; index < kills; index++) {
        const fault: ContainerFault = CONTAINER_FAULTS[index % CONTAINER_FAULTS.length] ?? 'node-isolate';
        const scenario = writeContainerScenario(directory, fault, project.name);
        const outcome = await killUnderFault({ scenario, out: join(directory, 'runs'), env }, random.integer(3000));
        const after = project.snapshot();
        outcomes.push(outcome);
        process.stderr.write(`${index + 1} ${fault} ${JSON.stringify(outcome)}\n`);
        expect.soft(after, `${fault} of ${outcome.runId}`).toEqual(before);
      }
      expect(outcomes.flatMap(({ runId, troubles }) => troubles.map((trouble) => `${runId}: ${trouble}`))).toEqual([]);
      expect(outcomes.filter(({ faultActive }) => faultActive)).toHaveLength(kills);
    },
    kills * 4 * MINUTES,
  );
});
