// Writes Kafka's primitive types into one growing buffer. Large byte fields are copied once, into the buffer that is sent.
import { WireError } from './wire-error.ts';

const MAX_STRING_BYTES = 0x7fff;
const UUID_BYTES = 16;

export class ByteWriter {
  #bytes: Buffer;
  #at = 0;

  /** `expectedBytes` saves growing when the size is roughly known. */
  constructor(expectedBytes = 256) {
    this.#bytes = Buffer.allocUnsafe(expectedBytes);
  }

  get length(): number {
    return this.#at;
  }

  /** What was written so far, as a view; the writer must not be used afterwards. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  /** Makes room for `count` bytes and returns where they begin. */
  take(count: number): number {
    const at = this.#at;
    const needed = at + count;
    if (needed > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed + 64, this.#bytes.length * 2));
      this.#bytes.copy(grown, 0, 0, at);
      this.#bytes = grown;
    }
    this.#at = needed;
    return at;
  }

  bool(value: boolean): void {
    this.int8(value ? 1 : 0);
  }

  int8(value: number): void {
    const at = this.take(1);
    this.#bytes.writeInt8(value, at);
  }

  int16(value: number): void {
    const at = this.take(2);
    this.#bytes.writeInt16BE(value, at);
  }

  int32(value: number): void {
    const at = this.take(4);
    this.#bytes.writeInt32BE(value, at);
  }

  uint32(value: number): void {
    const at = this.take(4);
    this.#bytes.writeUInt32BE(value, at);
  }

  /** Overwrites four bytes at a position that was written before. */
  patchInt32(at: number, value: number): void {
    this.#bytes.writeInt32BE(value, at);
  }

  int64(value: number): void {
    if (!Number.isSafeInteger(value)) {
      throw new WireError('WIRE_INT64_UNSAFE', `${value} cannot be sent as an exact 64-bit integer.`);
    }
    const high = Math.floor(value / 0x1_0000_0000);
    const at = this.take(8);
    this.#bytes.writeInt32BE(high, at);
    this.#bytes.writeUInt32BE(value - high * 0x1_0000_0000, at + 4);
  }

  /** A topic id given as 22 characters of base64url. */
  uuid(value: string): void {
    const bytes = Buffer.from(value, 'base64url');
    if (bytes.length !== UUID_BYTES) {
      throw new WireError('WIRE_VALUE_UNENCODABLE', `"${value}" is not a topic id of 22 base64url characters.`);
    }
    this.raw(bytes);
  }

  /** An unsigned varint of at most 32 bits. */
  unsignedVarint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.#byte((rest % 0x80) + 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.#byte(rest);
  }

  /** A zig-zag varint; exact for every safe integer up to 2^52 in size. */
  varint(value: number): void {
    this.unsignedVarint(value >= 0 ? value * 2 : -value * 2 - 1);
  }

  /** The bytes as they are, without a length. */
  raw(bytes: Uint8Array): void {
    const at = this.take(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** UTF-8 text after its length, which is a varint one too high when `compact`, else two bytes. */
  text(value: string, compact: boolean): void {
    const length = Buffer.byteLength(value, 'utf8');
    if (length > MAX_STRING_BYTES) {
      throw new WireError('WIRE_VALUE_UNENCODABLE', `A string of ${length} bytes is longer than ${MAX_STRING_BYTES}.`);
    }
    if (compact) this.unsignedVarint(length + 1);
    else this.int16(length);
    const at = this.take(length);
    this.#bytes.write(value, at, length, 'utf8');
  }

  #byte(value: number): void {
    const at = this.take(1);
    this.#bytes[at] = value;
  }
}
