// A part of a run in a folder of its own, without a cluster: what it writes is read back as the text history of that folder.
import { resolve } from 'node:path';
import { exportRun } from '../../src/ledger/export-run.ts';
import { loadScenario } from '../../src/scenarios/loader.ts';
import { Part } from '../../src/scenarios/part.ts';
import type { PartName } from '../../src/scenarios/progress.ts';
import { VirtualClock } from '../faults/virtual-clock.ts';

const { scenario } = loadScenario(resolve('scenarios', 'leader-kill.yaml'));

export interface PartFixture {
  readonly part: Part;
  readonly clock: VirtualClock;
}

export const openPart = (runDirectory: string, name: PartName = 'main'): PartFixture => {
  const clock = new VirtualClock();
  const { contract } = scenario;
  const topic = { ...scenario.workload.topic, partitions: 2 };
  return { clock, part: new Part({ name, runId: 'run-1', runDirectory, contract, topic, clock }) };
};

/** The lines of what was recorded in `directory`, its header first. */
export const linesIn = async (directory: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
  const lines: Readonly<Record<string, unknown>>[] = [];
  for await (const line of exportRun(directory)) lines.push(JSON.parse(line) as Readonly<Record<string, unknown>>);
  return lines;
};
