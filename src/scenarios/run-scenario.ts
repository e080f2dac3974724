// The whole drill. The one module that knows everyone: it starts the watchdog before anything else, runs preflight, control
// and the fault run, and leaves nothing behind whatever happens. It prints nothing and judges nothing.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLIENT_REGISTRY, clientNamed } from '../clients/registry.ts';
import { type Clock, systemClock } from '../clock.ts';
import { type AckproofError, type ErrorKind, InternalError } from '../errors.ts';
import { forgetHealedRun, registerRun } from '../faults/registration.ts';
import { assertNoResidue } from '../faults/residue.ts';
import { scanWithoutEngine, wholeScan } from '../faults/run-scan.ts';
import { lockNames, lockTarget } from '../faults/target-lock.ts';
import { startWatchdog, type Watchdog } from '../faults/watchdog.ts';
import type { RunResult } from '../ledger/judgement.ts';
import type { RunRecord } from '../ledger/run-record.ts';
import { freshSeed } from '../random.ts';
import { belongingsOf, reachEngine } from '../targets/belongings.ts';
import { startTarget } from '../targets/registry.ts';
import type { StartedTarget } from '../targets/target.ts';
import { describeSpec, metricsOf } from '../targets/target-spec.ts';
import { assertDefects } from '../targets/wanted-defects.ts';
import { ClusterEye } from './cluster-eye.ts';
import { assertConsent } from './consent.ts';
import { Interruption } from './interruption.ts';
import type { LoadedScenario } from './loader.ts';
import type { RunListener } from './progress.ts';
import type { RunContext } from './run-context.ts';
import { createRunDirectory, type RunPlace } from './run-directory.ts';
import { assertEndedWell, endAll, withCleanUp } from './run-ending.ts';
import { type PartOutcome, type PartPlan, runPart } from './run-part.ts';
import { type RunFacts, RunRecorder } from './run-records.ts';
import { asRunTrouble } from './run-trouble.ts';
import { type SizeWatch, watchSize } from './size-limit.ts';
import { refuseWithoutProxies } from './unsupported-fault.ts';

export interface RunOptions {
  /** Where run directories are made. */
  readonly out: string;
  /** Named bugs to start the embedded brokers with. */
  readonly defects?: readonly string[];
  /** Leave the cluster as it is after a violation, until interrupted. */
  readonly stopOnLoss?: boolean;
  /** The same whatever the verdict, the topic of the fault run included. */
  readonly keep?: boolean;
  /** False leaves the control part out, whatever the scenario says: for somebody who runs the same scenario without its fault anyway. */
  readonly control?: boolean;
  /** For each replay pass, ms; default a minute. A shorter one turns a pass that is stuck into `unseen` sooner, and nothing else. */
  readonly passDeadlineMs?: number;
  /** What the run directory may hold, bytes; default 4 GiB. Beyond it a load is stopped, and the run proves nothing. */
  readonly maxBytes?: number;
  /** Somebody said that a Docker Compose project which runs already may be broken. */
  readonly consent?: boolean;
  readonly interruption?: Interruption;
  readonly listener?: RunListener;
  readonly toolVersion: string;
  /** The exit code of a result; recorded in run.json, decided by the caller. */
  exitCodeOf(result: RunResult): number;
  /** The same for a run that came to no result. */
  exitCodeOfError(kind: ErrorKind): number;
}

export interface RunOutcome {
  readonly runDirectory: string;
  readonly result: RunResult;
  readonly record: RunRecord;
  readonly exitCode: number;
  /** What went wrong after the verdict, which stands all the same. */
  readonly troubles: readonly AckproofError[];
}

/** Records that each lane of the honesty check sends: about a thousand in all. */
const HONESTY_RECORDS = 1000;
const HONESTY_MS = 30_000;
const PASS_DEADLINE_MS = 60_000;
const MAX_BYTES = 4 * 1024 ** 3;

/**
 * Runs one drill to its end. Throws what kept it from a verdict (UsageError for a defect that is none or a consent that is missing, EnvironmentError, InputError, InternalError), after healing
 * and with run.json telling the same; a verdict of whatever kind is returned.
 */
export const runScenario = async (loaded: LoadedScenario, options: RunOptions): Promise<RunOutcome> => {
  const clock = systemClock;
  const { scenario } = loaded;
  const seed = scenario.seed ?? freshSeed();
  const defects = options.defects ?? [];
  assertDefects(defects, loaded.target);
  assertConsent(loaded, options.consent ?? false);
  await assertNoResidue(loaded.target.kind === 'compose' ? wholeScan : scanWithoutEngine);
  const place = createRunDirectory(options.out, scenario.name, clock);
  const recorder = beginRecord({ loaded, place, seed, defects, toolVersion: options.toolVersion, clock });
  const listener = options.listener ?? (() => undefined);
  listener({
    kind: 'started',
    scenario: scenario.name,
    seed,
    runDirectory: place.directory,
    target: describeSpec(loaded.target),
    defects,
    baseline: scenario.baseline,
  });
  try {
    const troubles: AckproofError[] = [];
    const result = await guarded(loaded, options, { clock, place, recorder, listener, seed, defects, troubles });
    assertEndedWell(result, troubles);
    const exitCode = options.exitCodeOf(result);
    try {
      recorder.finish(result, exitCode, troubles);
      writeFileSync(join(place.directory, 'judgement.json'), `${JSON.stringify(result, null, 2)}\n`);
    } catch (thrown) {
      troubles.push(asRunTrouble(thrown));
      assertEndedWell(result, troubles);
    }
    listener({ kind: 'finished', result, runDirectory: place.directory });
    return { runDirectory: place.directory, result, record: recorder.record, exitCode, troubles };
  } catch (thrown) {
    const first = asRunTrouble(thrown);
    try {
      recorder.fail(first, options.exitCodeOfError(first.kind));
    } catch (second) {
      // A disk that is full cannot take this either; the reason is still told.
      first.attached.push(second);
    }
    throw first;
  }
};

/** run.json, and the scenario and target as they were used; secrets are in neither. */
const beginRecord = (facts: RunFacts): RunRecorder => {
  const { loaded, place } = facts;
  try {
    const recorder = new RunRecorder(facts);
    writeFileSync(join(place.directory, 'scenario.yaml'), loaded.text);
    writeFileSync(join(place.directory, 'target.json'), `${JSON.stringify(loaded.target, null, 2)}\n`);
    return recorder;
  } catch (thrown) {
    throw asRunTrouble(thrown);
  }
};

interface Tools {
  readonly clock: Clock;
  readonly place: RunPlace;
  readonly recorder: RunRecorder;
  readonly listener: RunListener;
  readonly seed: number;
  readonly defects: readonly string[];
  /** What went wrong after a result was there, or a loss in hand. */
  readonly troubles: AckproofError[];
}

/** The part of a run that a watchdog guards: from before the target starts until after it is gone. */
const guarded = async (loaded: LoadedScenario, options: RunOptions, tools: Tools): Promise<RunResult> => {
  const { place, clock } = tools;
  const { runId, directory } = place;
  const journalPath = join(directory, 'journal.ndjson');
  // A run that is registered with an engine is forgotten only once that engine was asked.
  await reachEngine(loaded.target, options.interruption?.load);
  const who = { runId, journalPath, ...belongingsOf(loaded.target, directory) };
  await registerRun({ ...who, runDirectory: directory, target: loaded.target.name, wallMs: clock.wall() });
  const watchdog = await startWatchdog(who);
  const cleanUp = async (): Promise<void> => {
    await watchdog.stop();
    await forgetHealedRun(who);
  };
  return await withCleanUp(tools.troubles, cleanUp, async () => await onTarget(loaded, options, tools, watchdog));
};

const onTarget = async (
  loaded: LoadedScenario,
  options: RunOptions,
  tools: Tools,
  watchdog: Watchdog,
): Promise<RunResult> => {
  const interruption = options.interruption ?? new Interruption();
  const { place, recorder, defects } = tools;
  const target = await startTarget(loaded.target, {
    runId: place.runId,
    runDirectory: place.directory,
    ...(loaded.targetFolder === undefined ? {} : { specFolder: loaded.targetFolder }),
    defects,
    signal: interruption.load,
  });
  const eye = new ClusterEye(target.evidenceBootstrap, place.runId, target.security);
  const size = watchRunSize(tools, options);
  const cleanUp = async (): Promise<void> => {
    eye.close();
    await endAll(
      async () => await size[Symbol.asyncDispose](),
      async () => await target[Symbol.asyncDispose](),
    );
  };
  return await withCleanUp(tools.troubles, cleanUp, async () => {
    recorder.target(target);
    refuseWithoutProxies(loaded.scenario.faults, target);
    const clusterId = target.ephemeral ? undefined : await eye.clusterId();
    if (!target.ephemeral) await lockForOneDrill(target, clusterId, loaded.target.name, place.runId);
    const context = contextOf({ loaded, target, eye, clusterId, watchdog, size, interruption, tools, options });
    const result = await runParts(context, tools, options.control ?? true);
    const isLost = options.stopOnLoss === true && result.judgement.verdict === 'fail';
    if (isLost || options.keep === true) await leaveForInspection(context);
    return result;
  });
};

/** Somebody else's cluster: one drill at a time, told by its project, its own id or its addresses, whatever the target file is called. */
const lockForOneDrill = async (
  target: StartedTarget,
  clusterId: string | undefined,
  name: string,
  runId: string,
): Promise<void> => {
  for (const each of await lockNames(target, clusterId, name)) await lockTarget(each, runId);
};

const watchRunSize = ({ place, clock, listener }: Tools, { maxBytes = MAX_BYTES }: RunOptions): SizeWatch =>
  watchSize({
    directory: place.directory,
    maxBytes,
    clock,
    onExceeded: (what) => listener({ kind: 'note', text: `This run proves nothing any more: ${what}.` }),
  });

interface ContextParts extends Pick<RunContext, 'target' | 'eye' | 'clusterId' | 'watchdog' | 'size' | 'interruption'> {
  readonly loaded: LoadedScenario;
  readonly tools: Tools;
  readonly options: RunOptions;
}

const contextOf = ({ loaded, tools, options, ...parts }: ContextParts): RunContext => {
  const { scenario } = loaded;
  const { place, clock, seed, listener } = tools;
  const { passDeadlineMs = PASS_DEADLINE_MS, keep = false } = options;
  const client = clientNamed(scenario.workload.client);
  const reader = clientNamed(scenario.replay.client);
  const wire = clientNamed('wire');
  if (client === undefined || reader === undefined || wire === undefined) {
    throw new InternalError('CLIENT_MISSING', 'A client that passed validation is not registered.');
  }
  const clients = { client, reader, wire, secondReaders: CLIENT_REGISTRY };
  const metrics = metricsOf(loaded.target);
  return { ...parts, ...clients, metrics, scenario, place, seed, clock, listener, passDeadlineMs, keep };
};

/** Preflight, control, main; the first that does not pass ends the run, and its verdict says that no fault was needed. */
const runParts = async (
  context: RunContext,
  { recorder, troubles }: Tools,
  withControl: boolean,
): Promise<RunResult> => {
  for (const plan of plansOf(context, withControl)) {
    const { record, result } = await runPart(context, plan, troubles);
    const told = plan.name === 'main' ? result : withoutFault(plan.name, result);
    try {
      recorder.part({ ...record, result: told });
    } catch (thrown) {
      troubles.push(asRunTrouble(thrown));
    }
    assertEndedWell(told, troubles);
    if (plan.name === 'main' || told.judgement.verdict !== 'pass') return told;
  }
  throw new InternalError('NO_MAIN_PART', 'The run had no main part.');
};

const plansOf = ({ scenario }: RunContext, withControl: boolean): readonly PartPlan[] => {
  const { workload, faults, replay, control, baseline } = scenario;
  const { warmUpMs, durationMs } = workload;
  const lanes = workload.producers * workload.topic.partitions;
  const quiet = { faults: [], passes: ['full'] } as const;
  return [
    {
      ...quiet,
      name: 'preflight',
      warmUpMs: 0,
      durationMs: HONESTY_MS,
      recordsPerLane: Math.ceil(HONESTY_RECORDS / lanes),
    },
    ...(control && withControl && !baseline ? [{ ...quiet, name: 'control' as const, warmUpMs, durationMs }] : []),
    { name: 'main', faults, passes: replay.passes, warmUpMs, durationMs },
  ];
};

const withoutFault = (part: PartOutcome['record']['part'], result: RunResult): RunResult => {
  if (result.judgement.verdict === 'pass') return result;
  const where = part === 'preflight' ? 'the honesty check' : 'the control run';
  const because = `without any fault, in ${where}: ${result.judgement.because}`;
  return { ...result, judgement: { ...result.judgement, because } };
};

const leaveForInspection = async ({ target, listener, interruption, clock }: RunContext): Promise<void> => {
  const bootstrap = target.evidenceBootstrap.map(({ host, port }) => `${host}:${port}`).join(', ');
  listener({
    kind: 'note',
    text: `The cluster is left as it is (${bootstrap}). Ctrl-C ends it and writes the report.`,
  });
  while (!interruption.load.aborted) await clock.sleep(1000, interruption.load).catch(() => undefined);
};
