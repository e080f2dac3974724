// What a schema cannot say about a scenario: names that must exist, times that must fit, and things the target cannot do.
// Each check returns its problems with the path of the value to blame; nothing stops at the first. A check says what it reads,
// so that those that can be made are made even where something else in the file cannot be used.
import { CLIENT_REGISTRY } from '../clients/registry.ts';
import { suggestName } from '../errors.ts';
import { faultDefinition } from '../faults/definitions.ts';
import { LOSE_RECORDS, QUORUM_LOSS } from '../faults/fault-params.ts';
import type { FaultSpec } from '../faults/fault-schema.ts';
import { offersOf } from '../targets/registry.ts';
import type { TargetSpec } from '../targets/target-spec.ts';
import { formatDuration } from '../units.ts';
import { laneIntervalMs } from './pacing.ts';
import { sideProblems } from './partition-checks.ts';
import type { Scenario } from './scenario.ts';
import { type AskedFault, whyUnsupported } from './unsupported-fault.ts';

const TOPIC = ['workload', 'topic'] as const;

export interface ScenarioProblem {
  readonly code: string;
  readonly message: string;
  readonly path: readonly (string | number)[];
}

const problem = (code: string, message: string, ...path: (string | number)[]): ScenarioProblem => ({
  code: `SCENARIO_${code}`,
  message,
  path,
});

const baselineProblems = ({ baseline, faults }: Scenario): readonly ScenarioProblem[] => {
  if (baseline && faults.length > 0) {
    return [problem('BASELINE_WITH_FAULT', 'A baseline has no fault. Leave `faults` or `baseline` out.', 'baseline')];
  }
  if (!baseline && faults.length === 0) {
    const message = 'There is no fault, so the run would prove nothing. Add one, or say `baseline: true`.';
    return [problem('NO_FAULT', message, 'faults')];
  }
  return [];
};

const unknownClient = (name: string, ...path: string[]): readonly ScenarioProblem[] => {
  const known = CLIENT_REGISTRY.map((client) => client.kind);
  if (known.includes(name)) return [];
  return [problem('UNKNOWN_CLIENT', `There is no client "${name}". ${suggestName(name, known)}`, ...path)];
};

const retryProblems = ({ workload }: Scenario): readonly ScenarioProblem[] => {
  const producing = CLIENT_REGISTRY.find((client) => client.kind === workload.client);
  if (producing === undefined || producing.retries.includes(workload.retry)) return [];
  const message = `${workload.client} cannot send the same batch again under our eyes. Use \`client: wire\`, or \`retry: none\`.`;
  return [problem('RETRY_UNSUPPORTED', message, 'workload', 'retry')];
};

const splitProblems = ({ workload, contract }: Scenario): readonly ScenarioProblem[] => {
  const { client, splitSend, topic } = workload;
  const producing = CLIENT_REGISTRY.find(({ kind }) => kind === client);
  if (!splitSend || producing === undefined) return [];
  const refuse = (code: string, message: string) => [problem(code, message, 'workload', 'splitSend')];
  if (producing.openSplitLane === undefined) {
    return refuse('SPLIT_UNSUPPORTED', `${client} makes no call for two partitions. Use \`client: kafkajs\`.`);
  }
  if (topic.partitions < 2) return refuse('SPLIT_NEEDS_TWO', 'One partition cannot be split. Use two or more.');
  if (contract.acks !== 0) return [];
  return refuse('SPLIT_NEEDS_ACKS', 'Without acknowledgements nothing tells what became of a call. Use acks: all.');
};

const victimProblems = (scenario: Scenario, fault: FaultSpec, index: number): readonly ScenarioProblem[] => {
  const { victim } = fault;
  if (!('partition' in victim)) return [];
  const { topic } = scenario.workload;
  if (victim.topic !== topic.name) {
    const message = `There is no topic "${victim.topic}" in this scenario. ${suggestName(victim.topic, [topic.name])}`;
    return [problem('UNKNOWN_TOPIC', message, 'faults', index, 'victim')];
  }
  if (victim.partition < topic.partitions) return [];
  const message = `${topic.name} has partitions 0 to ${topic.partitions - 1}; ${victim.partition} is not one of them.`;
  return [problem('UNKNOWN_PARTITION', message, 'faults', index, 'victim')];
};

const brokerVictimProblems = (
  _: Scenario,
  { victim }: FaultSpec,
  index: number,
  target: TargetSpec,
): readonly ScenarioProblem[] => {
  if (target.kind !== 'embedded') return [];
  const wrong = (code: string, message: string) => [problem(code, message, 'faults', index, 'victim')];
  if (victim.kind === 'broker' && (victim.id < 1 || victim.id > target.brokers)) {
    return wrong('UNKNOWN_BROKER', `The target has brokers 1 to ${target.brokers}; ${victim.id} is not one of them.`);
  }
  if (victim.kind === 'random' && victim.count > target.brokers) {
    return wrong('TOO_FEW_BROKERS', `The target has ${target.brokers} brokers, too few for ${victim.count} victims.`);
  }
  return [];
};

const timeProblems = (scenario: Scenario, fault: FaultSpec, index: number): readonly ScenarioProblem[] => {
  const { at, durationMs = 0 } = fault;
  if (at.kind === 'pass') {
    if (scenario.replay.passes.includes(at.pass)) return [];
    return [problem('NO_SUCH_PASS', `The replay has no pass "${at.pass}".`, 'faults', index, 'at')];
  }
  if (at.kind === 'acks') return [];
  const end = at.offsetMs + durationMs;
  const { durationMs: load } = scenario.workload;
  if (end + 500 <= load) return [];
  const message =
    `The fault ends ${formatDuration(end)} after the load begins, and the load lasts ${formatDuration(load)}; ` +
    'leave at least 500ms of load after it, or nothing shows that the cluster recovered.';
  return [problem('FAULT_TOO_LATE', message, 'faults', index, 'at')];
};

/** A command is in the target file by its name, and a fault that has one there needs nothing else. */
const commandProblems = (
  commands: readonly string[],
  { fault, params }: AskedFault,
  index: number,
): readonly ScenarioProblem[] => {
  const name = String(params?.['name']);
  if (fault !== 'command' || params === undefined || commands.includes(name)) return [];
  const message = `The target file has no command "${name}". ${suggestName(name, commands)}`;
  return [problem('UNKNOWN_COMMAND', message, 'faults', index, 'params', 'name')];
};

const capabilityProblems = (target: TargetSpec, fault: AskedFault, index: number): readonly ScenarioProblem[] => {
  const commands = target.kind === 'external' ? Object.keys(target.commands) : [];
  if (commands.includes(fault.fault)) return [];
  const message = whyUnsupported(fault, target);
  if (message === undefined) return commandProblems(commands, fault, index);
  return [problem('FAULT_UNSUPPORTED', message, 'faults', index, 'fault')];
};

/** What nobody but the file of somebody else's cluster can allow. */
const permissionProblems = (target: TargetSpec, spec: AskedFault, index: number): readonly ScenarioProblem[] => {
  const { fault } = spec;
  if (target.kind !== 'external' || target.allowFaults.includes(fault)) return [];
  // Nobody's permission makes it possible.
  if (capabilityProblems(target, spec, index).length > 0) return [];
  const message =
    `${fault} changes a cluster that somebody else runs, and the target "${target.name}" does not allow it. ` +
    `Write allowFaults: [${[...target.allowFaults, fault].join(', ')}] in its file, once whoever runs it agrees.`;
  return [problem('FAULT_NOT_ALLOWED', message, 'faults', index, 'fault')];
};

const lastCopyProblems = ({ workload }: Scenario, fault: FaultSpec, index: number): readonly ScenarioProblem[] => {
  const { mayAllow = [] } = faultDefinition(fault.fault) ?? {};
  const { name, replicationFactor } = workload.topic;
  if (replicationFactor > 1 || !mayAllow.includes(LOSE_RECORDS) || fault.allow.includes(LOSE_RECORDS)) return [];
  const message =
    `${name} has one replica, so ${fault.fault} would take its records for good. ` +
    `Use a replicationFactor above 1, or add ${LOSE_RECORDS} to \`allow\`.`;
  return [problem('LAST_COPY', message, 'faults', index, 'allow')];
};

const quorumProblems = (
  _: Scenario,
  { fault, victim, allow }: FaultSpec,
  index: number,
): readonly ScenarioProblem[] => {
  if (victim.kind !== 'controllers' || allow.includes(QUORUM_LOSS)) return [];
  const message = `${fault} would take the majority of the controllers away. Hit {controller: leader}, or add ${QUORUM_LOSS} to \`allow\`.`;
  return [problem('QUORUM_LOSS', message, 'faults', index, 'allow')];
};

const coldProblems = (scenario: Scenario, target: TargetSpec): readonly ScenarioProblem[] => {
  const index = scenario.replay.passes.indexOf('cold');
  const offers: readonly string[] = offersOf(target);
  if (index < 0 || (offers.includes('cooling') && offers.includes('objectStore'))) return [];
  const message = `A target of kind "${target.kind}" cannot be cooled, so a cold pass would prove nothing. Leave it out.`;
  return [problem('COLD_UNSUPPORTED', message, 'replay', 'passes', index)];
};

const passProblems = ({ replay }: Scenario): readonly ScenarioProblem[] => {
  if (new Set(replay.passes).size !== replay.passes.length) {
    return [problem('PASS_TWICE', 'A pass is named twice.', 'replay', 'passes')];
  }
  if (replay.passes[0] === 'full') return [];
  return [
    problem('FULL_PASS_FIRST', 'The first pass must be `full`: the others are compared with it.', 'replay', 'passes'),
  ];
};

const idempotenceProblems = ({ contract: { acks, idempotence } }: Scenario): readonly ScenarioProblem[] => {
  if (!idempotence || acks === 'all') return [];
  const message = `An idempotent producer needs acks: all, and this contract says acks: ${acks}.`;
  return [problem('IDEMPOTENCE_NEEDS_ALL', message, 'contract', 'idempotence')];
};

const inSyncProblems = ({ contract, workload }: Scenario): readonly ScenarioProblem[] => {
  const { minInSyncReplicas } = contract;
  const { replicationFactor } = workload.topic;
  if (minInSyncReplicas <= replicationFactor) return [];
  const message = `${minInSyncReplicas} replicas in sync can never be had of ${replicationFactor}; nothing would be acknowledged.`;
  return [problem('MIN_ISR_ABOVE_REPLICAS', message, 'contract', 'minInSyncReplicas')];
};

/** Settings of a topic that a contract has a word of its own for. */
const CONTRACT_SETTINGS = [
  ['min.insync.replicas', 'minInSyncReplicas'],
  ['unclean.leader.election.enable', 'uncleanLeaderElection'],
] as const;

const configProblems = ({ contract, workload }: Scenario): readonly ScenarioProblem[] =>
  CONTRACT_SETTINGS.flatMap(([setting, word]) => {
    const written = workload.topic.config[setting];
    if (written === undefined || written === String(contract[word])) return [];
    const message = `The topic is to have ${setting}=${written}, and the contract says ${word}: ${contract[word]}. Say it in the contract only.`;
    return [problem('CONFIG_AGAINST_CONTRACT', message, ...TOPIC, 'config', setting)];
  });

const brokerProblems = ({ workload }: Scenario, target: TargetSpec): readonly ScenarioProblem[] => {
  const { replicationFactor } = workload.topic;
  if (target.kind !== 'embedded' || replicationFactor <= target.brokers) return [];
  const message = `The target has ${target.brokers} brokers, too few for ${replicationFactor} replicas.`;
  return [problem('TOO_FEW_BROKERS', message, 'workload', 'topic', 'replicationFactor')];
};

const sizeProblems = ({ workload }: Scenario): readonly ScenarioProblem[] => {
  const { sizeBytes, batch } = workload.record;
  const bytes = sizeBytes * batch;
  if (bytes <= 900 * 1024) return [];
  const message = `A batch would be ${bytes} bytes; brokers refuse more than about 1 MiB. Use smaller records or batches.`;
  return [problem('BATCH_TOO_LARGE', message, 'workload', 'record')];
};

const rateProblems = ({ workload }: Scenario): readonly ScenarioProblem[] => {
  const { ratePerSecond, producers, topic, record, durationMs, splitSend } = workload;
  const everyMs = laneIntervalMs(ratePerSecond, producers * topic.partitions * (splitSend ? 2 : 1), record.batch);
  if (everyMs <= durationMs) return [];
  const message =
    `Each producer would fill a batch every ${formatDuration(everyMs)}, and the load lasts ${formatDuration(durationMs)}: ` +
    'nothing would be sent. Raise the rate, or use smaller batches or fewer producers.';
  return [problem('RATE_TOO_LOW', message, 'workload', 'rate')];
};

const existingProblems = ({ workload }: Scenario, target: TargetSpec): readonly ScenarioProblem[] => {
  if (workload.topic.existing !== true || target.kind !== 'embedded') return [];
  const message = 'The embedded cluster is made for the run, so no topic exists in it before. Leave `existing` out.';
  return [problem('NOTHING_EXISTS', message, ...TOPIC, 'existing')];
};

type Path = readonly (string | number)[];

interface ScenarioRule {
  /** The parts of the scenario it looks at. */
  readonly reads: readonly Path[];
  readonly check: (scenario: Scenario, target: TargetSpec) => readonly ScenarioProblem[];
}

const CHECKS: readonly ScenarioRule[] = [
  { reads: [['baseline'], ['faults']], check: baselineProblems },
  {
    reads: [['workload', 'client']],
    check: ({ workload }) => unknownClient(workload.client, 'workload', 'client'),
  },
  { reads: [['replay', 'client']], check: ({ replay }) => unknownClient(replay.client, 'replay', 'client') },
  {
    reads: [
      ['workload', 'client'],
      ['workload', 'retry'],
    ],
    check: retryProblems,
  },
  {
    reads: [
      ['workload', 'client'],
      ['workload', 'splitSend'],
      [...TOPIC, 'partitions'],
      ['contract', 'acks'],
    ],
    check: splitProblems,
  },
  { reads: [['replay', 'passes']], check: passProblems },
  {
    reads: [
      ['contract', 'acks'],
      ['contract', 'idempotence'],
    ],
    check: idempotenceProblems,
  },
  {
    reads: [
      ['contract', 'minInSyncReplicas'],
      [...TOPIC, 'replicationFactor'],
    ],
    check: inSyncProblems,
  },
  { reads: [[...TOPIC, 'replicationFactor'], ['target']], check: brokerProblems },
  {
    reads: [
      [...TOPIC, 'config'],
      ['contract', 'minInSyncReplicas'],
      ['contract', 'uncleanLeaderElection'],
    ],
    check: configProblems,
  },
  {
    reads: [
      ['workload', 'record', 'size'],
      ['workload', 'record', 'batch'],
    ],
    check: sizeProblems,
  },
  {
    reads: [
      ['workload', 'rate'],
      ['workload', 'producers'],
      ['workload', 'splitSend'],
      [...TOPIC, 'partitions'],
      ['workload', 'record', 'batch'],
      ['workload', 'duration'],
    ],
    check: rateProblems,
  },
  { reads: [['replay', 'passes'], ['target']], check: coldProblems },
  { reads: [[...TOPIC, 'existing'], ['target']], check: existingProblems },
];

type FaultRule = (
  scenario: Scenario,
  fault: FaultSpec,
  index: number,
  target: TargetSpec,
) => readonly ScenarioProblem[];

const FAULT_CHECKS: readonly { readonly reads: readonly Path[]; readonly check: FaultRule }[] = [
  {
    reads: [
      [...TOPIC, 'name'],
      [...TOPIC, 'partitions'],
    ],
    check: victimProblems,
  },
  {
    reads: [
      ['workload', 'duration'],
      ['replay', 'passes'],
    ],
    check: timeProblems,
  },
  { reads: [[...TOPIC, 'replicationFactor']], check: lastCopyProblems },
  { reads: [], check: quorumProblems },
  { reads: [['target']], check: (_, fault, index, target) => capabilityProblems(target, fault, index) },
  { reads: [['target']], check: (_, fault, index, target) => permissionProblems(target, fault, index) },
  { reads: [['target']], check: brokerVictimProblems },
  {
    reads: [['target']],
    check: (_, fault, index, target) =>
      sideProblems(fault, target).map(({ code, message, path }) => problem(code, message, 'faults', index, ...path)),
  },
];

const checksOfFault = (fault: FaultSpec, index: number): readonly ScenarioRule[] =>
  FAULT_CHECKS.map(({ reads, check }) => ({
    reads: [['faults', index], ...reads],
    check: (scenario, target) => check(scenario, fault, index, target),
  }));

/** Whether the value at `path` is one of `unusable` or lies within one. */
export const isWithin = (path: Path, unusable: readonly Path[]): boolean =>
  unusable.some((other) => other.length <= path.length && other.every((step, index) => step === path[index]));

/** Everything wrong with `scenario` on `target`, in no particular order; what reads a value of `unusable` is left out. */
export const scenarioProblems = (
  scenario: Scenario,
  target: TargetSpec,
  unusable: readonly Path[] = [],
): readonly ScenarioProblem[] =>
  [...CHECKS, ...scenario.faults.flatMap(checksOfFault)]
    .filter(({ reads }) => !reads.some((path) => isWithin(path, unusable)))
    .flatMap(({ check }) => check(scenario, target));

/**
 * What the target refuses of faults that cannot be read in full (`unusable`), by their names alone: who mends what is written wrong
 * is not to be refused a second time. `written` is the list as it stands in the file.
 */
export const refusedByName = (
  written: unknown,
  target: TargetSpec,
  unusable: readonly Path[],
): readonly ScenarioProblem[] => {
  if (!Array.isArray(written) || isWithin(['target'], unusable)) return [];
  return written.flatMap((entry: unknown, index) => {
    if (!isWithin(['faults', index], unusable) || typeof entry !== 'object' || entry === null) return [];
    const name = 'fault' in entry ? faultDefinition(String(entry.fault))?.kind : undefined;
    if (name === undefined) return [];
    const asked: AskedFault = { fault: name, backend: 'auto' };
    return [...capabilityProblems(target, asked, index), ...permissionProblems(target, asked, index)];
  });
};
