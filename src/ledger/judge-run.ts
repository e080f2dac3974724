// Judges a run directory from its files alone: the judgement, and beside it what the ledger says about availability, bounds
// and heal. The same files give the same result, on any machine, whenever it is asked.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../errors.ts';
import { availabilityOf, faultTurns, routineStall } from './availability.ts';
import { type Bounds, boundsState, checkBounds } from './bounds.ts';
import { withRunFacts } from './grouped-run.ts';
import { type JudgeOptions, judge } from './judge.ts';
import type { PartitionAvailability, RunResult } from './judgement.ts';
import type { RunFacts } from './run-facts.ts';
import { loadWindow, type PartitionService, serviceOf } from './service.ts';
import { type StorageGate, storageGatesOf } from './storage-gates.ts';
import { readStorageLines } from './storage-lines.ts';

export interface JudgeRunOptions extends JudgeOptions {
  /** Liveness bounds; none by default. */
  readonly bounds?: Bounds;
  /** How the run ended, which only the run knows; default `complete`. */
  readonly ended?: RunResult['ended'];
}

/** The longest stall of the control run below a run directory, ms; 0 where there is none that can be read. */
const routineOf = (directory: string): number => {
  const control = join(directory, 'control');
  if (!existsSync(join(control, 'contract.json'))) return 0;
  try {
    return withRunFacts(control, (facts) =>
      routineStall(facts.partitions.map(({ topic, partition }) => serviceOf(facts.load(topic, partition)))),
    );
  } catch (thrown) {
    if (thrown instanceof InputError) return 0;
    throw thrown;
  }
};

const availability = (
  facts: RunFacts,
  services: readonly PartitionService[],
  directory: string,
  { recoverWithinMs }: Bounds,
): PartitionAvailability[] => {
  const load = loadWindow(services);
  if (load === undefined) return [];
  const turns = faultTurns(facts.faults, load.to);
  const routineMs = turns.length === 0 ? 0 : routineOf(directory);
  return services
    .filter(({ sent }) => sent !== undefined)
    .map((service) =>
      availabilityOf(service, turns, load, { routineMs, recoverWithinMs, standstills: facts.standstills }),
    )
    .sort((one, other) =>
      one.topic < other.topic ? -1 : one.topic > other.topic ? 1 : one.partition - other.partition,
    );
};

/** Failed while the last thing said about a fault is that it could not be healed. */
const healOf = ({ faults }: RunFacts): RunResult['heal'] => {
  const last = new Map(faults.map(({ id, edge }) => [id, edge]));
  return [...last.values()].includes('heal-failed') ? 'failed' : 'clean';
};

/** Faults whose name says that objects are deleted for good. */
const DELETES_OBJECTS = 'object-loss';

const gatesIn = (directory: string, { faults, harness }: RunFacts): readonly StorageGate[] =>
  storageGatesOf(readStorageLines(directory), {
    isDamaged: harness.some(({ anomaly }) => anomaly === 'ledger-damaged'),
    deletedOnPurpose: faults.some(({ fault }) => fault === DELETES_OBJECTS),
  });

/**
 * Judges the files of one run directory; a `control` or `preflight` directory below it is judged by itself, and of the control
 * run only what it shows as routine counts here.
 * Throws InputError if it is not a run directory or was written by a newer version.
 */
export const judgeRun = async (directory: string, options: JudgeRunOptions = {}): Promise<RunResult> =>
  await Promise.resolve(withRunFacts(directory, (facts) => judged(facts, directory, options)));

const judged = (facts: RunFacts, directory: string, options: JudgeRunOptions): RunResult => {
  const services: PartitionService[] = [];
  const judgement = judge(facts, { ...options, onPartition: (log) => services.push(serviceOf(log)) });
  const { bounds = {} } = options;
  const partitions = availability(facts, services, directory, bounds);
  const boundResults = checkBounds(bounds, partitions);
  const gates = gatesIn(directory, facts);
  return {
    formatVersion: 1,
    judgement,
    bounds: boundsState(boundResults),
    boundResults,
    availability: partitions,
    ...(gates.length === 0 ? {} : { gates }),
    heal: healOf(facts),
    ended: options.ended ?? 'complete',
  };
};
