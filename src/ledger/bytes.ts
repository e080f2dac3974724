// Bytes in and out of the ledger's binary rows: variable-length integers, floats and short texts. Little endian. A cursor
// throws on every read past its end, so that a damaged row can never be taken for a short one.

/** Thrown by a cursor whose row is shorter or stranger than its kind demands; readers turn it into `ledger-damaged`. */
export class MalformedRow extends Error {
  constructor(what: string) {
    super(`The row is malformed: ${what}.`);
    this.name = new.target.name;
  }
}

const INITIAL_BYTES = 256;

/** A growing buffer of rows. `take` hands the bytes out and starts again; the bytes stay valid until the next write. */
export class ByteSink {
  #buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  /** An integer ≥ 0 and ≤ 2^53 − 1, seven bits a byte, lowest first. */
  count(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest > 0x7f) {
      this.#buffer[this.#length++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.#buffer[this.#length++] = rest;
  }

  /** Any integer from −2^52 to 2^52 − 1. */
  integer(value: number): void {
    this.count(value >= 0 ? value * 2 : -value * 2 - 1);
  }

  float(value: number): void {
    this.#reserve(8);
    this.#buffer.writeDoubleLE(value, this.#length);
    this.#length += 8;
  }

  text(value: string): void {
    const bytes = Buffer.byteLength(value);
    this.count(bytes);
    this.#reserve(bytes);
    this.#buffer.write(value, this.#length);
    this.#length += bytes;
  }

  take(): Buffer {
    const bytes = this.#buffer.subarray(0, this.#length);
    this.#length = 0;
    return bytes;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + more));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

/** Reads what a `ByteSink` wrote. */
export class ByteCursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new MalformedRow('it ends too early');
    this.#at++;
    return value;
  }

  count(): number {
    let value = 0;
    let scale = 1;
    for (let index = 0; index < 8; index++) {
      const next = this.byte();
      value += (next & 0x7f) * scale;
      if (next < 0x80) {
        if (!Number.isSafeInteger(value)) break;
        return value;
      }
      scale *= 128;
    }
    throw new MalformedRow('an integer is too long');
  }

  integer(): number {
    const value = this.count();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  float(): number {
    if (this.#at + 8 > this.#bytes.length) throw new MalformedRow('it ends too early');
    const value = this.#bytes.readDoubleLE(this.#at);
    this.#at += 8;
    return value;
  }

  text(): string {
    const bytes = this.count();
    const end = this.#at + bytes;
    if (end > this.#bytes.length) throw new MalformedRow('a text is longer than its row');
    const value = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end;
    return value;
  }
}
