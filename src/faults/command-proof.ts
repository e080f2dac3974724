// What programs say of a fault that they perform, and how far that is believed: `confirm` must have said no before anything was
// broken, and `healed` must not say yes while `confirm` does.
import { deadlineSignal, systemClock } from '../clock.ts';
import { EnvironmentError } from '../errors.ts';
import { type CommandCall, type CommandResult, runCommand } from '../targets/user-command.ts';
import { whyNotHealed } from './command-undo.ts';
import type { EvidenceSample } from './fault.ts';

/** The programs for one victim, or for all of them. */
export interface CommandSet {
  readonly whom: string;
  readonly inject: CommandCall;
  readonly confirm: CommandCall;
  readonly heal: CommandCall;
  readonly healed: CommandCall;
}

/** How long programs that look take at rest, for all victims at the same time, ms. */
export interface LookTimes {
  readonly confirmMs: number;
  readonly healedMs: number;
}

/** One that waits until it can say yes is not waited for before the fault. */
const MOST_HEALED_MS = 5000;
/** What a quick program may take longer on a busy machine. */
const LATE_MS = 1000;

/** How a program ended, in words; what it complained of where it did not end well. */
export const endOf = ({ what }: CommandCall, { exitCode, printed, complained }: CommandResult): string => {
  const how = exitCode === undefined ? 'was ended by a signal' : `ended with ${exitCode}`;
  const said = [printed, exitCode === 0 ? '' : complained].filter((text) => text !== '').join(' / ');
  return said === '' ? `${what} ${how} and said nothing` : `${what} ${how}: ${said}`;
};

/** One that ends well and says nothing has shown nothing. */
const isConfirmed = ({ exitCode, printed }: CommandResult): boolean => exitCode === 0 && printed !== '';

/** What the programs say of every victim, all at the same time. */
export const confirmAll = async (
  sets: readonly CommandSet[],
  signal: AbortSignal,
): Promise<readonly Omit<EvidenceSample, 'kind'>[]> =>
  await Promise.all(
    sets.map(async ({ confirm }) => {
      const result = await runCommand(confirm, signal);
      return { holds: isConfirmed(result), seen: endOf(confirm, result) };
    }),
  );

/** Whether `healed` says yes within a time; one that says nothing until then does not. */
const saysHealed = async ({ healed }: CommandSet, withinMs: number, signal: AbortSignal): Promise<boolean> => {
  const limit = deadlineSignal(withinMs, signal);
  const isYes = (await whyNotHealed(healed, limit)) === undefined;
  signal.throwIfAborted();
  return isYes;
};

/** How long a `healed` that says yes whatever happens may take to do so. */
const amidMs = ({ healedMs }: LookTimes): number => 2 * healedMs + LATE_MS;

/** How long the longest look while the fault acts takes. */
export const longestLookMs = (times: LookTimes): number => times.confirmMs + amidMs(times);

/** A program that confirms what nobody has done yet would confirm anything. */
export const assertNothingToConfirm = async (sets: readonly CommandSet[], signal: AbortSignal): Promise<LookTimes> => {
  const began = systemClock.now();
  const yes = (await confirmAll(sets, signal)).find(({ holds }) => holds);
  if (yes !== undefined) {
    throw new EnvironmentError('COMMAND_CONFIRMS_NOTHING', `Before anything was broken the ${yes.seen}.`, {
      hint: 'Let confirm end with 0 only while the fault acts, or put back what an earlier one left.',
    });
  }
  const confirmed = systemClock.now();
  await Promise.all(sets.map(async (set) => await saysHealed(set, MOST_HEALED_MS, signal)));
  return { confirmMs: confirmed - began, healedMs: systemClock.now() - confirmed };
};

/**
 * Whose `healed` says yes of a fault that acts by the word of `confirm`, before and afterwards; called once that was said of all.
 * Undefined where the fault was over meanwhile, so that nobody knows.
 */
export const healedAmid = async (
  sets: readonly CommandSet[],
  times: LookTimes,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> => {
  const answers = await Promise.all(sets.map(async (set) => await saysHealed(set, amidMs(times), signal)));
  const sayYes = sets.filter((_, index) => answers[index]);
  const still = await confirmAll(sayYes, signal);
  if (!still.every(({ holds }) => holds)) return undefined;
  return sayYes.map(
    ({ healed }) => `${healed.what} ended with 0 while the fault acted, so its word that it is over is none`,
  );
};
