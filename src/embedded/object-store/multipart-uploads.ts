// The uploads of one bucket that are under way. Each is a directory: a file `upload` that says what the object will be, without its
// bytes, and one file for each part, all as objects have them. A part that was answered is durable, like an object. Completing writes
// the parts into one new file and publishes it as any object is published; only then, and before anybody else can change that object,
// does the upload go. So kill -9 leaves either the upload, or the object, or for a moment both, and then the object's file tells.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32c } from '../../checksum.ts';
import { freshId } from '../fresh-id.ts';
import type { Bucket } from './bucket.ts';
import { checksumOf, type RunningSum, sumFor } from './checksums.ts';
import type { NamedPart } from './complete-request.ts';
import type { Conditions } from './conditions.ts';
import { syncDirectory } from './directory-sync.ts';
import { KeyLocks } from './key-locks.ts';
import { type ObjectInfo, OpenObjectFile, type StoredChecksum, writeObjectFile } from './object-file.ts';
import { S3Error } from './s3-error.ts';

/** One upload; `object` is the object as it will be: size, ETag and checksum value are not known yet. */
export interface Upload {
  readonly id: string;
  readonly object: ObjectInfo;
  /** By number. */
  readonly parts: ReadonlyMap<number, ObjectInfo>;
}

/** What an uploader says of the object it completes, each absent where it says nothing. */
export interface Expectation {
  readonly conditions: Conditions;
  readonly sizeBytes?: number;
  readonly checksum?: StoredChecksum;
}

interface OpenUpload extends Upload {
  readonly parts: Map<number, ObjectInfo>;
}

const UPLOAD_FILE = 'upload';

const noSuchUpload = (): S3Error =>
  new S3Error('NoSuchUpload', 'The upload does not exist: it was completed or aborted, or never begun.');

/** What the parts of an object say of it together. */
const etagOfParts = (parts: readonly ObjectInfo[]): string => {
  const hash = createHash('md5');
  for (const { etag } of parts) hash.update(etag, 'hex');
  return `${hash.digest('hex')}-${parts.length}`;
};

const compositeOf = (header: string, parts: readonly ObjectInfo[]): string => {
  const sums = parts.map(({ checksum }) => Buffer.from(checksum?.value ?? '', 'base64'));
  return `${checksumOf(header, Buffer.concat(sums))}-${parts.length}`;
};

export class MultipartUploads {
  readonly #directory: string;
  readonly #bucket: Bucket;
  readonly #temporaryPath: () => string;
  readonly #uploads = new Map<string, OpenUpload>();
  readonly #locks = new KeyLocks();

  private constructor(directory: string, bucket: Bucket, temporaryPath: () => string) {
    this.#directory = directory;
    this.#bucket = bucket;
    this.#temporaryPath = temporaryPath;
  }

  /** Opens what is in the directory, creating it when it is not there. */
  static async open(directory: string, bucket: Bucket, temporaryPath: () => string): Promise<MultipartUploads> {
    mkdirSync(directory, { recursive: true });
    const uploads = new MultipartUploads(directory, bucket, temporaryPath);
    for (const id of readdirSync(directory)) await uploads.#reopen(id);
    return uploads;
  }

  /** Every upload, in the order in which they began. */
  get all(): readonly Upload[] {
    return [...this.#uploads.values()];
  }

  /** Throws NoSuchUpload. */
  find(key: string, id: string): Upload {
    const upload = this.#uploads.get(id);
    if (upload?.object.key !== key) throw noSuchUpload();
    return upload;
  }

  /** Durable when it resolves; returns its id. */
  async begin(object: ObjectInfo): Promise<string> {
    const id = freshId();
    const made = this.#temporaryPath();
    await mkdir(made);
    await writeObjectFile(join(made, UPLOAD_FILE), object, Buffer.alloc(0));
    await syncDirectory(made);
    await rename(made, this.#pathOf(id));
    await syncDirectory(this.#directory);
    this.#uploads.set(id, { id, object, parts: new Map() });
    return id;
  }

  /** Stores a part, in the place of one with its number; durable when it resolves. `write` makes its file at a path of its own. */
  async putPart(
    key: string,
    id: string,
    number: number,
    write: (path: string) => Promise<ObjectInfo>,
  ): Promise<ObjectInfo> {
    this.find(key, id);
    const temporary = this.#temporaryPath();
    const info = await write(temporary);
    return await this.#locks.run(id, async () => {
      const upload = this.#uploads.get(id);
      if (upload === undefined) {
        await rm(temporary, { force: true });
        throw noSuchUpload();
      }
      await rename(temporary, join(this.#pathOf(id), String(number)));
      await syncDirectory(this.#pathOf(id));
      upload.parts.set(number, info);
      return info;
    });
  }

  /**
   * Makes the named parts one object; durable and visible when it resolves. An upload that has become the object which is there is
   * completed again with the same answer: the first one may have been lost.
   * @throws S3Error NoSuchUpload, InvalidPart, EntityTooSmall, BadDigest, InvalidRequest or what a condition that does not hold gives.
   */
  async complete(
    key: string,
    id: string,
    named: readonly NamedPart[],
    expected: Expectation,
    limits: { readonly minPartBytes: number; readonly wall: () => number },
  ): Promise<ObjectInfo> {
    return await this.#locks.run(id, async () => {
      const present = await this.#bucket.infoOf(key);
      if (!this.#uploads.has(id) && present?.uploadId === id) return present;
      const upload = this.find(key, id);
      const parts = named.map((part) => chosenPart(upload, part));
      if (parts.slice(0, -1).some(({ sizeBytes }) => sizeBytes < limits.minPartBytes)) {
        throw new S3Error('EntityTooSmall', `Every part but the last has at least ${limits.minPartBytes} bytes.`);
      }
      const assembly = new Assembly(upload, parts, limits.wall());
      const paths = named.map(({ number }) => join(this.#pathOf(id), String(number)));
      const infoOf = (): ObjectInfo => assertExpected(assembly.info(), expected);
      const dropUpload = async (): Promise<void> => await this.#drop(id);
      return await this.#bucket.putPieces(assembly.pieces(paths), infoOf, expected.conditions, dropUpload);
    });
  }

  /** Throws NoSuchUpload. */
  async abort(key: string, id: string): Promise<void> {
    await this.#locks.run(id, async () => {
      this.find(key, id);
      await this.#drop(id);
    });
  }

  #pathOf(id: string): string {
    return join(this.#directory, id);
  }

  /** Durably gone when it resolves; what it held is removed behind that. */
  async #drop(id: string): Promise<void> {
    const discarded = this.#temporaryPath();
    await rename(this.#pathOf(id), discarded);
    this.#uploads.delete(id);
    await syncDirectory(this.#directory);
    await rm(discarded, { recursive: true, force: true });
  }

  async #reopen(id: string): Promise<void> {
    const path = this.#pathOf(id);
    const object = await infoIn(join(path, UPLOAD_FILE));
    const isDone = object !== undefined && (await this.#bucket.infoOf(object.key))?.uploadId === id;
    if (object === undefined || isDone) {
      await rm(path, { recursive: true, force: true });
      return;
    }
    const parts = new Map<number, ObjectInfo>();
    for (const name of readdirSync(path).filter((each) => each !== UPLOAD_FILE)) {
      const info = await infoIn(join(path, name));
      if (info !== undefined) parts.set(Number(name), info);
    }
    this.#uploads.set(id, { id, object, parts });
  }
}

const infoIn = async (path: string): Promise<ObjectInfo | undefined> => {
  await using file = await OpenObjectFile.open(path);
  return file?.info;
};

/** The stored part that is meant. Throws InvalidPart. */
const chosenPart = (upload: Upload, { number, etag, checksums }: NamedPart): ObjectInfo => {
  const part = upload.parts.get(number);
  const { checksum } = part ?? {};
  const said = checksum === undefined ? undefined : checksums[checksum.header];
  if (part?.etag !== etag || (said !== undefined && said !== checksum?.value)) {
    throw new S3Error('InvalidPart', `Part ${number} was not uploaded, or is another than the one that is named.`);
  }
  return part;
};

const assertExpected = (info: ObjectInfo, { sizeBytes, checksum }: Expectation): ObjectInfo => {
  if (sizeBytes !== undefined && sizeBytes !== info.sizeBytes) {
    throw new S3Error('InvalidRequest', `The object has ${info.sizeBytes} bytes, not the ${sizeBytes} that were said.`);
  }
  if (checksum !== undefined && info.checksum?.header === checksum.header) {
    const said = checksum.value.replace(/-\d+$/, '');
    const has = info.checksum.value.replace(/-\d+$/, '');
    if (said !== has) throw new S3Error('BadDigest', `The object does not match its ${checksum.header}.`);
  }
  return info;
};

/** One object in the making: the bytes of its parts, and what is known of them when the last has gone by. */
class Assembly {
  readonly #upload: Upload;
  readonly #parts: readonly ObjectInfo[];
  readonly #modifiedMs: number;
  readonly #full: RunningSum | undefined;
  #crc = 0;

  constructor(upload: Upload, parts: readonly ObjectInfo[], modifiedMs: number) {
    const { checksum } = upload.object;
    this.#upload = upload;
    this.#parts = parts;
    this.#modifiedMs = modifiedMs;
    this.#full = checksum?.type === 'FULL_OBJECT' ? sumFor(checksum.header) : undefined;
  }

  async *pieces(paths: readonly string[]): AsyncGenerator<Buffer> {
    for (const [index, path] of paths.entries()) {
      await using file = await OpenObjectFile.open(path);
      if (file?.info.etag !== this.#parts[index]?.etag)
        throw new S3Error('InternalError', 'A part is not the one it was.');
      for await (const piece of file?.pieces(0, file.info.sizeBytes - 1) ?? []) {
        this.#crc = crc32c(piece, this.#crc);
        this.#full?.add(piece);
        yield piece;
      }
    }
  }

  /** After the last piece. */
  info(): ObjectInfo {
    const { object, id } = this.#upload;
    const { checksum, ...described } = object;
    const partSizes = this.#parts.map(({ sizeBytes }) => sizeBytes);
    return {
      ...described,
      sizeBytes: partSizes.reduce((sum, size) => sum + size, 0),
      etag: etagOfParts(this.#parts),
      crc: this.#crc,
      modifiedMs: this.#modifiedMs,
      partSizes,
      uploadId: id,
      ...(checksum === undefined
        ? {}
        : { checksum: { ...checksum, value: this.#full?.end() ?? compositeOf(checksum.header, this.#parts) } }),
    };
  }
}
