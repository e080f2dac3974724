// Cuts a byte stream into frames. A frame's length is only believed up to a limit and never allocated for: bytes are kept as
// they arrive and joined once, when the frame is complete.
import { WireError } from './wire-error.ts';

const LENGTH_BYTES = 4;

/** A limit that fits Kafka's own default for requests, 100 MiB. */
export const DEFAULT_MAX_FRAME_BYTES = 104_857_600;

export class FrameSplitter {
  readonly #maxFrameBytes: number;
  #pieces: Buffer[] = [];
  #heldBytes = 0;
  /** How many bytes must be held before the next step is possible. */
  #neededBytes = LENGTH_BYTES;

  constructor(maxFrameBytes: number = DEFAULT_MAX_FRAME_BYTES) {
    this.#maxFrameBytes = maxFrameBytes;
  }

  /** Bytes of a frame that is not complete yet, its length included. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Takes the next bytes and returns the frames they complete, without their lengths; views of the input where possible.
   * Throws `WIRE_FRAME_LENGTH` for a negative length or one above the limit; the stream cannot be used after that.
   */
  push(chunk: Buffer): Buffer[] {
    this.#pieces.push(chunk);
    this.#heldBytes += chunk.length;
    return this.#heldBytes < this.#neededBytes ? [] : this.#cut();
  }

  #cut(): Buffer[] {
    const bytes = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    const frames: Buffer[] = [];
    let at = 0;
    this.#neededBytes = this.#needAt(bytes, at);
    while (bytes.length - at >= this.#neededBytes) {
      frames.push(bytes.subarray(at + LENGTH_BYTES, at + this.#neededBytes));
      at += this.#neededBytes;
      this.#neededBytes = this.#needAt(bytes, at);
    }
    this.#heldBytes = bytes.length - at;
    this.#pieces = this.#heldBytes === 0 ? [] : [bytes.subarray(at)];
    return frames;
  }

  /** The size of the frame at a position with its length, or of the length alone while that is incomplete. */
  #needAt(bytes: Buffer, at: number): number {
    if (bytes.length - at < LENGTH_BYTES) return LENGTH_BYTES;
    const length = bytes.readInt32BE(at);
    if (length >= 0 && length <= this.#maxFrameBytes) return LENGTH_BYTES + length;
    throw new WireError(
      'WIRE_FRAME_LENGTH',
      `A frame claims ${length} bytes; 0 to ${this.#maxFrameBytes} are possible. The peer does not speak Kafka's protocol.`,
    );
  }
}
