// Follows what a container prints into a file of the run: the stream ends with the container, and goes on when that is started
// again. One that breaks while the container runs, as where the engine is restarted, is opened again from where it broke.
import { createWriteStream, type WriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { systemClock } from '../clock.ts';
import type { DockerEngine } from './docker-engine.ts';
import { isNotThere } from './docker-failure.ts';
import { FrameStripper } from './frame-stripper.ts';

const REOPEN_MS = 250;

export class ContainerLog implements AsyncDisposable {
  readonly #engine: Pick<DockerEngine, 'followLogs' | 'inspect'>;
  readonly #id: string;
  readonly #file: WriteStream;
  readonly #over = new AbortController();
  #stream: Readable | undefined;
  /** Counts the streams; what an earlier one does is of no interest any more. */
  #turn = 0;

  constructor(engine: Pick<DockerEngine, 'followLogs' | 'inspect'>, id: string, file: string) {
    this.#engine = engine;
    this.#id = id;
    this.#file = createWriteStream(file, { flags: 'a' });
    // A log that cannot be written takes nothing away from the run; what is missing shows by its absence.
    this.#file.on('error', () => undefined);
  }

  /** Follows from `sinceMs` on until the container ends; a log that cannot be had is left out. */
  async follow(sinceMs: number): Promise<void> {
    this.#turn += 1;
    this.#stream?.destroy();
    await this.#open(this.#turn, sinceMs);
  }

  /** False where there is no stream to be had. */
  async #open(turn: number, sinceMs: number): Promise<boolean> {
    const stream = await this.#engine.followLogs(this.#id, sinceMs).catch(() => undefined);
    if (!this.#isCurrent(turn)) {
      stream?.destroy();
      return true;
    }
    this.#stream = stream;
    if (stream === undefined) return false;
    const stripper = new FrameStripper();
    let seenMs = sinceMs;
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => {
      seenMs = systemClock.wall();
      this.#file.write(stripper.take(chunk));
    });
    stream.on('close', () => void this.#reopen(turn, seenMs));
    return true;
  }

  /** Until the container is followed again, or is seen to have ended. */
  async #reopen(turn: number, sinceMs: number): Promise<void> {
    while (this.#isCurrent(turn)) {
      await systemClock.sleep(REOPEN_MS, this.#over.signal).catch(() => undefined);
      if (!this.#isCurrent(turn)) return;
      const isRunning = await this.#isRunning();
      if (isRunning === false) return;
      if (isRunning === true && this.#isCurrent(turn) && (await this.#open(turn, sinceMs))) return;
    }
  }

  #isCurrent(turn: number): boolean {
    return !this.#over.signal.aborted && turn === this.#turn;
  }

  /** Undefined where nobody says. */
  async #isRunning(): Promise<boolean | undefined> {
    try {
      return (await this.#engine.inspect(this.#id, this.#over.signal)).pid !== 0;
    } catch (thrown) {
      return isNotThere(thrown) ? false : undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    this.#stream?.destroy();
    await new Promise<void>((resolve) => {
      this.#file.end(() => resolve());
    });
  }
}
