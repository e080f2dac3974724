// A directory that all brokers share, as NFS serves it: names and handles. Making and removing a file is durable at once; what is
// written to one is not before a commit. A handle is of one file and of no other that later has its name; once the file is removed
// it is stale for good, also after a cut of power.
import { freshId } from '../fresh-id.ts';
import type { Disk } from './disk.ts';
import type { AnswerKind } from './protocol.ts';
import { SyncTurns } from './sync-turns.ts';
import { WrittenFile } from './written-file.ts';

const SUFFIX = '.file';
const fileName = (path: string, handle: string): string => `${encodeURIComponent(path)}~${handle}${SUFFIX}`;

interface Entry {
  readonly path: string;
  readonly handle: string;
  readonly file: WrittenFile;
  /** It is there for good. */
  readonly made: Promise<void>;
}

export class SharedDirectory {
  readonly #disk: Disk;
  readonly #newHandle: () => string;
  readonly #byPath = new Map<string, Entry>();
  readonly #byHandle = new Map<string, Entry>();
  readonly #turns = new SyncTurns(async () => {
    for (const { file } of [...this.#byHandle.values()]) await file.sync();
  });

  private constructor(disk: Disk, newHandle: () => string) {
    this.#disk = disk;
    this.#newHandle = newHandle;
  }

  static async open(disk: Disk, newHandle: () => string = freshId): Promise<SharedDirectory> {
    const directory = new SharedDirectory(disk, newHandle);
    for (const name of await disk.names()) {
      if (!name.endsWith(SUFFIX)) continue;
      const [path = '', handle = ''] = name.slice(0, -SUFFIX.length).split('~');
      directory.#add({
        path: decodeURIComponent(path),
        handle,
        file: await WrittenFile.open(disk, name),
        made: Promise.resolve(),
      });
    }
    return directory;
  }

  /** Its handle, and whether it was there before. */
  async create(path: string): Promise<{ readonly handle: string; readonly existed: boolean }> {
    const known = this.#byPath.get(path);
    if (known !== undefined) {
      await known.made;
      return { handle: known.handle, existed: true };
    }
    const handle = this.#newHandle();
    const name = fileName(path, handle);
    const made = this.#disk.put(name, new Uint8Array(0));
    this.#add({ path, handle, file: WrittenFile.fresh(this.#disk, name), made });
    await made;
    return { handle, existed: false };
  }

  write(handle: string, at: number, bytes: Uint8Array): AnswerKind {
    const entry = this.#byHandle.get(handle);
    entry?.file.write(at, bytes);
    return entry === undefined ? 'stale' : 'done';
  }

  async commit(handle: string): Promise<AnswerKind> {
    if (!this.#byHandle.has(handle)) return 'stale';
    await this.#turns.sync();
    return this.check(handle);
  }

  check(handle: string): AnswerKind {
    return this.#byHandle.has(handle) ? 'done' : 'stale';
  }

  async get(path: string): Promise<{ readonly handle: string; readonly bytes: Uint8Array } | undefined> {
    const entry = this.#byPath.get(path);
    return entry && { handle: entry.handle, bytes: await entry.file.read(0, entry.file.end) };
  }

  /** Removing what is not there is no error. */
  async remove(path: string): Promise<void> {
    const entry = this.#byPath.get(path);
    if (entry === undefined) return;
    this.#byPath.delete(path);
    this.#byHandle.delete(entry.handle);
    entry.file.drop();
    await entry.made;
    await this.#turns.settle(); // a sync that is under way may have the file in hand, and would make it anew
    await this.#disk.remove(entry.file.name);
  }

  names(prefix: string): readonly string[] {
    return [...this.#byPath.keys()].filter((path) => path.startsWith(prefix)).sort();
  }

  #add(entry: Entry): void {
    this.#byPath.set(entry.path, entry);
    this.#byHandle.set(entry.handle, entry);
  }
}
