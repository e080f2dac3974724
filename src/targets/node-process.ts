// One node of a target as a process of its own: started, watched until it is ready, signalled, and started again
// with the same command, so that it comes back on the same ports.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { childEnvironment } from '../environment.ts';
import { DeadlineError, EnvironmentError } from '../errors.ts';
import { lastLines } from './log-tail.ts';
import { findProcess, identityOfChild, signalProcess } from './process-table.ts';
import type { NodeId, NodeState, ProcessIdentity } from './target.ts';
import { done, type Look, notYet, waitFor } from './wait-for.ts';

/** How a node is started, the same each time. */
export interface NodeCommand {
  readonly node: NodeId;
  readonly executable: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Where its standard error is appended, and its standard output where `serves` tells whether it is ready. */
  readonly logFile: string;
  /** Looks whether it serves. Absent for programs of ours: they say so by a line of JSON on standard output. */
  readonly serves?: (signal: AbortSignal | undefined) => Promise<Look<ReadyLine>>;
  /** How long it may take until it is ready; default 10,000. */
  readonly readyWithinMs?: number;
}

/** The fields of the line a program prints once it serves. */
export type ReadyLine = Readonly<Record<string, unknown>>;

interface Life {
  readonly child: ChildProcess;
  readonly identity: ProcessIdentity;
  /** Exit code, or 128 plus the number of the signal that ended it; set by the exit. */
  exitCode: number | undefined;
  /** Whether we told it to end. */
  told: boolean;
}

const SIGNAL_NUMBERS: Readonly<Record<string, number>> = { SIGKILL: 9, SIGTERM: 15 };
const SIGNAL_DEADLINE_MS = 5_000;

const parseReady = (line: string): ReadyLine | undefined => {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === 'object' && parsed !== null && 'ready' in parsed && parsed.ready === true
      ? { ...parsed }
      : undefined;
  } catch {
    return undefined;
  }
};

export class NodeProcess {
  readonly command: NodeCommand;
  #life: Life | undefined;
  #disposed = false;
  #diedAlone = false;

  constructor(command: NodeCommand) {
    this.command = command;
  }

  /** The process of the latest start, as long as it is there. */
  get identity(): ProcessIdentity | undefined {
    return this.#life !== undefined && findProcess(this.#life.identity) !== undefined ? this.#life.identity : undefined;
  }

  /** Read from the operating system. */
  get state(): NodeState {
    const life = this.#life;
    if (life === undefined) return 'stopped';
    const entry = findProcess(life.identity);
    if (entry === undefined) return life.told ? 'stopped' : 'gone';
    return entry.state === 'T' ? 'paused' : 'running';
  }

  /** Whether any of its processes ended without being told to, even if it was started again since. */
  get diedAlone(): boolean {
    return this.#diedAlone || this.state === 'gone';
  }

  /** Starts it and waits until it is ready; a start that fails or is aborted leaves no process. */
  async start(signal?: AbortSignal): Promise<ReadyLine> {
    signal?.throwIfAborted();
    const { node } = this.command;
    this.#refuseStart();
    const { life, ready } = this.#spawn();
    this.#life = life;
    try {
      return await waitFor(
        {
          awaited: `${node} to be ready`,
          deadlineMs: this.command.readyWithinMs ?? 10_000,
          ...(this.command.serves === undefined ? {} : { everyMs: 50 }),
          ...(signal === undefined ? {} : { signal }),
        },
        async () => {
          if (life.exitCode !== undefined) throw this.#endedEarly(life.exitCode);
          return await ready(signal);
        },
      );
    } catch (thrown) {
      await this.#end();
      throw thrown;
    }
  }

  /** SIGKILL; returns who was killed once the process is gone. */
  async kill(signal?: AbortSignal): Promise<ProcessIdentity> {
    const life = this.#alive('killed');
    life.told = true;
    signalProcess(life.identity, 'SIGKILL');
    await this.#until('be gone', signal, () => this.#hasEnded(life));
    return life.identity;
  }

  /** SIGTERM; the exit code, or undefined when it still runs after `graceMs`. */
  async terminate(graceMs: number, signal?: AbortSignal): Promise<number | undefined> {
    const life = this.#alive('stopped');
    life.told = true;
    signalProcess(life.identity, 'SIGTERM');
    try {
      await this.#until('end', signal, () => this.#hasEnded(life), graceMs);
    } catch (thrown) {
      if (!(thrown instanceof DeadlineError)) throw thrown;
    }
    return life.exitCode;
  }

  async pause(signal?: AbortSignal): Promise<ProcessIdentity> {
    const life = this.#alive('paused');
    signalProcess(life.identity, 'SIGSTOP');
    await this.#until('be paused', signal, () => this.state === 'paused');
    return life.identity;
  }

  async resume(signal?: AbortSignal): Promise<void> {
    const life = this.#alive('resumed');
    signalProcess(life.identity, 'SIGCONT');
    await this.#until('run again', signal, () => this.state === 'running');
  }

  /** Closes the pipe to its standard input, as our own death would. */
  closeInput(): void {
    this.#life?.child.stdin?.end();
  }

  /** Ends whatever is left of it; returns once nothing is. It cannot be started again. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    await this.#end();
  }

  #refuseStart(): void {
    const { node } = this.command;
    if (this.#disposed) {
      throw new EnvironmentError('TARGET_DISPOSED', `${node} cannot be started: its target was disposed of.`, {
        hint: 'Start a new target.',
      });
    }
    if (this.identity !== undefined) {
      throw new EnvironmentError('TARGET_NODE_RUNS', `${node} cannot be started: it has a process already.`, {
        hint: 'Stop it first.',
      });
    }
  }

  /** Never aborted: leaving a process behind is worse than waiting. */
  async #end(): Promise<void> {
    const life = this.#life;
    if (life === undefined || this.#hasEnded(life)) return;
    life.told = true;
    signalProcess(life.identity, 'SIGKILL');
    await this.#until('be gone', undefined, () => this.#hasEnded(life));
  }

  #hasEnded(life: Life): boolean {
    return life.exitCode !== undefined && findProcess(life.identity) === undefined;
  }

  /** The error for something that needs a process when there is none. */
  hasEnded(what: string): EnvironmentError {
    const { node, logFile } = this.command;
    return new EnvironmentError('TARGET_NODE_HAS_ENDED', `${node} cannot be ${what}: it has no process.`, {
      hint: `Read ${logFile} for how it ended.`,
    });
  }

  #alive(what: string): Life {
    const life = this.#life;
    if (life !== undefined && findProcess(life.identity) !== undefined) return life;
    throw this.hasEnded(what);
  }

  async #until(
    what: string,
    signal: AbortSignal | undefined,
    holds: () => boolean,
    deadlineMs: number = SIGNAL_DEADLINE_MS,
  ): Promise<void> {
    await waitFor(
      {
        awaited: `${this.command.node} to ${what}`,
        deadlineMs,
        everyMs: 2,
        ...(signal === undefined ? {} : { signal }),
      },
      () => (holds() ? done(undefined) : notYet(this.state)),
    );
  }

  #endedEarly(exitCode: number): EnvironmentError {
    const { node, logFile } = this.command;
    const lines = lastLines(logFile, 6);
    const said = lines.length === 0 ? 'It wrote nothing to its log.' : `Its log ends with: ${lines.join(' | ')}`;
    return new EnvironmentError(
      lines.some((line) => line.includes('EADDRINUSE')) ? 'TARGET_PORT_IN_USE' : 'TARGET_NODE_FAILED',
      `${node} ended with exit code ${exitCode} before it was ready. ${said}`,
      { hint: `Read ${logFile}.` },
    );
  }

  /** A process group of its own, so that Ctrl-C reaches us and not the nodes; its standard input tells it when we are gone. */
  #spawn(): { readonly life: Life; readonly ready: NonNullable<NodeCommand['serves']> } {
    const { command } = this;
    mkdirSync(dirname(command.logFile), { recursive: true });
    const log = openSync(command.logFile, 'a');
    try {
      const child = spawn(command.executable, command.args, {
        stdio: ['pipe', command.serves === undefined ? 'pipe' : log, log],
        env: childEnvironment(command.environment),
        detached: true,
      });
      const life: Life = { child, identity: identityOfChild(child.pid ?? 0), exitCode: undefined, told: false };
      const end = (exitCode: number): void => {
        life.exitCode ??= exitCode;
        if (!life.told) this.#diedAlone = true;
      };
      child.once('error', () => end(127));
      child.once('exit', (code, ended) => end(code ?? 128 + (SIGNAL_NUMBERS[ended ?? ''] ?? 0)));
      child.stdin?.on('error', () => undefined);
      let ready: ReadyLine | undefined;
      if (child.stdout !== null) {
        createInterface({ input: child.stdout }).on('line', (line) => {
          ready ??= parseReady(line);
        });
      }
      const said = (): Look<ReadyLine> => (ready === undefined ? notYet('it runs and has not said so') : done(ready));
      return { life, ready: command.serves ?? (async () => await Promise.resolve(said())) };
    } finally {
      closeSync(log);
    }
  }
}
