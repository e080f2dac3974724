// The run's side of its watchdog: starts it, asks whether it is awake before each injection, and ends it when all is healed.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Clock, systemClock } from '../clock.ts';
import { childEnvironment } from '../environment.ts';
import { EnvironmentError } from '../errors.ts';
import { programFile } from '../targets/program-files.ts';
import { withDeadline } from './deadline.ts';
import type { WatchdogAnswer, WatchdogConfig, WatchdogOrder } from './watchdog-duty.ts';

const PING_DEADLINE_MS = 5000;

/** What a fault needs of a watchdog. */
export interface WatchdogPing {
  /** @throws EnvironmentError when it is silent, or has healed something by itself. */
  ping(): Promise<void>;
}

export interface Watchdog extends WatchdogPing {
  readonly pid: number;
  /** Ends it without any healing: the run has put everything back itself. */
  stop(): Promise<void>;
}

class WatchdogProcess implements Watchdog {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #waiting = new Map<number, (answer: WatchdogAnswer) => void>();
  readonly #exited: Promise<void>;
  #number = 0;

  constructor(child: ChildProcess, pid: number, clock: Clock) {
    this.#child = child;
    this.pid = pid;
    this.#clock = clock;
    this.#exited = new Promise((resolve) => {
      child.once('exit', () => resolve());
    });
    // A watchdog that died shows in the next ping; a write to its closed pipe must not end the run.
    child.stdin?.on('error', () => undefined);
    if (child.stdout !== null) {
      createInterface({ input: child.stdout }).on('line', (line) => {
        const answer = JSON.parse(line) as WatchdogAnswer;
        this.#waiting.get(answer.pong)?.(answer);
        this.#waiting.delete(answer.pong);
      });
    }
  }

  async ping(): Promise<void> {
    const number = ++this.#number;
    const what = 'the watchdog to answer a ping';
    const answer = await withDeadline(
      { clock: this.#clock, ms: PING_DEADLINE_MS, what },
      async () =>
        await new Promise<WatchdogAnswer>((resolve, reject) => {
          this.#waiting.set(number, resolve);
          void this.#exited.then(() =>
            reject(
              new EnvironmentError('WATCHDOG_ENDED', 'The watchdog has ended.', {
                hint: 'See logs/ in the run directory for why; nothing is broken without a watchdog, so run it again.',
              }),
            ),
          );
          this.#send({ ask: 'ping', number });
        }),
    ).catch((cause: unknown) => {
      throw new EnvironmentError('WATCHDOG_SILENT', 'The watchdog does not answer, so no fault is performed.', {
        cause,
        hint: 'Run again; if it stays silent, look for what ends processes on this machine (memory, limits).',
      });
    });
    if (!answer.acted) return;
    throw new EnvironmentError(
      'WATCHDOG_ACTED',
      'The watchdog has healed a fault by itself, so no further one follows.',
      {
        hint: 'ackproof was suspended for longer than a fault may last; run the drill again.',
      },
    );
  }

  async stop(): Promise<void> {
    this.#send({ ask: 'stop' });
    this.#child.stdin?.end();
    try {
      await withDeadline({ clock: this.#clock, ms: PING_DEADLINE_MS, what: 'the watchdog to end' }, async () => {
        await this.#exited;
      });
    } catch (thrown) {
      // One that stands still would keep the pipes of this program open, and so the program itself.
      this.#child.kill('SIGKILL');
      throw thrown;
    }
  }

  #send(order: WatchdogOrder): void {
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
  }
}

/**
 * Starts the watchdog of a run; it is awake when this returns. Start it after the run was registered and before its target is:
 * from here on nothing the run starts outlives the run.
 */
export const startWatchdog = async (config: WatchdogConfig, clock: Clock = systemClock): Promise<Watchdog> => {
  const child = spawn(process.execPath, [programFile('faults/watchdog-program'), JSON.stringify(config)], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: childEnvironment({ ACKPROOF_RUN: '', ACKPROOF_WATCHDOG: config.runId }),
  });
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => resolve(child.pid ?? 0));
  }).catch((cause: unknown) => {
    throw new EnvironmentError('WATCHDOG_NOT_STARTED', 'The watchdog cannot be started.', {
      cause,
      hint: 'See that this user may start processes; without a watchdog nothing is broken.',
    });
  });
  child.unref();
  const watchdog = new WatchdogProcess(child, pid, clock);
  await watchdog.ping();
  return watchdog;
};
