// One bucket: a directory with one file for each object, and the names in memory. A change is written and made durable under
// a temporary name, then, alone for its key, checked against its conditions and published, and the directory is fsynced before
// anybody is told or shown. So kill -9 at any moment leaves every object that was answered 200, whole, and no half of another.
// No change of a directory is made synchronously: any of them may wait for the disk, and reads would wait with it.
import { closeSync, openSync, readdirSync } from 'node:fs';
import { rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ByteRange } from './byte-range.ts';
import { type Conditions, evaluateForChange, evaluateForRead } from './conditions.ts';
import { DirectorySync } from './directory-sync.ts';
import { fileNameOf, keyOfFileName } from './file-name.ts';
import type { HotObjects } from './hot-objects.ts';
import { KeyLocks } from './key-locks.ts';
import { SortedKeys } from './key-order.ts';
import { type ListRequest, listPage, type PagePosition } from './listing.ts';
import { type ObjectInfo, OpenObjectFile, writeObjectFile, writeObjectPieces } from './object-file.ts';
import { S3Error } from './s3-error.ts';

/** What a reader gets: the bytes of the range, or of the whole object when there is no range; many of them as they are read. */
export interface ReadObject {
  readonly info: ObjectInfo;
  readonly range?: ByteRange;
  readonly body: Buffer | Readable;
}

/** What is done once an object is durable, before anybody else can change it. */
type Published = () => Promise<void> | void;

/** Which part of an object a reader wants, of the one that is there when it is read; undefined for all of it. */
export type RangeOf = (info: ObjectInfo) => ByteRange | undefined;

export interface ListedPage {
  readonly objects: readonly ObjectInfo[];
  readonly commonPrefixes: readonly string[];
  readonly next?: PagePosition;
}

/** Known by name since the start; its info is read from its file when somebody asks. */
const UNREAD = 'unread';
const OPEN_FILES_AT_ONCE = 16;
/** More than this is not held in memory to be answered. */
const STREAMED_BYTES = 16 * 1024 ** 2;

const noSuchKey = (): S3Error => new S3Error('NoSuchKey', 'The specified key does not exist.');

export class Bucket {
  readonly name: string;
  readonly #directory: string;
  readonly #incoming: () => string;
  readonly #hot: HotObjects;
  readonly #index = new Map<string, ObjectInfo | typeof UNREAD>();
  readonly #keys: SortedKeys;
  readonly #locks = new KeyLocks();
  readonly #descriptor: number;
  readonly #sync: DirectorySync;

  private constructor(name: string, directory: string, keys: readonly string[], shared: BucketParts) {
    this.name = name;
    this.#directory = directory;
    this.#incoming = shared.temporaryPath;
    this.#hot = shared.hot;
    for (const key of keys) this.#index.set(key, UNREAD);
    this.#keys = new SortedKeys(keys);
    this.#descriptor = openSync(directory, 'r');
    this.#sync = new DirectorySync(this.#descriptor);
  }

  /** Opens the bucket's directory, which must exist, and reads the names in it. */
  static async open(name: string, directory: string, shared: BucketParts): Promise<Bucket> {
    const keys: string[] = [];
    for (const fileName of readdirSync(directory)) {
      const key = keyOfFileName(fileName) ?? (await keyInFile(join(directory, fileName)));
      if (key !== undefined) keys.push(key);
    }
    return new Bucket(name, directory, keys, shared);
  }

  get objectCount(): number {
    return this.#keys.size;
  }

  /** Stores an object; durable and visible when it resolves. Throws S3Error when a condition does not hold. */
  async put(info: ObjectInfo, body: Buffer, conditions: Conditions): Promise<void> {
    const temporary = this.#incoming();
    await writeObjectFile(temporary, info, body);
    await this.#publish(temporary, info, conditions, () => this.#hot.set(this.#hotName(info.key), body));
  }

  /**
   * The same for a body that comes in pieces; `infoOf` is asked when all have come. `published` runs when the object is durable, and
   * while nobody else can change it. Returns what is known of the object.
   */
  async putPieces(
    pieces: AsyncIterable<Buffer>,
    infoOf: () => ObjectInfo,
    conditions: Conditions,
    published: Published = () => undefined,
  ): Promise<ObjectInfo> {
    const temporary = this.#incoming();
    const info = await writeObjectPieces(temporary, pieces, infoOf);
    await this.#publish(temporary, info, conditions, published);
    return info;
  }

  async #publish(temporary: string, info: ObjectInfo, conditions: Conditions, published: Published): Promise<void> {
    await this.#locks.run(info.key, async () => {
      try {
        const present = await this.#infoOf(info.key);
        evaluateForChange(conditions, present?.etag);
        await rename(temporary, this.#pathOf(info.key));
      } catch (thrown) {
        await rm(temporary, { force: true });
        throw thrown;
      }
      await this.#settle(info.key);
      this.#index.set(info.key, info);
      this.#keys.add(info.key);
      this.#hot.delete(this.#hotName(info.key));
      await published();
    });
  }

  /** Removes an object; removing one that is not there is a success unless `If-Match` asks for it. */
  async delete(key: string, conditions: Conditions): Promise<void> {
    await this.#locks.run(key, async () => {
      const present = await this.#infoOf(key);
      evaluateForChange(conditions, present?.etag);
      if (present === undefined) return;
      await unlink(this.#pathOf(key));
      await this.#settle(key);
      this.#forget(key);
    });
  }

  /** Removes many objects, whatever they are, which share what has to be synced. */
  async deleteAll(keys: readonly string[]): Promise<void> {
    await Promise.all(
      keys.map(async (key) => {
        await this.#locks.run(key, async () => {
          if (!this.#index.has(key)) return;
          await unlink(this.#pathOf(key)).catch(unlessMissing);
          await this.#settle(key);
          this.#forget(key);
        });
      }),
    );
  }

  /** Throws NoSuchKey, PreconditionFailed or NotModified. */
  async head(key: string, conditions: Conditions): Promise<ObjectInfo> {
    const info = await this.#infoOf(key);
    if (info === undefined) throw noSuchKey();
    evaluateForRead(conditions, info);
    return info;
  }

  /** What is known of an object, without any condition; undefined when it is not there. */
  async infoOf(key: string): Promise<ObjectInfo | undefined> {
    return await this.#infoOf(key);
  }

  /** An object held open as it is now, for the caller to close. Throws NoSuchKey. */
  async open(key: string): Promise<OpenObjectFile> {
    const { file } = await this.#openSettled(key);
    if (file === undefined) throw noSuchKey();
    return file;
  }

  /** Like `head`; also throws what `rangeOf` throws. */
  async get(key: string, conditions: Conditions, rangeOf: RangeOf): Promise<ReadObject> {
    const info = this.#index.get(key);
    const hot = this.#hot.get(this.#hotName(key));
    if (info !== undefined && info !== UNREAD && hot !== undefined) {
      evaluateForRead(conditions, info);
      const range = rangeOf(info);
      return range === undefined
        ? { info, body: hot }
        : { info, range, body: hot.subarray(range.start, range.end + 1) };
    }
    return await this.#readFromDisk(key, conditions, rangeOf);
  }

  /** One page of names with what is known about them. */
  async list(request: ListRequest): Promise<ListedPage> {
    const page = listPage(this.#keys, request);
    const objects: ObjectInfo[] = [];
    for (let index = 0; index < page.keys.length; index += OPEN_FILES_AT_ONCE) {
      const some = page.keys.slice(index, index + OPEN_FILES_AT_ONCE);
      const infos = await Promise.all(some.map(async (key) => await this.#infoOf(key)));
      objects.push(...infos.filter((info) => info !== undefined));
    }
    return { objects, commonPrefixes: page.commonPrefixes, ...(page.next === undefined ? {} : { next: page.next }) };
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #pathOf(key: string): string {
    return join(this.#directory, fileNameOf(key));
  }

  #hotName(key: string): string {
    return `${this.name}/${key}`;
  }

  /** After a failed fsync nobody knows what the disk holds: the file is read again before it is believed. */
  async #settle(key: string): Promise<void> {
    try {
      await this.#sync.settle();
    } catch (thrown) {
      this.#index.set(key, UNREAD);
      this.#keys.add(key);
      this.#hot.delete(this.#hotName(key));
      throw thrown;
    }
  }

  #forget(key: string): void {
    this.#index.delete(key);
    this.#keys.remove(key);
    this.#hot.delete(this.#hotName(key));
  }

  async #infoOf(key: string): Promise<ObjectInfo | undefined> {
    const known = this.#index.get(key);
    if (known !== UNREAD) return known;
    await using file = await OpenObjectFile.open(this.#pathOf(key));
    if (this.#index.get(key) !== UNREAD) return await this.#infoOf(key);
    if (file === undefined) {
      this.#forget(key);
      return undefined;
    }
    this.#index.set(key, file.info);
    return file.info;
  }

  /**
   * The file while nobody is changing the object: without the lock a reader could see a version that is not durable yet, and
   * the next reader the one before it. Once open, it stays this version.
   */
  async #openSettled(key: string): Promise<{ readonly file: OpenObjectFile | undefined; readonly known: unknown }> {
    return await this.#locks.run(key, async () => {
      const known = await this.#infoOf(key);
      return { file: known === undefined ? undefined : await OpenObjectFile.open(this.#pathOf(key)), known };
    });
  }

  async #readFromDisk(key: string, conditions: Conditions, rangeOf: RangeOf): Promise<ReadObject> {
    if (!this.#index.has(key)) throw noSuchKey();
    const { file, known } = await this.#openSettled(key);
    if (file === undefined) throw noSuchKey();
    let streams = false;
    try {
      const { info } = file;
      evaluateForRead(conditions, info);
      const range = rangeOf(info);
      const { start, end } = range ?? { start: 0, end: info.sizeBytes - 1 };
      const described = { info, ...(range === undefined ? {} : { range }) };
      streams = end - start >= STREAMED_BYTES;
      if (streams) return { ...described, body: streamOf(file, start, end) };
      const body = info.sizeBytes === 0 ? Buffer.alloc(0) : await file.read(start, end);
      if (range === undefined && this.#index.get(key) === known) this.#hot.set(this.#hotName(key), body);
      return { ...described, body };
    } finally {
      if (!streams) await file[Symbol.asyncDispose]();
    }
  }
}

/** Closes the file when the stream is over, however it ends. */
const streamOf = (file: OpenObjectFile, start: number, end: number): Readable =>
  Readable.from(file.pieces(start, end), { objectMode: false }).once('close', () => void file[Symbol.asyncDispose]());

/** A file that has gone already, found at the start and never read, is as good as removed. */
const unlessMissing = (thrown: NodeJS.ErrnoException): void => {
  if (thrown.code !== 'ENOENT') throw thrown;
};

/** What all buckets of a store share. */
export interface BucketParts {
  readonly hot: HotObjects;
  /** A fresh path, on the same file system, for a file that is not published yet. */
  readonly temporaryPath: () => string;
}

const keyInFile = async (path: string): Promise<string | undefined> => {
  await using file = await OpenObjectFile.open(path);
  return file?.info.key;
};
