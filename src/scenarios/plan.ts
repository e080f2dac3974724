// What a run would do, worked out without starting anything: phases with their lengths, faults with their victims, proofs
// and heal steps, and the longest the whole may take.
import { InternalError } from '../errors.ts';
import { commandLine } from '../faults/command-undo.ts';
import { faultDefinition } from '../faults/definitions.ts';
import { writtenParams } from '../faults/describe-params.ts';
import type { FaultChanges, FaultDeclaration } from '../faults/fault.ts';
import type { FaultSpec } from '../faults/fault-schema.ts';
import { describeSelector } from '../faults/victim-schema.ts';
import { offersOf } from '../targets/registry.ts';
import { describeSpec, type TargetSpec } from '../targets/target-spec.ts';
import { formatDuration } from '../units.ts';
import { grantCommands, grantsOf, withoutPrograms } from './access.ts';
import type { LoadedScenario } from './loader.ts';
import type { TopicWorkload } from './scenario.ts';

export interface PlannedFault {
  readonly fault: string;
  readonly summary: string;
  readonly victim: string;
  readonly at: string;
  readonly durationMs?: number;
  /** How it acts: `name: value` of each parameter, as a scenario writes it. */
  readonly params: readonly string[];
  /** What performs it. */
  readonly backend: string;
  readonly recovery: string;
  readonly require: string;
  readonly confirmWithinMs: number;
  readonly healWithinMs: number;
  /** What is different meanwhile and what takes it back, where the fault has more to say of it than its summary. */
  readonly changes?: FaultChanges;
  /** The programs that perform it, as a shell would take them; `{broker}`, `{host}` and `{port}` are the victim's. */
  readonly commands?: readonly { readonly step: string; readonly line: string }[];
}

export interface Plan {
  readonly scenario: string;
  readonly claim: string;
  readonly target: string;
  readonly offers: readonly string[];
  readonly parts: readonly { readonly part: string; readonly loadMs: number; readonly faults: number }[];
  readonly topics: readonly string[];
  readonly lanes: number;
  readonly faults: readonly PlannedFault[];
  readonly passes: readonly string[];
  /** Commands that give a run what it needs where an authorizer refuses what nobody granted; none for a cluster of our own. */
  readonly access: readonly string[];
  /** What can be out of service at worst, in words. */
  readonly blastRadius: string;
  /** Load of all parts, ms; start, drain and replay come on top. */
  readonly loadMs: number;
}

const momentOf = ({ at }: FaultSpec): string => {
  switch (at.kind) {
    case 'time':
      return `${formatDuration(at.offsetMs)} after the load is steady`;
    case 'acks':
      return `after ${at.count} acknowledged records`;
    case 'pass':
      return `${formatDuration(at.offsetMs)} into the ${at.pass} pass`;
  }
};

/** The programs that perform a fault on this target; undefined where there are none. */
const programsOf = ({ fault, params }: FaultSpec, target: TargetSpec): PlannedFault['commands'] => {
  if (target.kind !== 'external') return undefined;
  const found = target.commands[fault === 'command' ? String(params['name']) : fault];
  if (found === undefined) return undefined;
  return (['inject', 'confirm', 'heal', 'healed'] as const).map((step) => ({ step, line: commandLine(found[step]) }));
};

/** Which of several is taken where the scenario leaves it open is decided once the cluster is there. */
const backendOf = ({ backend }: FaultSpec, backends: readonly string[], hasPrograms: boolean): string => {
  if (hasPrograms) return 'programs of the target file';
  if (backend !== 'auto') return backend;
  const [only = 'auto', ...others] = backends;
  return others.length === 0 ? only : `auto: the first of ${backends.join(', ')} that can do it there`;
};

const declarationOf = ({ fault }: FaultSpec): FaultDeclaration => {
  const found = faultDefinition(fault);
  if (found === undefined) throw new InternalError('FAULT_UNKNOWN', `No fault is called ${fault}.`);
  return found;
};

/** What is different meanwhile; with programs that is for them to say. */
const changesBy = ({ changes }: Pick<FaultDeclaration, 'changes'>, { params }: FaultSpec, hasPrograms: boolean) => {
  const told = hasPrograms ? undefined : changes?.(params);
  return told === undefined ? {} : { changes: told };
};

const plannedFault = (fault: FaultSpec, target: TargetSpec): PlannedFault => {
  const declaration = declarationOf(fault);
  const commands = programsOf(fault, target);
  const hasPrograms = commands !== undefined;
  return {
    fault: fault.fault,
    summary: declaration.summary,
    victim: describeSelector(fault.victim),
    at: momentOf(fault),
    ...(fault.durationMs === undefined ? {} : { durationMs: fault.durationMs }),
    params: writtenParams(declaration.params, fault.params),
    backend: backendOf(fault, declaration.backends, hasPrograms),
    recovery: declaration.recovery,
    require: fault.confirm.require,
    confirmWithinMs: fault.confirm.timeoutMs,
    healWithinMs: fault.heal.timeoutMs,
    ...changesBy(declaration, fault, hasPrograms),
    ...(commands === undefined ? {} : { commands }),
  };
};

/** Of what others do, the whole broker feels something. */
const OF_ONE_PARTITION: ReadonlySet<string> = new Set(['leader-election', 'partition-reassignment']);

/** Which partitions feel it at worst, where the victim is chosen by one. */
const reachOf = (
  fault: FaultSpec['fault'],
  { kind, partition: number }: Extract<FaultSpec['victim'], { readonly partition: number }>,
  topic: string,
): string => {
  const partition = `partition ${number} of topic ${topic}`;
  if (OF_ONE_PARTITION.has(fault)) return partition;
  const whose = kind === 'followersOf' ? 'those brokers' : 'that broker';
  return `all of ${whose} and every partition led or followed there, ${partition} among them`;
};

/** One fault's part of it: whom, where, for how long. */
const radiusOf = ({ workload }: LoadedScenario['scenario'], { fault, victim, durationMs }: FaultSpec): string => {
  const lasts = durationMs === undefined ? '' : ` for ${formatDuration(durationMs)}`;
  const topic = topicsOf(workload.topic, ['main']).join();
  const where = 'partition' in victim ? `, ${reachOf(fault, victim, topic)}` : '';
  return `${fault} on ${describeSelector(victim)}${where}${lasts}`;
};

const whereOf = (target: TargetSpec): string => {
  switch (target.kind) {
    case 'external':
      return `a cluster that somebody else runs (${target.bootstrapServers.join(', ')})`;
    case 'compose':
      return target.attach
        ? `the Docker Compose project "${target.project}", which runs already and goes on`
        : `the Docker Compose project "${target.project}", started for this run`;
    default:
      return 'a cluster made for this run and deleted after it';
  }
};

const blastRadius = ({ scenario, target }: LoadedScenario): string => {
  if (scenario.faults.length === 0) return 'nothing is broken: a baseline';
  const whom = [...new Set(scenario.faults.map((fault) => radiusOf(scenario, fault)))].join('; ');
  return `${whom}; within ${whereOf(target)}`;
};

const topicsOf = ({ name, existing = false }: TopicWorkload, parts: readonly string[]): readonly string[] =>
  existing ? [name] : parts.map((part) => `ackproof-<run>-${part}-${name}`);

/** The plan of a loaded scenario. Pure. */
export const planOf = (loaded: LoadedScenario): Plan => {
  const { scenario, target } = loaded;
  const { workload } = scenario;
  const load = workload.warmUpMs + workload.durationMs;
  const parts = [
    { part: 'preflight', loadMs: 0, faults: 0 },
    ...(scenario.control && !scenario.baseline ? [{ part: 'control', loadMs: load, faults: 0 }] : []),
    { part: 'main', loadMs: load, faults: scenario.faults.length },
  ];
  return {
    scenario: scenario.name,
    claim: scenario.claim,
    target: describeSpec(target),
    offers: offersOf(target),
    parts,
    topics: topicsOf(
      workload.topic,
      parts.map(({ part }) => part),
    ),
    lanes: workload.producers * workload.topic.partitions,
    faults: scenario.faults.map((fault) => plannedFault(fault, target)),
    passes: scenario.replay.passes,
    access:
      target.kind === 'external' ? grantCommands(grantsOf(withoutPrograms(scenario, target.commands)), target) : [],
    blastRadius: blastRadius(loaded),
    loadMs: parts.reduce((sum, { loadMs }) => sum + loadMs, 0),
  };
};

const changesOf = ({ changes, commands = [] }: PlannedFault): readonly string[] => [
  ...(changes === undefined ? [] : [`    changes: ${changes.meanwhile}`, `    undo: ${changes.undo}`]),
  ...commands.map(({ step, line }) => `    ${step.padEnd(7)} ${line}`),
];

/** The plan as text for a terminal. */
export const renderPlan = (plan: Plan): string => {
  const faults = plan.faults.flatMap((fault) => [
    `  ${fault.fault}  victim ${fault.victim}, ${fault.at}${fault.durationMs === undefined ? '' : `, for ${formatDuration(fault.durationMs)}`}`,
    `    ${fault.summary}`,
    ...(fault.params.length === 0 ? [] : [`    params: ${fault.params.join(', ')}`]),
    `    backend: ${fault.backend}`,
    ...changesOf(fault),
    `    proof: ${fault.require === 'all' ? 'mechanism, effect and control' : 'mechanism only'}, within ${formatDuration(fault.confirmWithinMs)};` +
      ` healed within ${formatDuration(fault.healWithinMs)}${fault.recovery === 'one-shot' ? ' (cannot be undone)' : ''}`,
  ]);
  return [
    `${plan.scenario} on ${plan.target}`,
    `  ${plan.claim}`,
    `parts:        ${plan.parts.map(({ part, loadMs }) => (loadMs === 0 ? `${part} (an honesty check)` : `${part} (${formatDuration(loadMs)} of load)`)).join(', ')}`,
    `topics:       ${plan.topics.join(', ')}`,
    `lanes:        ${plan.lanes} in each part`,
    `replay:       ${plan.passes.join(', ')}`,
    `blast radius: ${plan.blastRadius}`,
    ...(faults.length === 0 ? ['faults:       none'] : ['faults:', ...faults]),
    ...(plan.access.length === 0
      ? []
      : ['least rights, where the cluster has an authorizer:', ...plan.access.map((line) => `  ${line}`)]),
    'Nothing was changed.',
  ].join('\n');
};
