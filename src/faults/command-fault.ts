// A fault performed by programs of whoever runs the cluster: one set of them for each victim, or one for all where their words name
// none. What `confirm` says is the mechanism, and without a word from it there is none; effect and control are seen by ackproof
// itself where it can (command-watch.ts). What `healed` says ends the fault, if it says no while the fault
// acts; victims that were silent must answer, and the cluster be whole again, by our own look, too.
import { systemClock } from '../clock.ts';
import { EnvironmentError, suggestName } from '../errors.ts';
import type { BrokerNode, StartedTarget, UserCommand, UserCommands } from '../targets/target.ts';
import { type CommandCall, runCommand } from '../targets/user-command.ts';
import {
  assertNothingToConfirm,
  type CommandSet,
  confirmAll,
  endOf,
  healedAmid,
  type LookTimes,
  longestLookMs,
} from './command-proof.ts';
import { CommandWatch } from './command-watch.ts';
import type {
  Begun,
  EvidenceSample,
  FaultContext,
  HealSample,
  PreparedFault,
  UndoRecord,
  VictimSelector,
} from './fault.ts';
import { FULL_OUTAGE } from './fault-params.ts';
import { healError } from './heal-stack.ts';
import { sampleWholeness } from './leadership.ts';
import { askAnyMetadata, type ClusterView } from './probes/cluster-metadata.ts';
import { leftOf, performUndo, reachOf } from './undo.ts';
import { requireCapability, resolveVictims, type Victims } from './victim.ts';

/** Between the beginnings of two looks by `confirm`. */
const LOOK_EVERY_MS = 1000;

export interface CommandRequest {
  readonly fault: UndoRecord['fault'];
  /** The command's name in the target file. */
  readonly name: string;
  readonly context: FaultContext;
  readonly selector: VictimSelector;
  /** What the scenario asks of the fault, for the programs to honour. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Whether every broker may be a victim. */
  readonly mayHitAll: boolean;
}

interface CommandScene extends CommandRequest {
  readonly victims: Victims;
  readonly cluster: ClusterView;
  readonly sets: readonly CommandSet[];
  readonly watch: CommandWatch;
  readonly times: LookTimes;
}

const STEPS = ['inject', 'confirm', 'heal', 'healed'] as const;
const PLACEHOLDER = /\{(?:broker|host|port)\}/;

const namesVictim = (command: UserCommand): boolean =>
  STEPS.some((step) => command[step].some((word) => PLACEHOLDER.test(word)));

const filled = (word: string, { id, advertised }: BrokerNode): string =>
  word
    .replaceAll('{broker}', String(id))
    .replaceAll('{host}', advertised.host)
    .replaceAll('{port}', String(advertised.port));

const setFor = (
  { fault, name, params }: CommandRequest,
  { folder }: UserCommands,
  command: UserCommand,
  brokers: readonly BrokerNode[],
): CommandSet => {
  const [first] = brokers;
  const whom = brokers.map(({ node }) => node).join(', ');
  const env = {
    ACKPROOF_FAULT: fault,
    ACKPROOF_BROKERS: brokers.map(({ id }) => id).join(' '),
    ACKPROOF_PARAMS: JSON.stringify(params),
    ...command.env,
  };
  const call = (step: (typeof STEPS)[number]): CommandCall => ({
    what: `${step} of ${name} on ${whom}`,
    argv: command[step].map((word) => (first === undefined ? word : filled(word, first))),
    folder,
    env,
    timeoutMs: command.timeoutMs,
  });
  return { whom, inject: call('inject'), confirm: call('confirm'), heal: call('heal'), healed: call('healed') };
};

/** One broker after the other would be taken, and none given back before all are. */
const assertNotAll = ({ name, context, mayHitAll }: CommandRequest, brokers: readonly BrokerNode[]): void => {
  if (mayHitAll || brokers.length < context.target.brokers.length) return;
  throw new EnvironmentError('FAULT_FULL_OUTAGE', `${name} would be done to every broker of the cluster at once.`, {
    hint: `Name a victim; the fault command may do it with allow: [${FULL_OUTAGE}].`,
  });
};

const setsFor = (request: CommandRequest, commands: UserCommands, { brokers }: Victims): readonly CommandSet[] => {
  const { name } = request;
  const command = commands.named[name];
  if (command === undefined) {
    throw new EnvironmentError('COMMAND_UNKNOWN', `The target file has no command "${name}".`, {
      hint: suggestName(name, Object.keys(commands.named)),
    });
  }
  if (!namesVictim(command)) return [setFor(request, commands, command, brokers)];
  assertNotAll(request, brokers);
  return brokers.map((broker) => setFor(request, commands, command, [broker]));
};

class CommandFault implements PreparedFault {
  readonly victims: PreparedFault['victims'];
  readonly brokers: PreparedFault['brokers'];
  readonly chosen: string;
  readonly undo: UndoRecord;
  readonly longestMs: number;
  readonly lookMs: number;
  readonly healLookMs: number;
  readonly #scene: CommandScene;
  /** Why `healed` is not believed, once it was asked amid the fault. */
  #unbelieved: readonly string[] | undefined;
  /** One look at a time: rounds of evidence overlap, and a program of somebody else's is not made to. */
  #looking: Promise<unknown> = Promise.resolve();

  constructor(scene: CommandScene) {
    const { victims, sets, fault, name } = scene;
    this.#scene = scene;
    this.victims = victims.nodes;
    this.brokers = victims.brokers.map(({ id }) => id);
    this.chosen = `${victims.chosen}, by the command ${name}`;
    this.lookMs = longestLookMs(scene.times);
    this.healLookMs = scene.times.healedMs;
    this.longestMs = sets.reduce((sum, { inject }) => sum + inject.timeoutMs, 0);
    const steps = sets.map(
      ({ whom, inject, heal, healed }) =>
        ({ do: 'run-command', whom, heal, healed, injectMs: inject.timeoutMs }) as const,
    );
    this.undo = { fault, steps };
  }

  async apply(signal: AbortSignal, begun: Begun): Promise<{ readonly answer: string }> {
    const answers: string[] = [];
    for (const { inject } of this.#scene.sets) {
      const running = runCommand(inject, signal);
      // It may act at any time from here on.
      begun(`started ${inject.what}`);
      const result = await running;
      if (result.exitCode !== 0)
        throw new EnvironmentError('COMMAND_FAILED', `The ${endOf(inject, result)}.`, {
          hint: 'Run the program by hand with the words that `ackproof plan` prints, and mend what it complains of.',
        });
      answers.push(endOf(inject, result));
    }
    return { answer: answers.join('; ') };
  }

  async observe(signal: AbortSignal): Promise<readonly EvidenceSample[]> {
    const turn = this.#looking.then(async () => {
      const began = systemClock.now();
      const samples = await this.#look(signal);
      const restMs = LOOK_EVERY_MS - (systemClock.now() - began);
      // The next look waits, and not this one's result.
      return { samples, rest: systemClock.sleep(Math.max(0, restMs), signal).catch(() => undefined) };
    });
    this.#looking = turn.then(async ({ rest }) => await rest).catch(() => undefined);
    return (await turn).samples;
  }

  async heal(signal: AbortSignal): Promise<void> {
    const error = healError(await performUndo([this.undo], reachOf(this.#target), signal));
    if (error !== undefined) throw error;
  }

  async observeHealed(signal: AbortSignal): Promise<readonly HealSample[]> {
    const left = await leftOf(this.undo, reachOf(this.#target));
    const answering = await this.#scene.watch.answering(signal);
    // Where nobody sees the victims answer, a word that says so of anything shows nothing.
    const unbelieved = answering.length === 0 ? (this.#unbelieved ?? []) : [];
    const against = [...left.map(({ what }) => what), ...unbelieved];
    const seen = against.length === 0 ? 'healed says so of every victim' : against.join('; ');
    return [
      { kind: 'mechanism', holds: against.length === 0, seen },
      ...answering,
      await sampleWholeness(this.#target, this.#scene.cluster, signal),
    ];
  }

  get #target(): StartedTarget {
    return this.#scene.context.target;
  }

  async #look(signal: AbortSignal): Promise<readonly EvidenceSample[]> {
    const { sets, watch, times } = this.#scene;
    const [said, effect, control] = await Promise.all([
      confirmAll(sets, signal),
      watch.effect(signal),
      watch.control(signal),
    ]);
    const told = (kind: EvidenceSample['kind']): readonly EvidenceSample[] => said.map((each) => ({ kind, ...each }));
    if (said.every(({ holds }) => holds)) this.#unbelieved ??= await healedAmid(sets, times, signal);
    const unbelieved = (this.#unbelieved ?? []).map(
      (seen): EvidenceSample => ({ kind: 'mechanism', holds: false, seen }),
    );
    return [...told('mechanism'), ...unbelieved, ...(effect ?? told('effect')), ...(control ?? told('control'))];
  }
}

/** Chooses the victims, fills in the words, and sees that `confirm` says no. */
export const prepareByCommand = async (request: CommandRequest, signal: AbortSignal): Promise<PreparedFault> => {
  const { context, selector } = request;
  const { target } = context;
  const commands = requireCapability(target.can.commands, 'commands', target);
  const victims = await resolveVictims(context, selector, signal);
  const sets = setsFor(request, commands, victims);
  const times = await assertNothingToConfirm(sets, signal);
  const cluster = await askAnyMetadata(target.evidenceBootstrap, signal, target.security);
  const watch = await CommandWatch.open(request.fault, { context, victims, cluster }, signal);
  return new CommandFault({ ...request, victims, cluster, sets, watch, times });
};
