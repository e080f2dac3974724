// Reads Kafka's primitive types from a buffer. Every length and count is held against the bytes that are really there before
// anything is allocated, so a hostile length costs an error and nothing else.
import { WireError } from './wire-error.ts';

const MAX_STRING_BYTES = 0x7fff;
const UUID_BYTES = 16;
/** A varint of 32 bits has at most five bytes, one of 64 bits at most ten. */
const MAX_VARINT_BYTES = 5;
const MAX_VARLONG_BYTES = 10;
/** Two million records a second for 35 years; offsets counted on from here are exact numbers still. */
const FARTHEST_OFFSET = 2 ** 51;

/** The offset itself, or the farthest in its direction where no log reaches so far. */
export const nearestLogOffset = (offset: number): number =>
  Math.max(-FARTHEST_OFFSET, Math.min(FARTHEST_OFFSET, offset));

export class ByteReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;

  /** Reads `bytes` from `start` (default 0) to `end` (default the end). */
  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  /** The position of the next byte, counted from the start of the buffer. */
  get position(): number {
    return this.#at;
  }

  get remaining(): number {
    return this.#end - this.#at;
  }

  /** Moves over `count` bytes and returns where they began. */
  take(count: number): number {
    const at = this.#at;
    if (count < 0 || count > this.#end - at) {
      throw new WireError('WIRE_TRUNCATED', `Expected ${count} more bytes at position ${at}, found ${this.#end - at}.`);
    }
    this.#at = at + count;
    return at;
  }

  bool(): boolean {
    return this.int8() !== 0;
  }

  int8(): number {
    return this.#bytes.readInt8(this.take(1));
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.take(2));
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.take(4));
  }

  uint32(): number {
    return this.#bytes.readUInt32BE(this.take(4));
  }

  /** A 64-bit integer as a safe number; a typed error where it would lose digits. */
  int64(): number {
    return safe(this.#wideInteger(), this.#at - 8);
  }

  /** A 64-bit integer; one that no log reaches is read as the farthest offset in its direction. */
  logOffset(): number {
    return nearestLogOffset(this.#wideInteger());
  }

  #wideInteger(): number {
    const at = this.take(8);
    return this.#bytes.readInt32BE(at) * 0x1_0000_0000 + this.#bytes.readUInt32BE(at + 4);
  }

  /** A topic id in Kafka's own text form: 22 characters of base64url. */
  uuid(): string {
    const at = this.take(UUID_BYTES);
    return this.#bytes.toString('base64url', at, at + UUID_BYTES);
  }

  /** An unsigned varint of at most 32 bits. */
  unsignedVarint(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < MAX_VARINT_BYTES; count++) {
      const byte = this.#bytes[this.take(1)] as number;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return within32Bits(value, this.#at);
      scale *= 0x80;
    }
    throw new WireError('WIRE_VARINT_TOO_LONG', `A varint before position ${this.#at} has more than 32 bits.`);
  }

  /** A zig-zag varint of at most 32 bits. */
  varint(): number {
    const raw = this.unsignedVarint();
    return raw % 2 === 0 ? raw / 2 : -(raw + 1) / 2;
  }

  /** A zig-zag varint of at most 64 bits as a safe number. */
  varlong(): number {
    let low = 0;
    let high = 0;
    const start = this.#at;
    for (let count = 0; count < MAX_VARLONG_BYTES; count++) {
      const byte = this.#bytes[this.take(1)] as number;
      if (count < 4) low += (byte & 0x7f) * 2 ** (7 * count);
      else high += (byte & 0x7f) * 2 ** (7 * (count - 4));
      if (byte < 0x80) return zigzag64(low, high, start);
    }
    throw new WireError('WIRE_VARINT_TOO_LONG', `A varint at position ${start} has more than 64 bits.`);
  }

  /** `length` bytes as UTF-8; a negative length is null. */
  text(length: number): string | null {
    if (length < 0) return null;
    if (length > MAX_STRING_BYTES) {
      throw new WireError('WIRE_COUNT_TOO_LARGE', `A string of ${length} bytes at position ${this.#at} is too long.`);
    }
    const at = this.take(length);
    return this.#bytes.toString('utf8', at, at + length);
  }

  /** A view of `length` bytes, not a copy; a negative length is null. */
  view(length: number): Buffer | null {
    if (length < 0) return null;
    const at = this.take(length);
    return this.#bytes.subarray(at, at + length);
  }

  /** Refuses a count of elements, each at least `elementBytes` long, for which the rest of the buffer has no room. */
  checkCount(count: number, elementBytes: number): void {
    if (count * Math.max(1, elementBytes) > this.remaining) {
      throw new WireError(
        'WIRE_COUNT_TOO_LARGE',
        `An array before position ${this.#at} claims ${count} elements, but only ${this.remaining} bytes are left.`,
      );
    }
  }
}

const within32Bits = (value: number, at: number): number => {
  if (value <= 0xffff_ffff) return value;
  throw new WireError('WIRE_VARINT_TOO_LONG', `A varint before position ${at} has more than 32 bits.`);
};

const safe = (value: number, at: number): number => {
  if (Number.isSafeInteger(value)) return value;
  throw new WireError('WIRE_INT64_UNSAFE', `The 64-bit integer at position ${at} is outside the exact range.`);
};

/** `high` counts units of 2^28. */
const zigzag64 = (low: number, high: number, at: number): number => {
  const odd = low % 2 === 1;
  const half = (low - (odd ? 1 : 0)) / 2 + high * 2 ** 27;
  return safe(odd ? -half - 1 : half, at);
};
