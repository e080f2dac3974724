// Who a record is, inside the record: its value begins with its id, the rest of the value follows from the id, and a CRC32C
// covers it all. Key and header repeat the id. The one thing to know: an id that is read back is believed only where a
// checksum says so; a value that does not check is named by its key or header and counts as damaged, never as foreign.
import { crc32c, crc32cPlain } from '../checksum.ts';
import { InputError } from '../errors.ts';
import type { FullRecordId } from './replay-rows.ts';

// Value:  "AKP1" | crc32c of all that follows | id block | filler
// Id block: crc32c of what follows in the block | kind | run length | run | producer length | producer | incarnation (4)
//           | partition (4) | value size (4) | seq (6)
const MAGIC = 0x31504b41;
const VALUE_HEAD_BYTES = 8;
const TAIL_BYTES = 18;
const SEQ_BYTES = 6;
const LONGEST_NAME_BYTES = 200;

export const IDENTITY_HEADER = 'ackproof';

/** `record`: one of the run's own; `sentinel`: ends the drain; `canary`: evidence traffic, never judged. */
export type RecordKind = 'record' | 'sentinel' | 'canary';
const KINDS: readonly RecordKind[] = ['record', 'sentinel', 'canary'];

export interface EncodedRecord {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, Buffer>>;
}

export interface LaneIdentity {
  readonly run: string;
  readonly producer: string;
  readonly incarnation: number;
  readonly partition: number;
  /** Bytes of each value; at least `smallestRecordBytes`. */
  readonly sizeBytes: number;
  /** Default `record`. */
  readonly kind?: RecordKind;
}

export interface ParsedRecord {
  readonly kind: RecordKind;
  readonly id: FullRecordId;
  /** False: the value, the key or the header is not what the id demands. */
  readonly checksumOk: boolean;
}

const blockBytes = (run: string, producer: string): number => 4 + 1 + 1 + run.length + 1 + producer.length + TAIL_BYTES;

/** The fewest bytes a value of this run and producer may have. */
export const smallestRecordBytes = (run: string, producer: string): number =>
  VALUE_HEAD_BYTES + blockBytes(run, producer);

const assertName = (name: string, what: string): void => {
  if (name.length > 0 && name.length <= LONGEST_NAME_BYTES && /^[\x21-\x7e]+$/u.test(name)) return;
  throw new InputError('BAD_RECORD_NAME', `The ${what} ${JSON.stringify(name)} cannot be written into records.`, {
    hint: `Use 1 to ${LONGEST_NAME_BYTES} visible ASCII characters.`,
  });
};

/** Words that follow from the sequence number and the lane's own seed: xorshift, nothing secret. */
const fill = (value: Buffer, from: number, seed: number): void => {
  let word = seed | 0 || 1;
  let at = from;
  for (; at + 4 <= value.length; at += 4) {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    value[at] = word;
    value[at + 1] = word >>> 8;
    value[at + 2] = word >>> 16;
    value[at + 3] = word >>> 24;
  }
  for (; at < value.length; at++) value[at] = (word >>> (8 * (at & 3))) & 0xff;
};

/** Makes the records of one lane; a function of (lane, seq) only, so a record can be made again and compared. */
export class RecordEncoder {
  readonly #sizeBytes: number;
  readonly #block: Buffer;
  readonly #prefixChecksum: number;

  constructor(lane: LaneIdentity) {
    assertName(lane.run, 'run id');
    assertName(lane.producer, 'producer name');
    const smallest = smallestRecordBytes(lane.run, lane.producer);
    if (!(lane.sizeBytes >= smallest)) {
      throw new InputError('RECORD_TOO_SMALL', `A record of ${lane.sizeBytes} bytes cannot hold its identity.`, {
        hint: `Set record.size to ${smallest}B or more.`,
      });
    }
    this.#sizeBytes = lane.sizeBytes;
    const block = Buffer.alloc(blockBytes(lane.run, lane.producer));
    let at = 4;
    block[at++] = KINDS.indexOf(lane.kind ?? 'record');
    for (const name of [lane.run, lane.producer]) {
      block[at++] = name.length;
      at += block.write(name, at, 'latin1');
    }
    block.writeUInt32LE(lane.incarnation, at);
    block.writeUInt32LE(lane.partition, at + 4);
    block.writeUInt32LE(lane.sizeBytes, at + 8);
    this.#block = block;
    this.#prefixChecksum = crc32c(block.subarray(4, block.length - SEQ_BYTES));
  }

  encode(seq: number): EncodedRecord {
    const template = this.#block;
    const value = Buffer.allocUnsafe(this.#sizeBytes);
    const key = value.subarray(VALUE_HEAD_BYTES, VALUE_HEAD_BYTES + template.length);
    key.set(template);
    key.writeUIntLE(seq, template.length - SEQ_BYTES, SEQ_BYTES);
    const checksum = crc32cPlain(key.subarray(template.length - SEQ_BYTES), this.#prefixChecksum);
    key.writeUInt32LE(checksum, 0);
    fill(value, VALUE_HEAD_BYTES + template.length, checksum);
    value.writeUInt32LE(MAGIC, 0);
    value.writeUInt32LE(crc32c(value.subarray(VALUE_HEAD_BYTES)), 4);
    return { key, value, headers: { [IDENTITY_HEADER]: key } };
  }
}

interface IdBlock {
  readonly kind: RecordKind;
  readonly id: FullRecordId;
  readonly sizeBytes: number;
  /** Offset after the block. */
  readonly end: number;
}

const readBlock = (bytes: Buffer, start: number): IdBlock | undefined => {
  const kind = KINDS[bytes[start + 4] ?? KINDS.length];
  const runLength = bytes[start + 5];
  if (kind === undefined || runLength === undefined) return undefined;
  const runEnd = start + 6 + runLength;
  const producerLength = bytes[runEnd];
  if (producerLength === undefined) return undefined;
  const producerEnd = runEnd + 1 + producerLength;
  if (producerEnd + TAIL_BYTES > bytes.length) return undefined;
  return {
    kind,
    id: {
      run: bytes.toString('latin1', start + 6, runEnd),
      producer: bytes.toString('latin1', runEnd + 1, producerEnd),
      incarnation: bytes.readUInt32LE(producerEnd),
      partition: bytes.readUInt32LE(producerEnd + 4),
      seq: bytes.readUIntLE(producerEnd + 12, SEQ_BYTES),
    },
    sizeBytes: bytes.readUInt32LE(producerEnd + 8),
    end: producerEnd + TAIL_BYTES,
  };
};

/** A block that checks by its own checksum and fills `bytes` exactly. */
const readWholeBlock = (bytes: Buffer | null | undefined): IdBlock | undefined => {
  if (bytes === null || bytes === undefined || bytes.length < 4) return undefined;
  const block = readBlock(bytes, 0);
  return block?.end === bytes.length && crc32c(bytes.subarray(4)) === bytes.readUInt32LE(0) ? block : undefined;
};

const valueChecks = (value: Buffer, block: IdBlock): boolean =>
  value.readUInt32LE(0) === MAGIC &&
  value.length === block.sizeBytes &&
  crc32c(value.subarray(VALUE_HEAD_BYTES)) === value.readUInt32LE(4);

const sameBytes = (bytes: Buffer | null | undefined, value: Buffer, block: IdBlock): boolean =>
  bytes !== null && bytes !== undefined && value.compare(bytes, 0, bytes.length, VALUE_HEAD_BYTES, block.end) === 0;

/**
 * Reads a record back: its id, and whether value, key and header agree with it. Undefined = foreign: nothing in it names an
 * id of ackproof's. A damaged value is named by its key, else its header, else by its own id block if that checks.
 */
export const parseRecord = (
  key: Buffer | null,
  value: Buffer | null,
  headers: ReadonlyMap<string, Buffer>,
): ParsedRecord | undefined => {
  const header = headers.get(IDENTITY_HEADER);
  const ownBlock = value === null ? undefined : readBlock(value, VALUE_HEAD_BYTES);
  if (value !== null && ownBlock !== undefined && valueChecks(value, ownBlock)) {
    const checksumOk = sameBytes(key, value, ownBlock) && sameBytes(header, value, ownBlock);
    return { kind: ownBlock.kind, id: ownBlock.id, checksumOk };
  }
  const spare =
    readWholeBlock(key) ??
    readWholeBlock(header) ??
    (value === null || ownBlock === undefined
      ? undefined
      : readWholeBlock(value.subarray(VALUE_HEAD_BYTES, ownBlock.end)));
  return spare === undefined ? undefined : { kind: spare.kind, id: spare.id, checksumOk: false };
};
