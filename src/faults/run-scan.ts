// How what runs left is found: processes by their environment, containers by their label. A test looks at its own only, and a run
// that has nothing to do with Docker asks no engine.
import type { MarkedContainer } from '../targets/container-heal.ts';
import { markedProcesses, type ProcessScan } from './run-processes.ts';

export interface RunScan {
  readonly processes: ProcessScan;
  /** Containers of whatever run, on the engine that Docker's own command uses. */
  containers(): Promise<readonly MarkedContainer[]>;
  /** Names of the containers of one run, on the engine it was registered with. */
  containersOf(engine: string, runId: string): Promise<readonly string[]>;
  /** Names of the locks that a run holds on that engine. */
  locksOf(engine: string, runId: string): Promise<readonly string[]>;
}

/** Slow to load, and not needed where no engine is asked. */
const engines = async () => await import('../targets/container-heal.ts');

/** Everything that can be found from here. */
export const wholeScan: RunScan = {
  processes: markedProcesses,
  containers: async () => await (await engines()).markedContainers(),
  containersOf: async (engine, runId) => await (await engines()).containersOfRun(engine, runId),
  locksOf: async (engine, runId) => await (await engines()).locksOfRun(engine, runId),
};

/** Without the containers of runs that nobody here knows of. */
export const scanWithoutEngine: RunScan = { ...wholeScan, containers: async () => await Promise.resolve([]) };
