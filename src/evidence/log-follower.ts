// The lines that are added to one file, each with the byte at which it begins, so that whoever doubts it finds it again.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

export interface PlacedLine {
  readonly text: string;
  /** Byte offset of its first character. */
  readonly position: number;
}

/** Read at most so much of one file in one look; the rest is read in the next. */
const MAX_READ_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

const sizeOf = async (file: string): Promise<number> => {
  try {
    return (await stat(file)).size;
  } catch {
    return 0;
  }
};

export class LogFollower {
  readonly #file: string;
  /** Of the first byte that was not read yet. */
  #position = 0;
  #rest: Buffer = Buffer.alloc(0);

  constructor(file: string) {
    this.#file = file;
  }

  get readBytes(): number {
    return this.#position;
  }

  /** Goes to the end of the file and returns the whole lines before it; half a line there is read when it is whole. */
  async catchUp(): Promise<readonly PlacedLine[]> {
    const lines: PlacedLine[] = [];
    const size = await sizeOf(this.#file);
    for (let before = -1; this.#position < size && this.#position > before; ) {
      before = this.#position;
      lines.push(...(await this.newLines(size)));
    }
    return lines;
  }

  /** What was added since the last look, up to `end` if it is given; a file that became shorter begins anew. */
  async newLines(end?: number): Promise<readonly PlacedLine[]> {
    const size = end ?? (await sizeOf(this.#file));
    if (size < this.#position) {
      this.#position = 0;
      this.#rest = Buffer.alloc(0);
    }
    if (size === this.#position) return [];
    const last = Math.min(size, this.#position + MAX_READ_BYTES) - 1;
    const chunks: Buffer[] = [this.#rest];
    for await (const chunk of createReadStream(this.#file, { start: this.#position, end: last }))
      chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const begins = this.#position - this.#rest.length;
    this.#position = begins + bytes.length;
    return this.#split(bytes, begins);
  }

  #split(bytes: Buffer, begins: number): readonly PlacedLine[] {
    const lines: PlacedLine[] = [];
    let from = 0;
    for (let to = bytes.indexOf(LINE_FEED); to >= 0; to = bytes.indexOf(LINE_FEED, from)) {
      lines.push({ text: bytes.toString('utf8', from, to), position: begins + from });
      from = to + 1;
    }
    this.#rest = bytes.subarray(from);
    return lines;
  }
}
