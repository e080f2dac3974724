// Where a partition keeps its objects. Numbers are padded so that the order of keys is the order of numbers; the epoch stands
// in every slot's key, so that each owner writes in a space of its own and a former owner's late write can land on nothing
// that anybody else will ever write or read.

const EPOCH_DIGITS = 10;
const SLOT_DIGITS = 12;
const OFFSET_DIGITS = 16;

const padded = (value: number, digits: number): string => String(value).padStart(digits, '0');

export interface PartitionKeys {
  /** The fence; in the meta store. */
  readonly epoch: string;
  /** In the meta store. */
  readonly index: string;
  /** Prefix of every slot. */
  readonly wal: string;
  /** Prefix of every data object; in the data store. */
  readonly data: string;
  object(baseOffset: number, endOffset: number, epoch: number, nonce: string): string;
}

/** Where the owner of an epoch has its slots, below the prefix `wal`. */
export const slotPlace = (wal: string, epoch: number): string => `${wal}${padded(epoch, EPOCH_DIGITS)}/`;

export const slotName = (slot: number): string => padded(slot, SLOT_DIGITS);

export const partitionKeys = (topicId: string, partition: number): PartitionKeys => {
  const place = `${topicId}/${partition}`;
  const wal = `wal/${place}/`;
  const data = `data/${place}/`;
  return {
    epoch: `meta/${place}/epoch`,
    index: `meta/${place}/index`,
    wal,
    data,
    object: (baseOffset, endOffset, epoch, nonce) =>
      `${data}${padded(baseOffset, OFFSET_DIGITS)}-${padded(endOffset, OFFSET_DIGITS)}-${epoch}-${nonce}`,
  };
};

/** Epoch and number of the slot whose key this is, below the prefix `wal`; undefined for any other key. */
export const parseSlotKey = (
  wal: string,
  key: string,
): { readonly epoch: number; readonly slot: number } | undefined => {
  const match = /^(\d+)\/(\d+)$/.exec(key.slice(wal.length));
  return match === null ? undefined : { epoch: Number(match[1]), slot: Number(match[2]) };
};
