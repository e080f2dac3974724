// What has to be put back, in reverse order of what was done. Every heal is attempted exactly once, whatever the others do;
// backends that do not touch each other heal at the same time. The first error wins, later ones are attached to it.
import { AckproofError, EnvironmentError } from '../errors.ts';

export interface HealStep {
  /** For messages: `restore-proxy client-broker-1`. */
  readonly what: string;
  /** Steps of one group run one after the other (a proxy process, the processes of the target). */
  readonly group: string;
  heal(signal: AbortSignal): Promise<void>;
}

export interface HealProblem {
  readonly what: string;
  readonly error: unknown;
}

export class HealStack {
  #steps: HealStep[] = [];

  push(step: HealStep): void {
    this.#steps.push(step);
  }

  /** Attempts everything pushed so far, newest first within a group, and forgets it. Never rejects. */
  async healAll(signal: AbortSignal): Promise<readonly HealProblem[]> {
    const steps = this.#steps.reverse();
    this.#steps = [];
    const groups = new Map<string, HealStep[]>();
    for (const step of steps) groups.set(step.group, [...(groups.get(step.group) ?? []), step]);
    const problems: HealProblem[] = [];
    await Promise.all(
      [...groups.values()].map(async (group) => {
        for (const step of group) {
          try {
            await step.heal(signal);
          } catch (error) {
            problems.push({ what: step.what, error });
          }
        }
      }),
    );
    return problems;
  }
}

/** One error out of several: the first, with the others attached; nothing when there was none. */
export const healError = (problems: readonly HealProblem[]): AckproofError | undefined => {
  const [first, ...others] = problems;
  if (first === undefined) return undefined;
  const error =
    first.error instanceof AckproofError
      ? first.error
      : new EnvironmentError('HEAL_FAILED', `${first.what} could not be put back.`, {
          cause: first.error,
          hint: 'See what is left with `ackproof status`, and put it back with `ackproof heal --all`.',
        });
  error.attached.push(...others.map((other) => other.error));
  return error;
};
