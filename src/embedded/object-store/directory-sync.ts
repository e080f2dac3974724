// Makes new names in a directory durable. One fsync serves every publication that came before it began, so that many small
// PUTs at once do not each pay for one.
import { close, fsync, open } from 'node:fs';
import { promisify } from 'node:util';

/** Group commit for one open directory. */
export class DirectorySync {
  readonly #descriptor: number;
  #waiting: { resolve: () => void; reject: (thrown: Error) => void }[] = [];
  #running = false;

  /** `descriptor` stays the caller's to close. */
  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** Resolves once an fsync that began after this call has succeeded; rejects with the file system's error. */
  async settle(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      queueMicrotask(() => this.#next()); // after the others of this turn
    });
  }

  #next(): void {
    if (this.#running || this.#waiting.length === 0) return;
    this.#running = true;
    const served = this.#waiting;
    this.#waiting = [];
    fsync(this.#descriptor, (error) => {
      this.#running = false;
      for (const { resolve, reject } of served) {
        if (error === null) resolve();
        else reject(error);
      }
      this.#next();
    });
  }
}

const openFile = promisify(open);
const closeFile = promisify(close);
const fsyncFile = promisify(fsync);

/** Makes the names in a directory durable that is not held open. */
export const syncDirectory = async (path: string): Promise<void> => {
  const descriptor = await openFile(path, 'r');
  try {
    await fsyncFile(descriptor);
  } finally {
    await closeFile(descriptor);
  }
};
