// The file of one object: the body first, as it came, then a JSON trailer and a 12-byte footer that says how long the trailer
// is. Everything known about an object is inside its own file, so a reader that has it open sees one consistent version.
import { close, fsync, open as openDescriptor, read, writev } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32c } from '../../checksum.ts';
import { InternalError } from '../../errors.ts';

/** A checksum the uploader sent, handed back when a reader asks for it; `header` is its lower-case header name. */
export interface StoredChecksum {
  readonly header: string;
  readonly value: string;
  /** Of an object of several parts: over its bytes, or over the checksums of its parts. */
  readonly type?: ChecksumType;
}

export type ChecksumType = 'FULL_OBJECT' | 'COMPOSITE';

/** What is known about an object beside its body. */
export interface ObjectInfo {
  readonly key: string;
  readonly sizeBytes: number;
  /** MD5 of the body in hexadecimal, without quotes; of an object of N parts the MD5 of their MD5s, and `-N`. */
  readonly etag: string;
  /** CRC32C of the body. */
  readonly crc: number;
  /** Wall-clock milliseconds. */
  readonly modifiedMs: number;
  readonly contentType: string;
  /** `x-amz-meta-` headers without that prefix, and other headers to be handed back. */
  readonly headers: Readonly<Record<string, string>>;
  readonly checksum?: StoredChecksum;
  /** Sizes of the parts it was uploaded in, in their order; absent where it came in one piece. */
  readonly partSizes?: readonly number[];
  /** The multipart upload it came by. */
  readonly uploadId?: string;
}

const MAGIC = 0x414b4f42;
const FOOTER_BYTES = 12;
/** Room for the sizes of 10,000 parts, beside what headers bring. */
const TRAILER_LIMIT_BYTES = 256 * 1024;
const CHUNK_BYTES = 256 * 1024;

const fsyncFile = promisify(fsync);
const readFile = promisify(read);
const openFile = promisify(openDescriptor);
const closeFile = promisify(close);

const writeParts = async (descriptor: number, parts: readonly Buffer[]): Promise<number> =>
  await new Promise((resolve, reject) => {
    writev(descriptor, parts, (error, written) => (error === null ? resolve(written) : reject(error)));
  });

const damaged = (path: string, why: string): InternalError =>
  new InternalError('OBJECT_DAMAGED', `The object file ${path} is damaged: ${why}.`, {
    hint: 'Remove the store directory and start again; nothing read from it can be trusted.',
  });

const writeAll = async (descriptor: number, parts: readonly Buffer[]): Promise<void> => {
  let left = parts.filter((part) => part.length > 0);
  while (left.length > 0) {
    let written = await writeParts(descriptor, left);
    const rest: Buffer[] = [];
    for (const part of left) {
      if (written >= part.length) written -= part.length;
      else {
        rest.push(part.subarray(written));
        written = 0;
      }
    }
    left = rest;
  }
};

const encodeEnd = (info: ObjectInfo): readonly Buffer[] => {
  const trailer = Buffer.from(JSON.stringify(info));
  const footer = Buffer.alloc(FOOTER_BYTES);
  footer.writeUInt32BE(trailer.length, 0);
  footer.writeUInt32BE(crc32c(trailer), 4);
  footer.writeUInt32BE(MAGIC, 8);
  return [trailer, footer];
};

/** What stands in the file, in order; nothing is copied. */
export const encodeObjectFile = (info: ObjectInfo, body: Buffer): readonly Buffer[] => [body, ...encodeEnd(info)];

/** Writes a new file at `path` and makes its content durable; on failure nothing is left at `path`. */
export const writeObjectFile = async (path: string, info: ObjectInfo, body: Buffer): Promise<void> => {
  await writeNewFile(path, async (descriptor) => await writeAll(descriptor, encodeObjectFile(info, body)));
};

/** The same for a body that comes in pieces; what is known of it is asked for when it is whole, and returned. */
export const writeObjectPieces = async (
  path: string,
  pieces: AsyncIterable<Buffer>,
  infoOf: () => ObjectInfo,
): Promise<ObjectInfo> =>
  await writeNewFile(path, async (descriptor) => {
    for await (const piece of pieces) await writeAll(descriptor, [piece]);
    const info = infoOf();
    await writeAll(descriptor, encodeEnd(info));
    return info;
  });

const writeNewFile = async <T>(path: string, write: (descriptor: number) => Promise<T>): Promise<T> => {
  const descriptor = await openFile(path, 'wx');
  try {
    const result = await write(descriptor);
    await fsyncFile(descriptor);
    return result;
  } catch (thrown) {
    await unlink(path);
    throw thrown;
  } finally {
    await closeFile(descriptor);
  }
};

/** An object file held open: its info and its bytes belong to one version, whatever happens to the name. */
export class OpenObjectFile implements AsyncDisposable {
  readonly info: ObjectInfo;
  readonly #path: string;
  readonly #descriptor: number;
  readonly #close: () => Promise<void>;

  private constructor(path: string, info: ObjectInfo, descriptor: number, close: () => Promise<void>) {
    this.#path = path;
    this.info = info;
    this.#descriptor = descriptor;
    this.#close = close;
  }

  /** Undefined when there is no such file; throws InternalError for a damaged one. */
  static async open(path: string): Promise<OpenObjectFile | undefined> {
    let handle;
    try {
      handle = await open(path, 'r');
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw thrown;
    }
    try {
      const { size } = await handle.stat();
      const info = await readTrailer(path, handle.fd, size);
      const opened = handle;
      return new OpenObjectFile(path, info, handle.fd, async () => await opened.close());
    } catch (thrown) {
      await handle.close();
      throw thrown;
    }
  }

  /** Bytes `start` to `end`, both inclusive and within the body; a read of the whole body is held against its checksum. */
  async read(start: number, end: number): Promise<Buffer> {
    const bytes = await readExactly(this.#path, this.#descriptor, start, end - start + 1);
    if (bytes.length === this.info.sizeBytes && crc32c(bytes) !== this.info.crc) {
      throw damaged(this.#path, 'the body does not match its checksum');
    }
    return bytes;
  }

  /**
   * The same bytes in pieces, so that memory stays flat; a whole body is held against its checksum before its last piece is given,
   * and throws instead where it does not match.
   */
  async *pieces(start: number, end: number): AsyncGenerator<Buffer> {
    let crc = 0;
    for (let at = start; at <= end; at += CHUNK_BYTES) {
      const last = Math.min(end, at + CHUNK_BYTES - 1);
      const bytes = await readExactly(this.#path, this.#descriptor, at, last - at + 1);
      crc = crc32c(bytes, crc);
      const isWhole = start === 0 && last === this.info.sizeBytes - 1;
      if (isWhole && crc !== this.info.crc) throw damaged(this.#path, 'the body does not match its checksum');
      yield bytes;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}

const readExactly = async (path: string, descriptor: number, start: number, length: number): Promise<Buffer> => {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await readFile(descriptor, bytes, done, length - done, start + done);
    if (bytesRead === 0) throw damaged(path, `it ends at byte ${start + done}`);
    done += bytesRead;
  }
  return bytes;
};

const readTrailer = async (path: string, descriptor: number, fileBytes: number): Promise<ObjectInfo> => {
  if (fileBytes < FOOTER_BYTES) throw damaged(path, 'it has no footer');
  const footer = await readExactly(path, descriptor, fileBytes - FOOTER_BYTES, FOOTER_BYTES);
  const length = footer.readUInt32BE(0);
  if (footer.readUInt32BE(8) !== MAGIC || length > TRAILER_LIMIT_BYTES || length + FOOTER_BYTES > fileBytes) {
    throw damaged(path, 'its footer is not one of ours');
  }
  const trailer = await readExactly(path, descriptor, fileBytes - FOOTER_BYTES - length, length);
  if (crc32c(trailer) !== footer.readUInt32BE(4)) throw damaged(path, 'its trailer does not match its checksum');
  const info = JSON.parse(trailer.toString('utf8')) as ObjectInfo;
  if (info.sizeBytes !== fileBytes - FOOTER_BYTES - length) throw damaged(path, 'its length is wrong');
  return info;
};
