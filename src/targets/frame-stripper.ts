// What a container or a program in it prints, as the engine sends it: both outputs in one stream, in frames of eight bytes of header
// and what was printed.

const HEADER_BYTES = 8;

/** Takes the frames' headers away, wherever the chunks are cut. */
export class FrameStripper {
  #rest: Buffer = Buffer.alloc(0);

  /** What of the frames is whole by now. */
  take(chunk: Buffer): Buffer {
    const whole: Buffer[] = [];
    let left = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (left.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + left.readUInt32BE(4);
      if (left.length < end) break;
      whole.push(left.subarray(HEADER_BYTES, end));
      left = left.subarray(end);
    }
    this.#rest = left;
    return Buffer.concat(whole);
  }
}
