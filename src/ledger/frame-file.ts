// The container of every binary file of a run: a header, then frames of rows, each with its length and CRC32C, appended and
// never changed. The one thing to know: a frame is the unit of loss. What a crash cut off is a torn tail; a frame that does
// not check while good ones follow is damage, and the judge is told.
import { closeSync, fdatasync, fdatasyncSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32c } from '../checksum.ts';
import { EnvironmentError, InputError } from '../errors.ts';

const FORMAT_VERSION = 1;

const MAGIC = Buffer.from('ackproof', 'latin1');
const MARKER = 0x314d5246;
const MARKER_BYTES = Buffer.from([0x46, 0x52, 0x4d, 0x31]);
const FRAME_HEADER_BYTES = 12;
/** No frame is longer; a longer length field is damage and is never allocated. */
const LONGEST_PAYLOAD_BYTES = 16 * 1024 * 1024;
const LONGEST_HEADER_BYTES = 64 * 1024;
const READ_BYTES = 1024 * 1024;

export interface FileHeader {
  readonly kind: 'ledger' | 'replay';
  readonly run: string;
  /** Milliseconds since 1970 at which the file was begun; for people. */
  readonly wallMs: number;
  /** The pass of a replay file. */
  readonly pass?: number | string;
  /** The kind of the client that read a replay file; absent in older ones, and where it was no client's reading. */
  readonly client?: string;
  /** CRC32C of the contract.json that a ledger was recorded under. */
  readonly contract?: number;
}

const writeFully = (descriptor: number, bytes: Buffer, path: string): void => {
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(descriptor, bytes, written, bytes.length - written);
  } catch (cause) {
    throw new EnvironmentError('LEDGER_NOT_WRITTEN', `Cannot write to ${path}.`, {
      cause,
      hint: 'Free some space or choose another directory with --out; what was written so far is kept.',
    });
  }
};

/** Appends frames to a new file. Every method returns after its write(2) has; only `sync` waits for the disk. */
export class FrameWriter {
  readonly path: string;
  readonly #descriptor: number;
  readonly #frameHeader = Buffer.alloc(FRAME_HEADER_BYTES);
  #chain = 0;
  #bytes = 0;
  #closed = false;

  constructor(path: string, header: FileHeader) {
    this.path = path;
    try {
      mkdirSync(dirname(path), { recursive: true });
      this.#descriptor = openSync(path, 'wx');
    } catch (cause) {
      throw new EnvironmentError('LEDGER_NOT_CREATED', `Cannot create ${path}.`, {
        cause,
        hint: 'Each run needs a new directory that it may write to.',
      });
    }
    const text = Buffer.from(JSON.stringify(header), 'utf8');
    const prefix = Buffer.alloc(MAGIC.length + 8);
    MAGIC.copy(prefix);
    prefix.writeUInt32LE(FORMAT_VERSION, MAGIC.length);
    prefix.writeUInt32LE(text.length, MAGIC.length + 4);
    const suffix = Buffer.alloc(4);
    suffix.writeUInt32LE(crc32c(text));
    this.#write(Buffer.concat([prefix, text, suffix]));
  }

  get bytesWritten(): number {
    return this.#bytes;
  }

  /** CRC32C over the checksums of all frames so far; a close row states it. */
  get chain(): number {
    return this.#chain;
  }

  frame(payload: Buffer): void {
    const checksum = crc32c(payload);
    this.#frameHeader.writeUInt32LE(MARKER, 0);
    this.#frameHeader.writeUInt32LE(payload.length, 4);
    this.#frameHeader.writeUInt32LE(checksum, 8);
    this.#write(Buffer.concat([this.#frameHeader, payload]));
    this.#chain = crc32c(this.#frameHeader.subarray(8), this.#chain);
  }

  /** Resolves when everything written so far is on the disk. */
  async sync(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      fdatasync(this.#descriptor, (error) => {
        if (error === null) resolve();
        else
          reject(
            new EnvironmentError('LEDGER_NOT_WRITTEN', `Cannot sync ${this.path}.`, {
              cause: error,
              hint: 'Free some space on that disk, or name another with --out.',
            }),
          );
      });
    });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    try {
      fdatasyncSync(this.#descriptor);
    } finally {
      closeSync(this.#descriptor);
    }
  }

  #write(bytes: Buffer): void {
    writeFully(this.#descriptor, bytes, this.path);
    this.#bytes += bytes.length;
  }
}

/** What of a file could not be read. */
export interface FileDamage {
  /** Bytes after the last good frame that form no frame: what a crash cut off. */
  readonly tornBytes: number;
  /** Stretches that do not check although good frames follow. */
  readonly holes: readonly { readonly at: number; readonly bytes: number }[];
  /** CRC32C over the checksums of the good frames before each frame, as the writer counts it; of all at the end. */
  readonly chain: number;
}

export interface Frame {
  readonly payload: Buffer;
  /** The writer's chain before this frame, if nothing was lost. */
  readonly chainBefore: number;
  /** True where bytes before this frame were lost. */
  readonly afterHole: boolean;
}

/** A file in a window that slides forward; the file is never held as a whole. */
class Window {
  readonly #descriptor: number;
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;
  #ended = false;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** Bytes `[at, at + length)`, fewer at the end of the file. */
  view(at: number, length: number): Buffer {
    while (!this.#ended && at + length > this.#start + this.#bytes.length) this.#fill(at, length);
    return this.#bytes.subarray(at - this.#start, at - this.#start + length);
  }

  #fill(at: number, length: number): void {
    const kept = this.#bytes.subarray(Math.min(at - this.#start, this.#bytes.length));
    const more = Buffer.allocUnsafe(Math.max(READ_BYTES, length - kept.length));
    const end = this.#start + this.#bytes.length;
    const read = readSync(this.#descriptor, more, 0, more.length, end);
    if (read === 0) this.#ended = true;
    this.#bytes = Buffer.concat([kept, more.subarray(0, read)]);
    this.#start = end - kept.length;
  }
}

const refuse = (path: string, why: string): InputError =>
  new InputError('LEDGER_UNREADABLE', `${path} is not a file of a run: ${why}.`, {
    hint: 'Give the run directory as ackproof wrote it.',
  });

const parseHeaderText = (text: string, path: string): FileHeader => {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && 'kind' in parsed && 'run' in parsed)
      return parsed as FileHeader;
  } catch {
    throw refuse(path, 'its header is not JSON');
  }
  throw refuse(path, 'its header lacks kind or run');
};

const readHeader = (window: Window, path: string): { header: FileHeader; end: number } => {
  const prefix = window.view(0, MAGIC.length + 8);
  if (prefix.length < MAGIC.length + 8 || !prefix.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw refuse(path, 'it does not begin as one');
  }
  const version = prefix.readUInt32LE(MAGIC.length);
  const length = prefix.readUInt32LE(MAGIC.length + 4);
  if (version > FORMAT_VERSION) {
    throw new InputError(
      'LEDGER_TOO_NEW',
      `${path} has format ${version}; this ackproof reads up to format ${FORMAT_VERSION}.`,
      { hint: 'Judge it with the version that wrote it, or a later one.' },
    );
  }
  if (length > LONGEST_HEADER_BYTES) throw refuse(path, 'its header is too long');
  const start = MAGIC.length + 8;
  const rest = window.view(start, length + 4);
  if (rest.length < length + 4 || crc32c(rest.subarray(0, length)) !== rest.readUInt32LE(length)) {
    throw refuse(path, 'its header is damaged');
  }
  return { header: parseHeaderText(rest.toString('utf8', 0, length), path), end: start + length + 4 };
};

interface CheckedFrame {
  readonly payload: Buffer;
  readonly checksum: number;
}

const frameAt = (window: Window, at: number): CheckedFrame | undefined => {
  const head = window.view(at, FRAME_HEADER_BYTES);
  if (head.length < FRAME_HEADER_BYTES || head.readUInt32LE(0) !== MARKER) return undefined;
  const length = head.readUInt32LE(4);
  if (length > LONGEST_PAYLOAD_BYTES) return undefined;
  const checksum = head.readUInt32LE(8);
  const payload = window.view(at + FRAME_HEADER_BYTES, length);
  return payload.length === length && crc32c(payload) === checksum ? { payload, checksum } : undefined;
};

/** The next offset after `at` at which a good frame begins. */
const nextFrame = (window: Window, at: number): number | undefined => {
  let from = at + 1;
  for (;;) {
    const stretch = window.view(from, READ_BYTES);
    if (stretch.length < FRAME_HEADER_BYTES) return undefined;
    const found = stretch.indexOf(MARKER_BYTES);
    if (found === -1) from += stretch.length - MARKER_BYTES.length + 1;
    else if (frameAt(window, from + found) !== undefined) return from + found;
    else from += found + 1;
  }
};

const openForReading = (path: string): number => {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    throw new EnvironmentError('LEDGER_NOT_OPENED', `Cannot open ${path}.`, { cause, hint: 'Check the path.' });
  }
};

/** Reads one file frame by frame; `finish` tells what could not be read. Throws InputError on a file that is not one. */
export const readFrames = function* (
  path: string,
  onHeader: (header: FileHeader) => void,
): Generator<Frame, FileDamage> {
  const descriptor = openForReading(path);
  try {
    const window = new Window(descriptor);
    const { header, end } = readHeader(window, path);
    onHeader(header);
    const holes: { at: number; bytes: number }[] = [];
    const checksum = Buffer.alloc(4);
    let at = end;
    let chain = 0;
    let afterHole = false;
    while (window.view(at, 1).length > 0) {
      const frame = frameAt(window, at);
      if (frame === undefined) {
        const next = nextFrame(window, at);
        if (next === undefined) return { tornBytes: fstatSync(descriptor).size - at, holes, chain };
        holes.push({ at, bytes: next - at });
        at = next;
        afterHole = true;
        continue;
      }
      const frameBytes = FRAME_HEADER_BYTES + frame.payload.length;
      yield { payload: frame.payload, chainBefore: chain, afterHole };
      afterHole = false;
      checksum.writeUInt32LE(frame.checksum);
      chain = crc32c(checksum, chain);
      at += frameBytes;
    }
    return { tornBytes: 0, holes, chain };
  } finally {
    closeSync(descriptor);
  }
};
