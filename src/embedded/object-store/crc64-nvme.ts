// CRC-64/NVME, which some S3 clients send by default. Kept as two 32-bit halves: JavaScript has no 64-bit integers but slow ones.

/** The reflected polynomial 0x9a6c9329ac4bc9b5. */
const HIGH = 0x9a6c9329;
const LOW = 0xac4bc9b5;

const highs = new Uint32Array(256);
const lows = new Uint32Array(256);
for (let index = 0; index < 256; index++) {
  let high = 0;
  let low = index;
  for (let bit = 0; bit < 8; bit++) {
    const isOdd = (low & 1) === 1;
    low = ((low >>> 1) | (high << 31)) >>> 0;
    high >>>= 1;
    if (isOdd) {
      high = (high ^ HIGH) >>> 0;
      low = (low ^ LOW) >>> 0;
    }
  }
  highs[index] = high;
  lows[index] = low;
}

export class Crc64Nvme {
  #high = 0xffffffff;
  #low = 0xffffffff;

  add(bytes: Buffer): void {
    let high = this.#high;
    let low = this.#low;
    for (const byte of bytes) {
      const index = (low ^ byte) & 0xff;
      low = (((low >>> 8) | (high << 24)) ^ (lows[index] as number)) >>> 0;
      high = ((high >>> 8) ^ (highs[index] as number)) >>> 0;
    }
    this.#high = high;
    this.#low = low;
  }

  /** Eight bytes, big-endian, as base64. */
  end(): string {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(~this.#high >>> 0, 0);
    bytes.writeUInt32BE(~this.#low >>> 0, 4);
    return bytes.toString('base64');
  }
}
