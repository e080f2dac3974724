// The write-ahead log as files of a directory that all brokers share, one a slot. The directory lets anybody write, so the owner
// asks: it holds the handle of a file that its successor removes before it looks, a slot is durable, *then* the handle is checked,
// and only while it is not stale may be acknowledged (docs/decisions/0014).
import { slotName } from '../log/keys.ts';
import { mapConcurrently } from '../log/map-concurrently.ts';
import type {
  ExtentPlace,
  ListedSlot,
  SlotSpace,
  SlotWrite,
  SlotWriter,
  WriteAheadLog,
} from '../log/write-ahead-log.ts';
import type { VolumeAnswer, VolumeTransport } from '../volume/protocol.ts';
import { encodeFrame, slotOf } from './frame.ts';

const REMOVALS_AT_ONCE = 8;

const partitionOf = ({ topicId, partition }: SlotWriter): string => `wal/${topicId}/${partition}/`;
const ownerFile = (place: string): string => `${place}owner`;

const parseKey = (key: string): ListedSlot | undefined => {
  const [, epoch, slot] = /\/(\d+)\/[^/]+\/(\d+)$/.exec(key) ?? [];
  return slot === undefined ? undefined : { key, epoch: Number(epoch), slot: Number(slot) };
};

const handleIn = ({ handle }: VolumeAnswer): string => handle ?? '';

class SlotFiles implements SlotSpace {
  readonly place: string;
  readonly #transport: VolumeTransport;
  readonly #writer: SlotWriter;
  #owner: string;

  constructor(transport: VolumeTransport, place: string, writer: SlotWriter, owner: string) {
    this.#transport = transport;
    this.place = place;
    this.#writer = writer;
    this.#owner = owner;
  }

  keyOf(slot: number): string {
    return `${this.place}${slotName(slot)}`;
  }

  /** A stale handle of a slot tells of a successor that has recovered and trimmed it. */
  async write(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<SlotWrite> {
    const frame = encodeFrame(key, 0, bytes);
    for (;;) {
      const handle = handleIn(await this.#transport.call({ op: 'create', path: key }));
      const written = await this.#transport.call({ op: 'put', handle }, frame);
      if (written.status === 'stale') return 'shut-out';
      if (this.#writer.defects.has('fsync-skipped')) return 'durable';
      const synced = await this.#transport.call({ op: 'commit', handle, boot: written.boot });
      if (synced.status === 'done') return 'durable';
      if (synced.status === 'stale') return 'shut-out';
      signal.throwIfAborted(); // power was cut in between: what was written is gone
    }
  }

  async confirm(): Promise<boolean> {
    const { status } = await this.#transport.call({ op: 'check', handle: this.#owner });
    if (status === 'done') return true;
    if (!this.#writer.defects.has('stale-nfs-handle')) return false;
    this.#owner = handleIn(await this.#transport.call({ op: 'create', path: ownerFile(this.place) }));
    return true;
  }
}

export class NfsWal implements WriteAheadLog {
  readonly #transport: VolumeTransport;

  constructor(transport: VolumeTransport) {
    this.#transport = transport;
  }

  async open(writer: SlotWriter): Promise<SlotSpace> {
    const place = `${partitionOf(writer)}${writer.epoch}/${writer.nonce}/`;
    const owner = await this.#transport.call({ op: 'create', path: ownerFile(place) });
    return new SlotFiles(this.#transport, place, writer, handleIn(owner));
  }

  async list(successor: SlotWriter, extents: readonly ExtentPlace[]): Promise<readonly ListedSlot[]> {
    for (const { place, endSlot } of extents) {
      if (endSlot === null) await this.#transport.call({ op: 'remove', path: ownerFile(place) });
    }
    const { names = [] } = await this.#transport.call({ op: 'names', prefix: partitionOf(successor) });
    return names.flatMap((name) => parseKey(name) ?? []);
  }

  /** Its writer may be about to write it just now, and may never sync it: whoever builds on what was read syncs it. */
  async recover(key: string, { defects }: SlotWriter): Promise<Uint8Array | undefined> {
    for (;;) {
      const read = await this.#transport.call({ op: 'get', path: key });
      if (read.status === 'missing') return undefined;
      const slot = slotOf(
        read.bytes ?? new Uint8Array(0),
        key,
        defects.has('torn-tail-accepted') ? 'accepted' : 'refused',
      );
      if (slot === undefined) return undefined;
      const synced = await this.#transport.call({ op: 'commit', handle: handleIn(read), boot: read.boot });
      if (synced.status === 'done') return slot;
      if (synced.status === 'stale') return undefined;
    }
  }

  async read(key: string): Promise<Uint8Array | undefined> {
    const { bytes } = await this.#transport.call({ op: 'get', path: key });
    return bytes && slotOf(bytes, key);
  }

  async deleteAll(keys: readonly string[]): Promise<void> {
    await mapConcurrently(keys, REMOVALS_AT_ONCE, async (path) => await this.#transport.call({ op: 'remove', path }));
  }

  /** Its files are in nobody's way. */
  forgetTopic(): void {}
}
