// What a run would do, worked out without starting anything: phases with their lengths, faults with their victims, proofs
// and heal steps, and the longest the whole may take.
import type { FaultSpec } from '../faults/fault-schema.ts';
import { FAULT_REGISTRY } from '../faults/registry.ts';
import { describeSelector } from '../faults/victim-schema.ts';
import { offersOf } from '../targets/registry.ts';
import { describeSpec } from '../targets/target-spec.ts';
import { formatDuration } from '../units.ts';
import { grantCommands, grantsOf } from './access.ts';
import type { LoadedScenario } from './loader.ts';
import type { TopicWorkload } from './scenario.ts';

export interface PlannedFault {
  readonly fault: string;
  readonly summary: string;
  readonly victim: string;
  readonly at: string;
  readonly durationMs?: number;
  readonly recovery: string;
  readonly require: string;
  readonly confirmWithinMs: number;
  readonly healWithinMs: number;
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

const plannedFault = (fault: FaultSpec): PlannedFault => {
  const declaration = FAULT_REGISTRY.find((entry) => entry.kind === fault.fault);
  return {
    fault: fault.fault,
    summary: declaration?.summary ?? '',
    victim: describeSelector(fault.victim),
    at: momentOf(fault),
    ...(fault.durationMs === undefined ? {} : { durationMs: fault.durationMs }),
    recovery: declaration?.recovery ?? 'healable',
    require: fault.confirm.require,
    confirmWithinMs: fault.confirm.timeoutMs,
    healWithinMs: fault.heal.timeoutMs,
  };
};

const blastRadius = (loaded: LoadedScenario): string => {
  const { faults } = loaded.scenario;
  if (faults.length === 0) return 'nothing is broken: a baseline';
  const whom = [...new Set(faults.map((fault) => `${fault.fault} on ${describeSelector(fault.victim)}`))].join('; ');
  const where =
    loaded.target.kind === 'embedded' ? 'a cluster made for this run and deleted after it' : 'the named cluster';
  return `${whom}, within ${where}`;
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
    faults: scenario.faults.map(plannedFault),
    passes: scenario.replay.passes,
    access: target.kind === 'external' ? grantCommands(grantsOf(scenario), target) : [],
    blastRadius: blastRadius(loaded),
    loadMs: parts.reduce((sum, { loadMs }) => sum + loadMs, 0),
  };
};

/** The plan as text for a terminal. */
export const renderPlan = (plan: Plan): string => {
  const faults = plan.faults.flatMap((fault) => [
    `  ${fault.fault}  victim ${fault.victim}, ${fault.at}${fault.durationMs === undefined ? '' : `, for ${formatDuration(fault.durationMs)}`}`,
    `    ${fault.summary}`,
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
