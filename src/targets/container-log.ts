// Follows what a container prints into a file of the run: the stream ends with the container, and goes on when that is started
// again.
import { createWriteStream, type WriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { DockerEngine } from './docker-engine.ts';
import { FrameStripper } from './frame-stripper.ts';

export class ContainerLog implements AsyncDisposable {
  readonly #engine: Pick<DockerEngine, 'followLogs'>;
  readonly #id: string;
  readonly #file: WriteStream;
  #stream: Readable | undefined;
  /** Which call is the last one: what an earlier one still waits for is nobody's. */
  #turn = 0;

  constructor(engine: Pick<DockerEngine, 'followLogs'>, id: string, file: string) {
    this.#engine = engine;
    this.#id = id;
    this.#file = createWriteStream(file, { flags: 'a' });
    // A log that cannot be written takes nothing away from the run; what is missing shows by its absence.
    this.#file.on('error', () => undefined);
  }

  /** Follows from `sinceMs` on until the container ends; a log that cannot be had is left out. */
  async follow(sinceMs: number): Promise<void> {
    this.#stream?.destroy();
    const mine = ++this.#turn;
    const stripper = new FrameStripper();
    const stream = await this.#engine.followLogs(this.#id, sinceMs).catch(() => undefined);
    if (mine !== this.#turn) {
      stream?.destroy();
      return;
    }
    this.#stream = stream;
    stream?.on('error', () => undefined);
    stream?.on('data', (chunk: Buffer) => {
      this.#file.write(stripper.take(chunk));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#turn++;
    this.#stream?.destroy();
    await new Promise<void>((resolve) => {
      this.#file.end(() => resolve());
    });
  }
}
