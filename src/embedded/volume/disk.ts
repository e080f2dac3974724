// The one thing that survives a cut of power: named files. Every call is durable once it has ended.
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Disk {
  names(): Promise<readonly string[]>;
  /** Bytes of a file; 0 when there is none. */
  size(name: string): Promise<number>;
  /** The whole file or nothing. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  get(name: string): Promise<Uint8Array | undefined>;
  /** Makes the file, and zeros before the position, where they are missing. May stop half-way. */
  write(name: string, at: number, bytes: Uint8Array): Promise<void>;
  /** Exactly `length` bytes; zeros where nothing was written. */
  read(name: string, at: number, length: number): Promise<Uint8Array>;
  /** Removing what is not there is no error. */
  remove(name: string): Promise<void>;
}

const isMissing = (thrown: unknown): boolean => (thrown as NodeJS.ErrnoException).code === 'ENOENT';

/**
 * Files of a folder. They are not synced: the power that is cut is the process of the volume, and what the kernel was given
 * outlives that.
 */
export class FolderDisk implements Disk {
  readonly #folder: string;
  #puts = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(folder: string): Promise<FolderDisk> {
    await mkdir(folder, { recursive: true });
    for (const name of await readdir(folder)) if (name.endsWith('.new')) await rm(join(folder, name), { force: true });
    return new FolderDisk(folder);
  }

  async names(): Promise<readonly string[]> {
    return (await readdir(this.#folder)).filter((name) => !name.endsWith('.new'));
  }

  async size(name: string): Promise<number> {
    try {
      return (await stat(this.#at(name))).size;
    } catch (thrown) {
      if (isMissing(thrown)) return 0;
      throw thrown;
    }
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const fresh = this.#at(`${name}.${++this.#puts}.new`);
    await writeFile(fresh, bytes);
    await rename(fresh, this.#at(name));
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    try {
      return await readFile(this.#at(name));
    } catch (thrown) {
      if (isMissing(thrown)) return undefined;
      throw thrown;
    }
  }

  async write(name: string, at: number, bytes: Uint8Array): Promise<void> {
    const file = await open(this.#at(name), 'r+').catch(async (thrown: unknown) => {
      if (isMissing(thrown)) return await open(this.#at(name), 'w+');
      throw thrown;
    });
    try {
      for (let done = 0; done < bytes.length; ) {
        done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
      }
    } finally {
      await file.close();
    }
  }

  async read(name: string, at: number, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    try {
      const file = await open(this.#at(name), 'r');
      try {
        for (let done = 0; done < length; ) {
          const { bytesRead } = await file.read(bytes, done, length - done, at + done);
          if (bytesRead === 0) break;
          done += bytesRead;
        }
      } finally {
        await file.close();
      }
    } catch (thrown) {
      if (!isMissing(thrown)) throw thrown;
    }
    return bytes;
  }

  async remove(name: string): Promise<void> {
    await rm(this.#at(name), { force: true });
  }

  #at(name: string): string {
    return join(this.#folder, name);
  }
}
