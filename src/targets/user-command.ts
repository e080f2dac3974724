// Runs a program of whoever runs the cluster: its words as they stand, no shell, an environment that holds nothing but what is named,
// a deadline, and what it says cut short and without the secrets it was given.
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { systemClock } from '../clock.ts';
import { commandEnvironment, environmentVariable } from '../environment.ts';
import { EnvironmentError } from '../errors.ts';
import { Secret } from '../wire/secret.ts';
import { fetchReference } from './secret-reference.ts';
import type { CommandEnvironment, UserCommands } from './target.ts';

/** One program to run; data only, so that another process can run it as well. */
export interface CommandCall {
  /** What it is for, in messages: `heal of process-kill on broker/2`. */
  readonly what: string;
  readonly argv: readonly string[];
  /** Absolute; it runs here, and files are looked up from here. */
  readonly folder: string;
  readonly env: CommandEnvironment;
  readonly timeoutMs: number;
}

export interface CommandResult {
  /** Undefined where it was ended by a signal that was not ours. */
  readonly exitCode: number | undefined;
  /** What it wrote to stdout, on one line, shortened. */
  readonly printed: string;
  /** The same of stderr. */
  readonly complained: string;
}

const MOST_TEXT = 4096;
const MOST_SEEN = 300;
/** Between the signal that asks and the one that does not. */
const GRACE_MS = 1000;
const LOOK_EVERY_MS = 20;
/** For what was written just before it ended; a program that it left running may hold the other end for ever. */
const DRAIN_MS = 200;

/** Keeps the first part of a stream: enough that a secret which begins in it is whole. */
class BoundedText {
  #text = '';
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  readonly take = (chunk: Buffer): void => {
    if (this.#text.length < this.#most) this.#text += chunk.toString('utf8').slice(0, this.#most - this.#text.length);
  };

  told(secrets: readonly Secret[]): string {
    const plain = secrets.reduce((text, secret) => secret.removedFrom(text), this.#text).slice(0, MOST_TEXT);
    const line = plain.replaceAll(/\p{C}+|\s+/gu, ' ').trim();
    return line.length > MOST_SEEN ? `${line.slice(0, MOST_SEEN)}…` : line;
  }
}

interface ResolvedEnvironment {
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly Secret[];
  readonly longest: number;
}

/** @throws EnvironmentError where a secret is not there. */
const resolveEnvironment = ({
  env,
  folder,
  what,
}: Pick<CommandCall, 'env' | 'folder' | 'what'>): ResolvedEnvironment => {
  const secrets: string[] = [];
  const values = Object.entries(env).map(([name, value]): [string, string] => {
    if (typeof value === 'string') return [name, value];
    const secret = fetchReference(`${name} of the ${what}`, value, folder);
    secrets.push(secret);
    return [name, secret];
  });
  return {
    env: Object.fromEntries(values),
    secrets: secrets.map((secret) => new Secret(secret)),
    longest: Math.max(0, ...secrets.map(({ length }) => length)),
  };
};

const notStarted = ({ what, argv, folder }: CommandCall, cause: unknown): EnvironmentError => {
  const message = `The ${what} cannot be started: ${argv[0] ?? ''} in ${folder}.`;
  return new EnvironmentError('COMMAND_NOT_STARTED', message, {
    cause,
    hint: 'Correct its first word in the target file, or make it a program that may be run.',
  });
};

const overdue = ({ what, timeoutMs }: CommandCall, said: string): EnvironmentError => {
  const words = said === '' ? '' : ` It said: ${said}`;
  return new EnvironmentError(
    'COMMAND_OVERDUE',
    `The ${what} took longer than ${timeoutMs} ms and was ended.${words}`,
    {
      hint: 'Give it more time with timeout in the target file, or see what it waits for.',
    },
  );
};

/** False where the group has nobody any more. */
const signalGroup = (group: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    process.kill(-group, signal);
    return true;
  } catch {
    return false;
  }
};

/** Until it has nobody any more, or it took so long; one that its parent has not taken leave of still counts. */
const isEmptyWithin = async (group: number, ms: number, signal: NodeJS.Signals | 0): Promise<boolean> => {
  const until = systemClock.now() + ms;
  while (signalGroup(group, signal)) {
    if (systemClock.now() >= until) return false;
    await systemClock.sleep(LOOK_EVERY_MS);
  }
  return true;
};

/**
 * Ends the child and what it started in its group, by the group's own number, which is the child's: also those below it that ignore
 * what it obeyed, since they would go on breaking things after the heal.
 */
const endGroup = async ({ pid, exitCode, signalCode }: ChildProcess): Promise<void> => {
  if (pid === undefined || exitCode !== null || signalCode !== null || !signalGroup(pid, 'SIGTERM')) return;
  if (!(await isEmptyWithin(pid, GRACE_MS, 0))) await isEmptyWithin(pid, GRACE_MS, 'SIGKILL');
};

const ended = async (child: ChildProcess): Promise<number | undefined> =>
  await new Promise((fulfil, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      const done = (): void => fulfil(code ?? undefined);
      child.once('close', done);
      setTimeout(done, DRAIN_MS);
    });
  });

/** Runs it to its end. @throws EnvironmentError where it cannot be started or takes too long; the signal's reason where that ends it. */
export const runCommand = async (call: CommandCall, signal: AbortSignal): Promise<CommandResult> => {
  signal.throwIfAborted();
  const { env, secrets, longest } = resolveEnvironment(call);
  const [program = '', ...words] = call.argv;
  const child = spawn(program, words, {
    cwd: call.folder,
    env: commandEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const [out, err] = [new BoundedText(MOST_TEXT + longest), new BoundedText(MOST_TEXT + longest)];
  child.stdout.on('data', out.take);
  child.stderr.on('data', err.take);
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  const deadline = systemClock.sleep(call.timeoutMs, stop).then(
    () => over.abort(),
    () => undefined,
  );
  const killing = killOn(child, AbortSignal.any([signal, over.signal]));
  try {
    const exitCode = await ended(child);
    signal.throwIfAborted();
    if (over.signal.aborted) throw overdue(call, err.told(secrets));
    return { exitCode, printed: out.told(secrets), complained: err.told(secrets) };
  } catch (thrown) {
    if (thrown instanceof Error && 'syscall' in thrown) throw notStarted(call, thrown);
    throw thrown;
  } finally {
    await killing.release();
    over.abort();
    await deadline;
    child.stdout.destroy();
    child.stderr.destroy();
  }
};

/** Ends the group once `signal` aborts. */
const killOn = (child: ChildProcess, signal: AbortSignal): { release(): Promise<void> } => {
  let ending: Promise<void> | undefined;
  const kill = (): void => {
    ending = endGroup(child);
  };
  signal.addEventListener('abort', kill, { once: true });
  return {
    release: async () => {
      signal.removeEventListener('abort', kill);
      await ending;
    },
  };
};

const mayRun = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** As the system looks for it: by its path from the folder, or on the PATH. */
const isProgram = (word: string, folder: string): boolean => {
  if (word.includes('/')) return mayRun(resolve(folder, word));
  return (environmentVariable('PATH') ?? '').split(delimiter).some((each) => mayRun(resolve(each, word)));
};

const STEPS = ['inject', 'confirm', 'heal', 'healed'] as const;

/** Every program and every secret is there. @throws EnvironmentError for the first that is not. */
export const assertCommands = ({ folder, named }: UserCommands): void => {
  for (const [name, command] of Object.entries(named)) {
    for (const step of STEPS) {
      const call = { what: `${step} of ${name}`, argv: command[step], folder, env: command.env, timeoutMs: 0 };
      if (!isProgram(call.argv[0] ?? '', folder)) throw notStarted(call, undefined);
      resolveEnvironment(call);
    }
  }
};
