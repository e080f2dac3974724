// A block volume: bytes at positions, one holder who may write, and a fence that takes it from the holder for good. Its space is
// in chunks, so that what was discarded is given back. A fence and a sync never overtake each other: a sync that was answered
// `done` had all on the disk before the fence was, and after a fence none is.
import type { Disk } from './disk.ts';
import { type AnswerKind, CHUNK_BYTES } from './protocol.ts';
import { SyncTurns } from './sync-turns.ts';
import { WrittenFile } from './written-file.ts';

interface Reservation {
  readonly holder: string;
  readonly fenced: boolean;
}

const RESERVATION = '.holder';
const encode = (reservation: Reservation): Uint8Array => new TextEncoder().encode(JSON.stringify(reservation));

export class BlockVolume {
  readonly #disk: Disk;
  readonly #name: string;
  readonly #holder: string;
  #fenced: boolean;
  #ready: Promise<void> = Promise.resolve();
  readonly #chunks = new Map<number, WrittenFile>();
  readonly #turns = new SyncTurns(async () => {
    for (const chunk of [...this.#chunks.values()]) await chunk.sync();
  });

  private constructor(disk: Disk, name: string, { holder, fenced }: Reservation) {
    this.#disk = disk;
    this.#name = name;
    this.#holder = holder;
    this.#fenced = fenced;
  }

  /** A new one; it is there for good once `ready`. */
  static create(disk: Disk, name: string, holder: string): BlockVolume {
    const volume = new BlockVolume(disk, name, { holder, fenced: false });
    volume.#ready = disk.put(`${name}${RESERVATION}`, encode({ holder, fenced: false }));
    return volume;
  }

  /** The volumes of a disk, by name, as a cut of power has left them. */
  static async all(disk: Disk): Promise<Map<string, BlockVolume>> {
    const volumes = new Map<string, BlockVolume>();
    const names = await disk.names();
    for (const file of names.filter((each) => each.endsWith(RESERVATION))) {
      const name = file.slice(0, -RESERVATION.length);
      const reservation = JSON.parse(new TextDecoder().decode(await disk.get(file))) as Reservation;
      const volume = new BlockVolume(disk, name, reservation);
      for (const chunk of names.filter((each) => each.startsWith(`${name}.chunk-`))) {
        volume.#chunks.set(Number(chunk.slice(`${name}.chunk-`.length)), await WrittenFile.open(disk, chunk));
      }
      volumes.set(name, volume);
    }
    return volumes;
  }

  get ready(): Promise<void> {
    return this.#ready;
  }

  isHeldBy(holder: string): boolean {
    return !this.#fenced && this.#holder === holder;
  }

  write(holder: string, at: number, bytes: Uint8Array): AnswerKind {
    if (!this.isHeldBy(holder)) return 'fenced';
    for (let done = 0; done < bytes.length; ) {
      const number = Math.floor((at + done) / CHUNK_BYTES);
      const within = at + done - number * CHUNK_BYTES;
      const length = Math.min(bytes.length - done, CHUNK_BYTES - within);
      this.#chunk(number).write(within, bytes.subarray(done, done + length));
      done += length;
    }
    return 'done';
  }

  /** Without a holder: for whoever has fenced it. */
  async sync(holder: string | undefined): Promise<AnswerKind> {
    if (holder !== undefined && !this.isHeldBy(holder)) return 'fenced';
    await this.#turns.sync();
    return holder === undefined || this.isHeldBy(holder) ? 'done' : 'fenced';
  }

  async fence(): Promise<void> {
    this.#fenced = true; // at once; whoever is not answered asks again
    await this.#ready;
    await this.#disk.put(`${this.#name}${RESERVATION}`, encode({ holder: this.#holder, fenced: true }));
  }

  /** From where to where there is data; two zeros when there is none. */
  extent(): { readonly start: number; readonly end: number } {
    const numbers = [...this.#chunks.keys()].sort((one, other) => one - other);
    const last = numbers.at(-1);
    if (last === undefined) return { start: 0, end: 0 };
    return { start: (numbers[0] ?? 0) * CHUNK_BYTES, end: last * CHUNK_BYTES + (this.#chunks.get(last)?.end ?? 0) };
  }

  async read(at: number, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const number = Math.floor((at + done) / CHUNK_BYTES);
      const within = at + done - number * CHUNK_BYTES;
      const wanted = Math.min(length - done, CHUNK_BYTES - within);
      const part = await this.#chunks.get(number)?.read(within, wanted);
      if (part !== undefined) bytes.set(part, done);
      done += wanted;
    }
    return bytes;
  }

  async discard(holder: string, below: number): Promise<AnswerKind> {
    if (!this.isHeldBy(holder)) return 'fenced';
    for (const [number, chunk] of [...this.#chunks]) {
      if ((number + 1) * CHUNK_BYTES > below) continue;
      this.#chunks.delete(number);
      chunk.drop();
      await this.#turns.settle(); // a sync that is under way may have the chunk in hand
      await this.#disk.remove(chunk.name);
    }
    return 'done';
  }

  #chunk(number: number): WrittenFile {
    const known = this.#chunks.get(number);
    if (known !== undefined) return known;
    const chunk = WrittenFile.fresh(this.#disk, `${this.#name}.chunk-${number}`);
    this.#chunks.set(number, chunk);
    return chunk;
  }
}
