// The write-ahead log as objects of an object store, one a slot. Nothing there can shut a writer out, so the owner asks: a slot is
// durable, *then* the epoch object is read, and only who still stands in it may acknowledge (docs/decisions/0002).
import { type Claim, isHeldBy } from '../log/fence.ts';
import type { ConditionalStore } from '../log/interfaces.ts';
import { parseSlotKey, partitionKeys, slotName, slotPlace } from '../log/keys.ts';
import { LogDamaged } from '../log/log-damaged.ts';
import { decodeSlot } from '../log/slot.ts';
import type { ListedSlot, SlotSpace, SlotWrite, SlotWriter, WriteAheadLog } from '../log/write-ahead-log.ts';

class ObjectSlots implements SlotSpace {
  readonly place: string;
  readonly #log: S3Wal;
  readonly #claim: Claim;
  readonly #fence: string;

  constructor(log: S3Wal, { topicId, partition, epoch, brokerId, nonce }: SlotWriter) {
    const keys = partitionKeys(topicId, partition);
    this.place = slotPlace(keys.wal, epoch);
    this.#log = log;
    this.#claim = { epoch, brokerId, nonce };
    this.#fence = keys.epoch;
  }

  keyOf(slot: number): string {
    return `${this.place}${slotName(slot)}`;
  }

  /** The key is ours alone, so whatever stands there was written by us, perhaps by an attempt whose answer was lost. */
  async write(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<SlotWrite> {
    for (;;) {
      const result = await this.#log.objects.put(key, bytes, { ifNoneMatch: true });
      if (result.status === 'stored') return 'durable';
      const object = await this.#log.objects.get(key);
      if (object !== undefined) {
        if (decodeSlot(object.bytes, key).nonce === this.#claim.nonce) return 'durable';
        throw new LogDamaged(`another writer's slot stands at ${key}`);
      }
      signal.throwIfAborted();
    }
  }

  async confirm(): Promise<boolean> {
    return await isHeldBy(this.#log.meta, this.#fence, this.#claim);
  }
}

export class S3Wal implements WriteAheadLog {
  readonly meta: ConditionalStore;
  readonly objects: ConditionalStore;

  /** `meta` has the epoch object, `objects` gets the slots. */
  constructor(meta: ConditionalStore, objects: ConditionalStore) {
    this.meta = meta;
    this.objects = objects;
  }

  open(writer: SlotWriter): Promise<SlotSpace> {
    return Promise.resolve(new ObjectSlots(this, writer));
  }

  /** The epoch object, which the takeover has changed before, shuts former owners out. */
  async list({ topicId, partition }: SlotWriter): Promise<readonly ListedSlot[]> {
    const { wal } = partitionKeys(topicId, partition);
    const listed: ListedSlot[] = [];
    for await (const page of this.objects.list(wal)) {
      for (const key of page) {
        const place = parseSlotKey(wal, key);
        if (place !== undefined) listed.push({ key, ...place });
      }
    }
    return listed;
  }

  async recover(key: string): Promise<Uint8Array | undefined> {
    return await this.read(key);
  }

  async read(key: string): Promise<Uint8Array | undefined> {
    return (await this.objects.get(key))?.bytes;
  }

  async deleteAll(keys: readonly string[]): Promise<void> {
    await this.objects.deleteAll(keys);
  }

  /** Its objects are in nobody's way. */
  forgetTopic(): void {}
}
