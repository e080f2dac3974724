// The block volume that a broker writes: slots one after the other, each at a place of its own that is never written with anything
// else. Once it is fenced it is lost for good, and the broker takes another.
import { LogDamaged } from '../log/log-damaged.ts';
import type { SlotWrite } from '../log/write-ahead-log.ts';
import { CHUNK_BYTES, type VolumeAnswer, type VolumeTransport } from '../volume/protocol.ts';
import { type Located, roundedUp } from './block-volume-index.ts';
import { encodeFrame } from './frame.ts';

export class OwnVolume {
  readonly name: string;
  /** Those that may still be needed, in order of position. */
  readonly #slots: Map<string, Located>;
  readonly #transport: VolumeTransport;
  readonly #holder: string;
  #head = 0;
  #discarded = 0;
  #isLost = false;

  constructor(
    transport: VolumeTransport,
    { name, holder }: { readonly name: string; readonly holder: string },
    slots: Map<string, Located>,
  ) {
    this.#transport = transport;
    this.name = name;
    this.#holder = holder;
    this.#slots = slots;
  }

  /** Makes it, or sees whether it is still ours. Throws StoreUnavailable. */
  async attach(): Promise<'ours' | 'lost'> {
    const answer = await this.#transport.call({ op: 'attach', volume: this.name, holder: this.#holder });
    return this.#loses(answer) ? 'lost' : 'ours';
  }

  /** One attempt to write a slot and, with `sync`, to make it durable. Throws StoreUnavailable. */
  async write(key: string, slot: Uint8Array, sync: boolean, signal: AbortSignal): Promise<SlotWrite> {
    const { position } = this.#slots.get(key) ?? this.#allocate(key, slot.length);
    const frame = encodeFrame(key, position, slot);
    const mine = { volume: this.name, holder: this.#holder };
    for (;;) {
      const written = await this.#transport.call({ op: 'write', ...mine, at: position }, frame);
      if (this.#loses(written)) return 'shut-out';
      if (!sync) return 'durable';
      const synced = await this.#transport.call({ op: 'sync', ...mine, boot: written.boot });
      if (this.#loses(synced)) return 'shut-out';
      if (synced.status === 'done') return 'durable';
      signal.throwIfAborted(); // power was cut in between: what was written is gone
    }
  }

  /** Gives back the space below the oldest slot that is needed, in whole chunks. Throws StoreUnavailable. */
  async reclaim(): Promise<void> {
    const [oldest] = this.#slots.values();
    const below = oldest?.position ?? this.#head;
    if (this.#isLost || below - this.#discarded < CHUNK_BYTES) return;
    await this.#transport.call({ op: 'discard', volume: this.name, holder: this.#holder, below });
    this.#discarded = below - (below % CHUNK_BYTES);
  }

  #allocate(key: string, slotBytes: number): Located {
    const position = this.#head;
    const sizeBytes = encodeFrame(key, 0, new Uint8Array(0)).length + slotBytes;
    const located = { position, sizeBytes };
    this.#slots.set(key, located);
    this.#head += roundedUp(sizeBytes);
    return located;
  }

  #loses({ status }: VolumeAnswer): boolean {
    if (status === 'missing') throw new LogDamaged(`there is no volume ${this.name}`);
    if (status === 'fenced') this.#isLost = true;
    return this.#isLost;
  }
}
