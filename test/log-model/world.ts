// The world of the model: processes, and everything that is on its way to somebody. Nothing has a duration; what happens next
// is picked by the seed from all that could. A paused process gets nothing, a dead one never will, and a request that has left
// a process arrives all the same, however late.
import type { Clock } from '../../src/clock.ts';
import type { Random } from '../../src/random.ts';

/** Something that can happen; `label` is for the trace. */
export interface Happening {
  readonly label: () => string;
  readonly happen: () => void;
}

/** Chance that a step first lets a held request go on its way. */
const HELD_RATE = 0.03;
/** Chance that a step ends a sleep although something else could happen; most sleeps are pauses between uploads. */
const ALARM_RATE = 0.12;

export class Process {
  readonly name: string;
  isDead = false;
  isPaused = false;
  /** Answers on their way to this process. */
  inbox: Happening[] = [];
  /** Its sleeps. */
  alarms: Happening[] = [];

  constructor(name: string) {
    this.name = name;
  }
}

export class World {
  readonly random: Random;
  /** Requests on their way to the store. */
  readonly network: Happening[] = [];
  /** Requests that will arrive long after their sender gave up on them. */
  readonly held: Happening[] = [];
  readonly processes: Process[] = [];
  trace: string[] | undefined;

  constructor(random: Random) {
    this.random = random;
  }

  start(name: string): Process {
    const process = new Process(name);
    this.processes.push(process);
    return process;
  }

  kill(process: Process): void {
    process.isDead = true;
    process.inbox = [];
    process.alarms = [];
  }

  /** Puts `happening` on its way to `process`. */
  deliver(process: Process, happening: Happening): void {
    if (!process.isDead) process.inbox.push(happening);
  }

  note(text: () => string): void {
    this.trace?.push(text());
  }

  /** Lets one thing happen that is on its way to somebody who can take it. False when there is none. */
  async step(): Promise<boolean> {
    const awake = this.processes.filter(({ isDead, isPaused }) => !isDead && !isPaused);
    if (this.held.length > 0 && this.random.next() < HELD_RATE) this.releaseHeld();
    const alarms = awake.map((process) => process.alarms);
    if (this.random.next() < ALARM_RATE && (await this.#happenIn(alarms))) return true;
    return (await this.#happenIn([this.network, ...awake.map(({ inbox }) => inbox)])) || (await this.#happenIn(alarms));
  }

  /** Lets one of the held requests, picked at random, go on its way. */
  releaseHeld(): void {
    this.network.push(...this.held.splice(this.random.integer(this.held.length), 1));
  }

  /** Resolves when no process has anything left to do before something else happens. */
  async settle(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  /** One thing out of all in `queues`, each as likely; false when there is none. */
  async #happenIn(queues: readonly Happening[][]): Promise<boolean> {
    const total = queues.reduce((sum, queue) => sum + queue.length, 0);
    if (total === 0) return false;
    let position = this.random.integer(total);
    const queue = queues.find(({ length }) => {
      position -= length;
      return position < 0;
    });
    const [happening] = queue?.splice(position + queue.length, 1) ?? [];
    if (happening === undefined) return false;
    this.note(() => happening.label());
    happening.happen();
    await this.settle();
    return true;
  }
}

/** A clock on which every sleep ends at some time, in any order. */
export const clockOf = (process: Process): Clock => ({
  now: () => 0,
  wall: () => 0,
  sleep: async (ms, signal) => {
    await new Promise<void>((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const giveUp = (): void => {
        process.alarms = process.alarms.filter((other) => other !== alarm);
        reject(signal?.reason as Error);
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const alarm: Happening = { label: () => `${process.name} wakes after ${ms} ms`, happen: wake };
      if (!process.isDead) process.alarms.push(alarm);
      signal?.addEventListener('abort', giveUp);
    });
  },
});
