// Performs an undo record: the one way back for the end of a fault, the watchdog and `ackproof heal` alike. Every step may be
// repeated; "already as it should be" counts only after a look.
import { describeError, EnvironmentError } from '../errors.ts';
import type { ContainerControl } from '../targets/container-control.ts';
import { findProcess, signalProcess } from '../targets/process-table.ts';
import { resolveSecurity } from '../targets/resolve-security.ts';
import type {
  Address,
  ContainerReference,
  Links,
  ProcessControl,
  SecurityReference,
  StartedTarget,
} from '../targets/target.ts';
import type { ConnectionSecurity } from '../wire/connection-security.ts';
import { ToxiproxyProcess } from './backends/toxiproxy.ts';
import { commandLeft, performCommand } from './command-undo.ts';
import { type ContainerStep, containerStepLeft, isContainerStep, performContainerStep } from './container-undo.ts';
import type { UndoRecord, UndoStep } from './fault.ts';
import { type HealProblem, HealStack } from './heal-stack.ts';
import { awaitHoldsNone, describeOrder, isOrder, orderLeft, performOrder } from './order-undo.ts';
import { proxyLeft, type StillThere } from './proxy-left.ts';
import { removeRules, rulesLeft } from './store-rule-undo.ts';
import { endVolumeDisturbance, volumeDisturbanceLeft } from './volume-undo.ts';

/** What an undo can touch. A fresh process has no ProcessControl: it can start a container again, and of a process only say so. */
export interface Reach {
  readonly processes?: ProcessControl;
  readonly containers?: ContainerControl;
  toxiproxy(admin: Address): ToxiproxyProcess;
  /** With the secrets in it. @throws EnvironmentError where one of them is not there any more. */
  security(reference: SecurityReference | undefined): ConnectionSecurity | undefined;
}

/** Only needed where a container was hit, and slow to load. */
const containers = async () => await import('../targets/container-heal.ts');

/** Stopped and still so; asked of its owner where there is one, else of the container engine or the operating system. */
const isStopped = async (step: UndoStep & { readonly do: 'resume-process' }, reach: Reach): Promise<boolean> => {
  if (reach.processes !== undefined) return (await reach.processes.state(step.node)) === 'paused';
  const { pid, startedAt, container } = step;
  if (container === undefined) return findProcess({ pid, startedAt })?.state === 'T';
  return (await (await containers()).containerState(container)) === 'paused';
};

const resume = async (step: UndoStep & { readonly do: 'resume-process' }, reach: Reach, signal: AbortSignal) => {
  if (!(await isStopped(step, reach))) return;
  const { pid, startedAt, container } = step;
  if (reach.processes !== undefined) await reach.processes.resume(step.node, signal);
  else if (container === undefined) signalProcess({ pid, startedAt }, 'SIGCONT');
  else await (await containers()).unpauseContainer(container, signal);
};

const startContainer = async (container: ContainerReference, signal: AbortSignal): Promise<void> => {
  const engine = await containers();
  const state = await engine.containerState(container, signal);
  if (state === 'paused') await engine.unpauseContainer(container, signal);
  else if (state === 'gone') await engine.startContainer(container, signal);
};

const startNode = async (step: UndoStep & { readonly do: 'start-node' }, reach: Reach, signal: AbortSignal) => {
  const { node, container } = step;
  if (reach.processes === undefined && container !== undefined) {
    await startContainer(container, signal);
    return;
  }
  if (reach.processes === undefined) {
    throw new EnvironmentError('HEAL_CANNOT_START', `${node} was stopped by a fault and only its owner can start it.`, {
      hint: `Start ${node} by hand, then run the heal again.`,
    });
  }
  if ((await reach.processes.state(node)) === 'paused') await reach.processes.resume(node, signal);
  if ((await reach.processes.state(node)) !== 'running') await reach.processes.start(node, signal);
};

const stopNode = async (step: UndoStep & { readonly do: 'stop-node' }, reach: Reach, signal: AbortSignal) => {
  const { node, graceMs, holdsNone } = step;
  if (reach.processes === undefined) {
    throw new EnvironmentError('HEAL_CANNOT_STOP', `${node} was started by a fault and only its owner can stop it.`, {
      hint: `Stop ${node} by hand, then run the heal again.`,
    });
  }
  const state = await reach.processes.state(node);
  if (state === 'paused') await reach.processes.resume(node, signal);
  if (state !== 'paused' && state !== 'running') return;
  if (holdsNone !== undefined) await awaitHoldsNone(holdsNone, reach, signal);
  await reach.processes.terminate(node, graceMs, signal);
};

/** By the control of the target's owner, else by the engine that the step names; undefined where the container was removed. */
const controlOf = async (
  { node, container }: ContainerStep,
  reach: Reach,
  signal?: AbortSignal,
): Promise<ContainerControl | undefined> =>
  reach.containers ?? (await (await containers()).containerOf(node, container, signal));

/** Of a journal that another ackproof wrote; what its fields mean nobody knows here. */
const unknownStep = (step: never): EnvironmentError => {
  const { do: name } = step as { readonly do: unknown };
  return new EnvironmentError('UNDO_UNKNOWN_STEP', `This ackproof does not know how to take back "${String(name)}".`, {
    hint: WROTE_IT,
  });
};

const WROTE_IT = 'Run `ackproof heal` of the version that wrote the journal.';

const describeStep = (step: UndoStep): string => {
  if (isOrder(step)) return describeOrder(step);
  if (step.do === 'run-command') return step.heal.what;
  if (step.do === 'remove-rules') return `remove-rules ${step.rules.join(', ')}`;
  return step.do === 'restore-proxy' ? `restore-proxy ${step.proxy.name}` : `${step.do} ${step.node}`;
};

/** Steps on one proxy or one node, and orders to the cluster, wait for each other; a broker leaves when its partitions have. */
const groupOf = (step: UndoStep): string => {
  if (isOrder(step) || step.do === 'stop-node') return 'orders';
  if (step.do === 'run-command') return 'commands';
  if (step.do === 'remove-rules') return `rules ${step.admin.host}:${step.admin.port}`;
  return step.do === 'restore-proxy' ? `proxy ${step.proxy.name}` : `node ${step.node}`;
};

const perform = async (step: UndoStep, reach: Reach, signal: AbortSignal): Promise<void> => {
  if (isOrder(step)) {
    await performOrder(step, reach, signal);
    return;
  }
  if (isContainerStep(step)) {
    await performContainerStep(step, await controlOf(step, reach, signal), signal);
    return;
  }
  switch (step.do) {
    case 'resume-process':
      await resume(step, reach, signal);
      return;
    case 'start-node':
      await startNode(step, reach, signal);
      return;
    case 'stop-node':
      await stopNode(step, reach, signal);
      return;
    case 'run-command':
      await performCommand(step, signal);
      return;
    case 'remove-rules':
      await removeRules(step, signal);
      return;
    case 'restore-proxy':
      // Not between its calls: a proxy that is away must come back.
      signal.throwIfAborted();
      await reach.toxiproxy(step.admin).restore(step.proxy, step.toxics);
      return;
    case 'end-volume-disturbance':
      await endVolumeDisturbance(step, signal);
      return;
    default:
      throw unknownStep(step);
  }
};

/** Attempts every step of the records exactly once, the last record's last step first. Never rejects. */
export const performUndo = async (
  records: readonly UndoRecord[],
  reach: Reach,
  signal: AbortSignal,
): Promise<readonly HealProblem[]> => {
  const stack = new HealStack();
  for (const step of records.flatMap((record) => record.steps)) {
    stack.push({
      what: describeStep(step),
      group: groupOf(step),
      heal: async () => await perform(step, reach, signal),
    });
  }
  return await stack.healAll(signal);
};

const nodeLeft = async (step: UndoStep & { readonly do: 'start-node' }, reach: Reach): Promise<StillThere[]> => {
  const { node, container } = step;
  const state = await stateNow(step, reach);
  if (state === 'running' || state === 'removed') return [];
  const byHand = container === undefined ? `start ${node} the way it was started` : `docker start ${container.id}`;
  return [{ what: `${node} is ${state}`, byHand }];
};

const stopLeft = async ({ node }: { readonly node: string }, { processes }: Reach): Promise<StillThere[]> => {
  const state = processes === undefined ? 'perhaps up' : await processes.state(node);
  return state === 'stopped' || state === 'gone' ? [] : [{ what: `${node} is ${state}`, byHand: `stop ${node}` }];
};

const stateNow = async (
  { node, container }: UndoStep & { readonly do: 'start-node' },
  { processes }: Reach,
): Promise<string> => {
  if (processes !== undefined) return await processes.state(node);
  if (container === undefined) return 'perhaps down';
  const state = await (await containers()).containerState(container).catch((thrown: unknown) => describeError(thrown));
  return state ?? 'removed';
};

const resumeLeft = async (step: UndoStep & { readonly do: 'resume-process' }, reach: Reach): Promise<StillThere[]> => {
  const { node, pid, container } = step;
  const byHand = container === undefined ? `kill -CONT ${pid}` : `docker unpause ${container.id}`;
  try {
    return (await isStopped(step, reach)) ? [{ what: `${node} is still stopped`, byHand }] : [];
  } catch (thrown) {
    return [{ what: `${node}: ${describeError(thrown)}`, byHand }];
  }
};

const stepLeft = async (step: UndoStep, reach: Reach): Promise<StillThere[]> => {
  if (isOrder(step)) return await orderLeft(step, reach);
  if (isContainerStep(step)) return await containerStepLeft(step, async () => await controlOf(step, reach));
  switch (step.do) {
    case 'run-command':
      return await commandLeft(step);
    case 'remove-rules':
      return await rulesLeft(step);
    case 'restore-proxy':
      return await proxyLeft(step, reach.toxiproxy(step.admin));
    case 'start-node':
      return await nodeLeft(step, reach);
    case 'stop-node':
      return await stopLeft(step, reach);
    case 'resume-process':
      return await resumeLeft(step, reach);
    case 'end-volume-disturbance':
      return await volumeDisturbanceLeft(step);
    default:
      return [{ what: unknownStep(step).message, byHand: WROTE_IT }];
  }
};

/** What of a record is still not as it was, by looking; nothing when all is put back. */
export const leftOf = async (record: UndoRecord, reach: Reach): Promise<readonly StillThere[]> =>
  (await Promise.all(record.steps.map(async (step) => await stepLeft(step, reach)))).flat();

/** What a process that started nothing itself can reach: the proxies' own API, and brokers by what names their secrets. */
export const freshReach = (): Reach => reachBy(undefined);

const reachBy = (restart: Links['restart']): Reach => {
  const known = new Map<string, ToxiproxyProcess>();
  return {
    security: (reference) => (reference === undefined ? undefined : resolveSecurity(reference.spec, reference.folder)),
    toxiproxy: (admin) => {
      const key = `${admin.host}:${admin.port}`;
      const again = restart === undefined ? undefined : async () => await restart(admin);
      const process = known.get(key) ?? new ToxiproxyProcess(admin, { restart: again });
      known.set(key, process);
      return process;
    },
  };
};

const reaches = new WeakMap<StartedTarget, Reach>();

/** What this run can reach of its target; one queue for each proxy process, shared by all of its faults. */
export const reachOf = (target: StartedTarget): Reach => {
  const known = reaches.get(target);
  if (known !== undefined) return known;
  const { processes, containers: control } = target.can;
  const reach: Reach = {
    ...reachBy(target.can.links?.restart?.bind(target.can.links)),
    security: () => target.security,
    ...(processes !== undefined && { processes }),
    ...(control !== undefined && { containers: control }),
  };
  reaches.set(target, reach);
  return reach;
};
