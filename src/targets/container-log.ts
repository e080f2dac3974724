// Follows what a container prints into a file of the run. The engine sends both outputs in one stream, in frames of eight bytes
// of header and what was printed; the stream ends with the container, and goes on when that is started again.
import { createWriteStream, type WriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { DockerEngine } from './docker-engine.ts';

const HEADER_BYTES = 8;

/** Takes the frames' headers away, wherever the chunks are cut. */
export class FrameStripper {
  #rest: Buffer = Buffer.alloc(0);

  /** What of the frames is whole by now. */
  take(chunk: Buffer): Buffer {
    const whole: Buffer[] = [];
    let left = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (left.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + left.readUInt32BE(4);
      if (left.length < end) break;
      whole.push(left.subarray(HEADER_BYTES, end));
      left = left.subarray(end);
    }
    this.#rest = left;
    return Buffer.concat(whole);
  }
}

export class ContainerLog implements AsyncDisposable {
  readonly #engine: DockerEngine;
  readonly #id: string;
  readonly #file: WriteStream;
  #stream: Readable | undefined;

  constructor(engine: DockerEngine, id: string, file: string) {
    this.#engine = engine;
    this.#id = id;
    this.#file = createWriteStream(file, { flags: 'a' });
    // A log that cannot be written takes nothing away from the run; what is missing shows by its absence.
    this.#file.on('error', () => undefined);
  }

  /** Follows from `sinceMs` on until the container ends; a log that cannot be had is left out. */
  async follow(sinceMs: number): Promise<void> {
    this.#stream?.destroy();
    const stripper = new FrameStripper();
    const stream = await this.#engine.followLogs(this.#id, sinceMs).catch(() => undefined);
    this.#stream = stream;
    stream?.on('error', () => undefined);
    stream?.on('data', (chunk: Buffer) => {
      this.#file.write(stripper.take(chunk));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stream?.destroy();
    await new Promise<void>((resolve) => {
      this.#file.end(() => resolve());
    });
  }
}
