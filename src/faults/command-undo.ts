// What programs broke, put back by programs: the words are in the undo record, the secrets only by name, so that a watchdog or
// `ackproof heal` can run them as well. A first run is perhaps too early, so they are made to be run twice.
import { describeError, EnvironmentError } from '../errors.ts';
import { shellWord } from '../shell.ts';
import { type CommandCall, runCommand } from '../targets/user-command.ts';
import type { UndoRecord, UndoStep } from './fault.ts';
import type { StillThere } from './proxy-left.ts';

export type CommandStep = Extract<UndoStep, { readonly do: 'run-command' }>;

const isCommand = (step: UndoStep): step is CommandStep => step.do === 'run-command';

const sum = (all: readonly number[]): number => all.reduce((total, each) => total + each, 0);

/** How long the programs of a record may take to put things back, ms; 0 without any. */
export const commandHealMs = ({ steps }: UndoRecord): number =>
  sum(steps.filter(isCommand).map(({ heal }) => heal.timeoutMs));

/** The longest that the programs of a record may take to say that all is put back, ms; they say so at the same time. 0 without any. */
export const commandHealedMs = ({ steps }: UndoRecord): number =>
  Math.max(0, ...steps.filter(isCommand).map(({ healed }) => healed.timeoutMs));

/** How long one that breaks may still be at work after whoever started it died, ms; 0 without any. */
export const commandInFlightMs = ({ steps }: UndoRecord): number =>
  sum(steps.filter(isCommand).map(({ injectMs }) => injectMs));

/** As a person would type it. */
export const commandLine = (argv: readonly string[]): string => argv.map(shellWord).join(' ');

const byHand = ({ heal: { folder, argv } }: CommandStep): string => `cd ${shellWord(folder)} && ${commandLine(argv)}`;

/** @throws EnvironmentError where the program cannot be started, takes too long, or does not end with 0. */
export const performCommand = async ({ heal }: CommandStep, signal: AbortSignal): Promise<void> => {
  const { exitCode, printed, complained } = await runCommand(heal, signal);
  if (exitCode === 0) return;
  const said = [printed, complained].filter((text) => text !== '').join(' / ');
  throw new EnvironmentError(
    'COMMAND_FAILED',
    `The ${heal.what} ended with ${exitCode ?? 'a signal'}${said === '' ? '' : `: ${said}`}.`,
    { hint: 'See what it complains of.' },
  );
};

/** What `healed` says against it, in words; undefined where it ends with 0. Never rejects. */
export const whyNotHealed = async (healed: CommandCall, signal: AbortSignal): Promise<string | undefined> => {
  try {
    const { exitCode, printed, complained } = await runCommand(healed, signal);
    if (exitCode === 0) return undefined;
    const said = [printed, complained].filter((text) => text !== '').join(' / ');
    return `${healed.what} ended with ${exitCode ?? 'a signal'}${said === '' ? '' : `: ${said}`}`;
  } catch (thrown) {
    return describeError(thrown);
  }
};

/** Nothing once `healed` ends with 0. Never rejects. */
export const commandLeft = async (step: CommandStep): Promise<StillThere[]> => {
  const { healed } = step;
  const what = await whyNotHealed(healed, AbortSignal.timeout(healed.timeoutMs + 2000));
  return what === undefined ? [] : [{ what, byHand: byHand(step) }];
};
