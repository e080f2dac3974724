// A file with what was written to it and not synced. Reads see both; a cut of power leaves the file alone. A sync that is cut off
// leaves some of the writes and not others, and of one of them perhaps a part: writes are torn.
import type { Disk } from './disk.ts';

interface Write {
  readonly at: number;
  readonly bytes: Uint8Array;
}

export class WrittenFile {
  readonly name: string;
  readonly #disk: Disk;
  #unsynced: Write[] = [];
  #end: number;
  #dropped = false;

  private constructor(disk: Disk, name: string, end: number) {
    this.#disk = disk;
    this.name = name;
    this.#end = end;
  }

  static async open(disk: Disk, name: string): Promise<WrittenFile> {
    return new WrittenFile(disk, name, await disk.size(name));
  }

  /** One that is not on the disk yet. */
  static fresh(disk: Disk, name: string): WrittenFile {
    return new WrittenFile(disk, name, 0);
  }

  /** Behind the last byte that was written. */
  get end(): number {
    return this.#end;
  }

  /** Takes the bytes as they are: they may not change any more. */
  write(at: number, bytes: Uint8Array): void {
    this.#unsynced.push({ at, bytes });
    this.#end = Math.max(this.#end, at + bytes.length);
  }

  /** Exactly `length` bytes; zeros where nothing was written. */
  async read(at: number, length: number): Promise<Uint8Array> {
    const over = [...this.#unsynced]; // before the disk is read: a sync may move some of them there meanwhile
    const bytes = await this.#disk.read(this.name, at, length);
    for (const write of over) {
      const from = Math.max(at, write.at);
      const to = Math.min(at + length, write.at + write.bytes.length);
      if (from < to) bytes.set(write.bytes.subarray(from - write.at, to - write.at), from - at);
    }
    return bytes;
  }

  /** One call at a time. Covers what was written before it began. */
  async sync(): Promise<void> {
    const writes = [...this.#unsynced];
    for (const { at, bytes } of writes) {
      if (this.#dropped) return;
      await this.#disk.write(this.name, at, bytes);
    }
    this.#unsynced = this.#unsynced.slice(writes.length);
  }

  /** It is to be removed: what is not synced need not be. */
  drop(): void {
    this.#dropped = true;
    this.#unsynced = [];
  }
}
