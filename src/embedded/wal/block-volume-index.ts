// What stands on a block volume: found by looking through it, a whole number of blocks from slot to slot. Where no slot begins, as
// where one was torn from its beginning on, the look goes on a block further.
import { LogDamaged } from '../log/log-damaged.ts';
import type { VolumeTransport } from '../volume/protocol.ts';
import { decodeFrameHeader, MOST_HEADER_BYTES } from './frame.ts';

/** Slots begin at a multiple of this many bytes. */
const BLOCK_BYTES = 4096;
const WINDOW_BYTES = 1024 * 1024;

export interface Located {
  readonly position: number;
  readonly sizeBytes: number;
}

export const roundedUp = (sizeBytes: number): number => Math.ceil(sizeBytes / BLOCK_BYTES) * BLOCK_BYTES;

/** Reads a volume from front to back, a window at a time. */
class Window {
  readonly #transport: VolumeTransport;
  readonly #volume: string;
  #at = 0;
  #bytes: Uint8Array = new Uint8Array(0);

  constructor(transport: VolumeTransport, volume: string) {
    this.#transport = transport;
    this.#volume = volume;
  }

  async read(at: number, length: number): Promise<Uint8Array> {
    if (at < this.#at || at + length > this.#at + this.#bytes.length) {
      const answer = await this.#transport.call({ op: 'read', volume: this.#volume, at, length: WINDOW_BYTES });
      this.#at = at;
      this.#bytes = answer.bytes ?? new Uint8Array(0);
    }
    return this.#bytes.subarray(at - this.#at, at - this.#at + length);
  }
}

/** Every slot on the volume, by its key; whether it is whole is for its reader to see. Throws StoreUnavailable. */
export const lookThrough = async (transport: VolumeTransport, volume: string): Promise<Map<string, Located>> => {
  const slots = new Map<string, Located>();
  const extent = await transport.call({ op: 'extent', volume });
  if (extent.status === 'missing') throw new LogDamaged(`there is no volume ${volume}`);
  const { start = 0, end = 0 } = extent;
  const window = new Window(transport, volume);
  for (let position = start; position < end; ) {
    const header = decodeFrameHeader(await window.read(position, MOST_HEADER_BYTES));
    const isSlot = header?.position === position;
    if (isSlot) slots.set(header.key, { position, sizeBytes: header.sizeBytes });
    position += isSlot ? roundedUp(header.sizeBytes) : BLOCK_BYTES;
  }
  return slots;
};
