// run.json as it grows: what is known at the start, after each part, and at the end.
import { arch, cpus, platform, release } from 'node:os';
import { type Clock, isoTime } from '../clock.ts';
import { type AckproofError, describeError } from '../errors.ts';
import type { RunResult } from '../ledger/judgement.ts';
import { type PartRecord, RUN_RECORD_FORMAT, type RunRecord } from '../ledger/run-record.ts';
import { shellQuoted } from '../shell.ts';
import type { StartedTarget } from '../targets/target.ts';
import type { LoadedScenario } from './loader.ts';
import { type RunPlace, writeRunRecord } from './run-directory.ts';

export interface RunFacts {
  readonly loaded: LoadedScenario;
  readonly place: RunPlace;
  readonly seed: number;
  readonly defects: readonly string[];
  readonly toolVersion: string;
  readonly clock: Clock;
}

const environment = (): Readonly<Record<string, string>> => ({
  node: process.version,
  platform: `${platform()} ${release()} ${arch()}`,
  processors: String(cpus().length),
});

const workloadFacts = ({ scenario }: LoadedScenario): Readonly<Record<string, string>> => {
  const { workload } = scenario;
  const { topic, record, ratePerSecond } = workload;
  return {
    topic: `${topic.partitions} partitions, replication factor ${topic.replicationFactor}`,
    producers: `${workload.producers} for each ${workload.splitSend ? 'two neighbouring partitions, one call for both' : 'partition'}, client ${workload.client}, retry ${workload.retry}`,
    rate: ratePerSecond === 'max' ? 'as fast as answered' : `${ratePerSecond} records/s`,
    records: `${record.sizeBytes} bytes, ${record.batch} in a batch`,
    'attempt timeout': `${workload.attemptTimeoutMs} ms`,
    load: `${workload.warmUpMs} ms warm-up, ${workload.durationMs} ms`,
  };
};

const quotedArgument = (text: string): string => (/^[\w./:=@-]+$/.test(text) ? text : shellQuoted(text));

/** A target is named only where it was: the scenario's own is looked for beside the scenario, another one from where one is. */
const reproduceCommand = ({ loaded, seed, defects }: RunFacts): string =>
  [
    `ackproof run ${quotedArgument(loaded.file)}`,
    ...(loaded.givenTarget === undefined ? [] : [`--target ${quotedArgument(loaded.givenTarget)}`]),
    `--seed ${seed}`,
    ...defects.map((defect) => `--defect ${quotedArgument(defect)}`),
  ].join(' ');

/** Keeps run.json in step with the run. */
export class RunRecorder {
  readonly #facts: RunFacts;
  readonly #parts: PartRecord[] = [];
  #record: RunRecord;

  constructor(facts: RunFacts) {
    const { loaded, place, seed, defects, toolVersion, clock } = facts;
    const { scenario, target, file, digest } = loaded;
    this.#facts = facts;
    this.#record = {
      formatVersion: RUN_RECORD_FORMAT,
      tool: { name: 'ackproof', version: toolVersion },
      runId: place.runId,
      scenario: { name: scenario.name, claim: scenario.claim, file, digest },
      target: { kind: target.kind, name: target.name, fingerprint: {} },
      contract: scenario.contract,
      bounds: scenario.bounds,
      workload: workloadFacts(loaded),
      defects,
      baseline: scenario.baseline,
      seed,
      environment: environment(),
      wallStart: isoTime(clock.wall()),
      parts: [],
      ended: 'running',
      errors: [],
      heal: 'clean',
      reproduce: { run: reproduceCommand(facts), judge: `ackproof judge ${quotedArgument(place.directory)}` },
    };
    this.#write();
  }

  get record(): RunRecord {
    return this.#record;
  }

  target(started: StartedTarget): void {
    this.#change({ target: { ...started.description } });
  }

  part(record: PartRecord): void {
    this.#parts.push(record);
    this.#change({ parts: [...this.#parts] });
  }

  /** The run has a result, which stands whatever `troubles` there were after it. */
  finish(result: RunResult, exitCode: number, troubles: readonly AckproofError[]): void {
    const { judgement, heal, ended } = result;
    this.#change({
      verdict: judgement.verdict,
      because: judgement.because,
      heal,
      ended,
      errors: troubles.map(describeError),
      exitCode,
      wallEnd: isoTime(this.#facts.clock.wall()),
    });
  }

  /** The run has no result; `trouble` says why, and what else went wrong on the way out. */
  fail(trouble: AckproofError, exitCode: number): void {
    const because = describeError(trouble);
    this.#change({
      ended: trouble.kind === 'interrupted' || trouble.kind === 'terminated' ? 'interrupted' : 'error',
      errors: [because, ...trouble.attached.map(describeError)],
      trouble: trouble.kind,
      ...(trouble.kind === 'unhealed' ? { heal: 'failed' } : {}),
      exitCode,
      because,
      wallEnd: isoTime(this.#facts.clock.wall()),
    });
  }

  #change(change: Partial<RunRecord>): void {
    this.#record = { ...this.#record, ...change };
    this.#write();
  }

  #write(): void {
    writeRunRecord(this.#facts.place.directory, this.#record);
  }
}
