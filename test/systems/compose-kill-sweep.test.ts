// kill -9 of ackproof while a fault is prepared, begins, acts or is healed on a compose project that is somebody else's: the project
// must be left as it was, field by field, and nothing beside it. One project serves all kills; it is started and ended by the test, not by ackproof. How many kills there are
// is set by ACKPROOF_KILLS. What it takes is dockerd, Compose and the images of `npm run images`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomStream } from '../../src/random.ts';
import { describeSystem } from '../support/systems.ts';
import { clusterSnapshot } from './kill-sweep/cluster-snapshot.ts';
import { ComposeProject } from './kill-sweep/compose-project.ts';
import {
  CONTAINER_FAULTS,
  type ContainerFault,
  MAKES_TOPIC,
  writeContainerScenario,
} from './kill-sweep/compose-scenario.ts';
import { type ContainerKill, killAtMoment, momentOf } from './kill-sweep/compose-sweep.ts';

const kills = Number(process.env['ACKPROOF_KILLS'] ?? 6);
const seed = Number(process.env['ACKPROOF_KILL_SEED'] ?? 1);
const MINUTES = 60_000;
/** Long enough to be killed under it; short, where it is killed as it is healed. */
const SECONDS = { lasting: 40, brief: 3 };

const summaryOf = (outcomes: readonly ContainerKill[]): string => {
  const places = new Map<string, number>();
  for (const { during } of outcomes) places.set(during, (places.get(during) ?? 0) + 1);
  const slowest = Math.max(...outcomes.map(({ goneAfterMs }) => goneAfterMs));
  return (
    `${outcomes.length} kills, after ${[...places].map(([place, count]) => `${place} ${count}`).join(', ')}; ` +
    `${outcomes.filter(({ isBesideCall }) => isBesideCall).length} within 50 ms of an announced call; ` +
    `${outcomes.filter(({ by }) => by === 'heal').length} left to heal; gone after at most ${slowest} ms`
  );
};

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
    `${kills} kills around a fault leave the project as it was, field by field`,
    async () => {
      const random = randomStream(seed, 'compose-kill-sweep');
      const env = { XDG_STATE_HOME: join(directory, 'state') };
      const snapshot = async (): Promise<unknown> => [project.snapshot(), await clusterSnapshot()];
      const before = await snapshot();
      const outcomes: ContainerKill[] = [];
      for (let index = 0; index < kills; index++) {
        const fault: ContainerFault = CONTAINER_FAULTS[index % CONTAINER_FAULTS.length] ?? 'node-isolate';
        // What this kernel cannot do is refused, and leaves what it was tried with if it is killed meanwhile.
        const moment = momentOf(fault === 'packet-loss' ? 0 : index, MAKES_TOPIC.has(fault), random);
        const seconds = moment.after === 'healing' ? SECONDS.brief : SECONDS.lasting;
        const scenario = writeContainerScenario(directory, fault, project.name, seconds);
        const outcome = await killAtMoment({ scenario, out: join(directory, 'runs'), env }, moment);
        const after = await snapshot();
        outcomes.push(outcome);
        process.stderr.write(`${index + 1} ${fault} ${JSON.stringify(outcome)}\n`);
        expect.soft(after, `${fault} of ${outcome.runId}`).toEqual(before);
      }
      expect(outcomes.flatMap(({ runId, troubles }) => troubles.map((trouble) => `${runId}: ${trouble}`))).toEqual([]);
      process.stderr.write(`${summaryOf(outcomes)}\n`);
    },
    kills * 4 * MINUTES,
  );

  test(
    'Ctrl-C three times under a fault leaves the rest to the watchdog, and nothing on the project',
    async () => {
      const env = { XDG_STATE_HOME: join(directory, 'state') };
      const before = [project.snapshot(), await clusterSnapshot()];
      const scenario = writeContainerScenario(directory, 'disk-full', project.name, SECONDS.lasting);
      const drill = { scenario, out: join(directory, 'runs'), env };
      const outcome = await killAtMoment(drill, { after: 'applied', afterMs: 500 }, 'Ctrl-C three times');
      process.stderr.write(`${JSON.stringify(outcome)}\n`);
      expect([project.snapshot(), await clusterSnapshot()]).toEqual(before);
      expect(outcome).toMatchObject({ wasKilled: true, troubles: [] });
    },
    4 * MINUTES,
  );
});
