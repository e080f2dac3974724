// The write-ahead log on block volumes, one for each broker and life of it. The volume shuts a writer out by itself: who takes over
// fences the volume first, and then no sync of its holder succeeds any more, so a sync that did is all that an acknowledgement needs
// (docs/decisions/0014).
import { freshId } from '../fresh-id.ts';
import { slotName } from '../log/keys.ts';
import { LogDamaged } from '../log/log-damaged.ts';
import type {
  ExtentPlace,
  ListedSlot,
  SlotSpace,
  SlotWrite,
  SlotWriter,
  WriteAheadLog,
} from '../log/write-ahead-log.ts';
import type { VolumeTransport } from '../volume/protocol.ts';
import { type Located, lookThrough } from './block-volume-index.ts';
import { slotOf, type TornSlots } from './frame.ts';
import { OwnVolume } from './own-volume.ts';

/** `<volume>/<topic>/<partition>/<epoch>/<slot>`. */
const volumeOf = (key: string): string => key.slice(0, key.indexOf('/'));
const placeOn = (volume: string, { topicId, partition, epoch }: SlotWriter): string =>
  `${volume}/${topicId}/${partition}/${epoch}/`;

const parseKey = (key: string, { topicId, partition }: SlotWriter): ListedSlot | undefined => {
  const [, topic, number, epoch, slot] = key.split('/');
  if (topic !== topicId || number !== String(partition)) return undefined;
  return { key, epoch: Number(epoch), slot: Number(slot) };
};

class VolumeSlots implements SlotSpace {
  readonly place: string;
  readonly #volume: OwnVolume;
  readonly #syncs: boolean;

  constructor(volume: OwnVolume, writer: SlotWriter) {
    this.place = placeOn(volume.name, writer);
    this.#volume = volume;
    this.#syncs = !writer.defects.has('fsync-skipped');
  }

  keyOf(slot: number): string {
    return `${this.place}${slotName(slot)}`;
  }

  async write(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<SlotWrite> {
    return await this.#volume.write(key, bytes, this.#syncs, signal);
  }

  /** The sync has said so already: who held the volume then had no successor that had looked. */
  confirm(): Promise<boolean> {
    return Promise.resolve(true);
  }
}

export class BlockWal implements WriteAheadLog {
  readonly #transport: VolumeTransport;
  readonly #brokerId: number;
  readonly #newId: () => string;
  #own: OwnVolume;
  /** What is known to stand on volumes, our own and those that were taken from their holders. */
  readonly #slots = new Map<string, Map<string, Located>>();

  constructor(transport: VolumeTransport, brokerId: number, newId: () => string = freshId) {
    this.#transport = transport;
    this.#brokerId = brokerId;
    this.#newId = newId;
    this.#own = this.#another();
  }

  async open(writer: SlotWriter): Promise<SlotSpace> {
    for (;;) {
      const volume = this.#own;
      if ((await volume.attach()) === 'ours') return new VolumeSlots(volume, writer);
      if (this.#own === volume) this.#own = this.#another();
    }
  }

  async list(successor: SlotWriter, extents: readonly ExtentPlace[]): Promise<readonly ListedSlot[]> {
    const listed: ListedSlot[] = [];
    for (const volume of new Set(extents.map(({ place }) => volumeOf(place)))) {
      const isOpen = extents.some(({ place, endSlot }) => endSlot === null && volumeOf(place) === volume);
      const slots = await this.#slotsOf(volume, isOpen, successor);
      listed.push(...[...slots.keys()].flatMap((key) => parseKey(key, successor) ?? []));
    }
    return listed;
  }

  async recover(key: string, { defects }: SlotWriter): Promise<Uint8Array | undefined> {
    return await this.#read(key, defects.has('torn-tail-accepted') ? 'accepted' : 'refused');
  }

  async read(key: string): Promise<Uint8Array | undefined> {
    return await this.#read(key, 'refused');
  }

  async deleteAll(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.#slots.get(volumeOf(key))?.delete(key);
    await this.#own.reclaim();
  }

  /** The space is given back with that of the next slots that are deleted. */
  forgetTopic(topicId: string): void {
    for (const slots of this.#slots.values()) {
      for (const key of [...slots.keys()]) if (key.split('/')[1] === topicId) slots.delete(key);
    }
  }

  #another(): OwnVolume {
    const slots = new Map<string, Located>();
    const name = `broker-${this.#brokerId}-${this.#newId()}`;
    this.#slots.set(name, slots);
    return new OwnVolume(this.#transport, { name, holder: this.#newId() }, slots);
  }

  /** Once it is fenced nobody writes there, and once it is synced what is seen there stays. */
  async #slotsOf(volume: string, isOpen: boolean, { defects }: SlotWriter): Promise<ReadonlyMap<string, Located>> {
    const known = this.#slots.get(volume);
    if (known !== undefined && !isOpen) return known;
    if (isOpen && !defects.has('attach-without-fencing')) await this.#transport.call({ op: 'fence', volume });
    await this.#transport.call({ op: 'sync', volume });
    const slots = await lookThrough(this.#transport, volume);
    this.#slots.set(volume, slots);
    return slots;
  }

  async #read(key: string, torn: TornSlots): Promise<Uint8Array | undefined> {
    const volume = volumeOf(key);
    const located = this.#slots.get(volume)?.get(key);
    if (located === undefined) return undefined;
    const { position: at, sizeBytes: length } = located;
    const { status, bytes } = await this.#transport.call({ op: 'read', volume, at, length });
    if (status === 'missing') throw new LogDamaged(`there is no volume ${volume}`);
    return bytes && slotOf(bytes, key, torn);
  }
}
