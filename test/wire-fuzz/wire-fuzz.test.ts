// Damaged frames from foreign clients and brokers, 210,000 of them and 40,000 record batches: each is either decoded or refused with a `WireError`, at
// once and without memory to speak of. What is decoded can be encoded again and then means the same.
import { describe, expect, it } from 'vitest';
import { type Random, randomStream } from '../../src/random.ts';
import { sealBatch } from '../../src/wire/batch-header.ts';
import type { ApiName } from '../../src/wire/message-table.ts';
import {
  decodeRequestFrame,
  decodeResponseFrame,
  encodeRequestFrame,
  encodeResponseFrame,
  FrameSplitter,
  WireError,
} from '../../src/wire/protocol.ts';
import { decodeRecordBatches } from '../../src/wire/record-batch.ts';
import { loadFrames } from '../support/frame-fixtures.ts';
import type { RecordedFrame } from '../support/frame-recorder.ts';
import { damaged } from './mutations.ts';

const SEED = 20_261_129;
const FRAMES_PER_DIRECTION = 105_000;
const BATCHES = 40_000;
const STREAMS = 4_000;
/** More than one frame may take on the busiest machine; a hang would be far above. */
const SLOWEST_DECODE_MS = 1_000;
const MAX_GROWTH_BYTES = 256 * 1024 * 1024;
/** Every so many decoded frames, one is encoded again and compared. */
const COMPARE_EVERY = 10;

const frames = loadFrames();

/** `undefined` when refused with a `WireError`; anything else that is thrown fails the test with the frame. */
const decodeOrRefuse = <T>(what: string, bytes: Buffer, decode: (bytes: Buffer) => T): T | undefined => {
  const startedMs = performance.now();
  try {
    return decode(bytes);
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw new Error(`${what} ${bytes.toString('base64')}`, { cause: error });
  } finally {
    const tookMs = performance.now() - startedMs;
    if (tookMs > SLOWEST_DECODE_MS) throw new Error(`${what} took ${tookMs} ms: ${bytes.toString('base64')}`);
  }
};

const held = (): number => {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

/** Runs `one` often and holds memory against a limit while it does. */
const many = (count: number, one: (index: number) => void): void => {
  const before = held();
  for (let index = 0; index < count; index++) {
    one(index);
    if (index % 1000 === 0) expect(held() - before).toBeLessThan(MAX_GROWTH_BYTES);
  }
};

const decodeRecorded = (kind: RecordedFrame, bytes: Buffer): unknown =>
  kind.direction === 'request'
    ? decodeRequestFrame(bytes)
    : decodeResponseFrame(kind.api as ApiName, kind.version, bytes);

const again = (kind: RecordedFrame, decoded: unknown): unknown => {
  if (kind.direction === 'request') {
    const { api, version, body, ...header } = decoded as ReturnType<typeof decodeRequestFrame>;
    return decodeRequestFrame(encodeRequestFrame(api, version, header, body as never).subarray(4));
  }
  const { correlationId, body } = decoded as { correlationId: number; body: never };
  const frame = encodeResponseFrame(kind.api as ApiName, kind.version, correlationId, body);
  return decodeResponseFrame(kind.api as ApiName, kind.version, frame.subarray(4));
};

const recordsIn = (value: unknown): readonly Buffer[] => {
  if (Buffer.isBuffer(value)) return value.length > 61 && value[16] === 2 ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(recordsIn);
};

describe('recorded frames of other implementations', () => {
  it('come from kafkajs, kcat and the Java clients, in both directions', () => {
    const clients = new Set(frames.map(({ client }) => client));
    expect([...clients]).toEqual(['java-admin', 'java-consumer', 'java-orders', 'java-producer', 'kafkajs', 'kcat']);
    for (const client of clients) {
      const directions = frames.filter((frame) => frame.client === client).map(({ direction }) => direction);
      expect(new Set(directions).size).toBe(2);
    }
  });

  it.each(frames)('$client: $direction $api v$version is decoded, and encoded again byte for byte', (recorded) => {
    const decoded = decodeRecorded(recorded, recorded.frame) as { api: ApiName; body: never } & Record<string, never>;
    const encoded =
      recorded.direction === 'request'
        ? encodeRequestFrame(decoded.api, recorded.version, decoded as never, decoded.body)
        : encodeResponseFrame(
            recorded.api as ApiName,
            recorded.version,
            decoded['correlationId'] as never,
            decoded.body,
          );
    expect(encoded.subarray(4).toString('hex')).toBe(recorded.frame.toString('hex'));
  });
});

describe('damaged frames', () => {
  it.each(['request', 'response'] as const)('as a %s: a body or a WireError, each time', (direction) => {
    const kinds = frames.filter((frame) => frame.direction === direction);
    const random = randomStream(SEED, `wire-fuzz ${direction}`);
    let decodedCount = 0;
    many(FRAMES_PER_DIRECTION, (index) => {
      const kind = kinds[index % kinds.length]!;
      const bytes = damaged(kind.frame, random);
      const decoded = decodeOrRefuse(`${kind.client} ${kind.api} v${kind.version}`, bytes, (given) =>
        decodeRecorded(kind, given),
      );
      if (decoded !== undefined && decodedCount++ % COMPARE_EVERY === 0) expect(again(kind, decoded)).toEqual(decoded);
    });
    // Both ends must be reached often, or the damage is too strong or too weak to test anything.
    expect(decodedCount / FRAMES_PER_DIRECTION).toBeGreaterThan(0.1);
    expect(decodedCount / FRAMES_PER_DIRECTION).toBeLessThan(0.9);
  });

  it('as record batches with a checksum that fits: records or a WireError, each time', () => {
    const batches = frames.flatMap((frame) => recordsIn(decodeRecorded(frame, frame.frame)));
    expect(batches.length).toBeGreaterThan(10);
    const random = randomStream(SEED, 'wire-fuzz batches');
    let decodedCount = 0;
    many(BATCHES, (index) => {
      const bytes = resealed(damaged(batches[index % batches.length]!, random));
      const decoded = decodeOrRefuse('batch', bytes, (given) => decodeRecordBatches(given, 'report'));
      if (decoded?.batches.some(({ crcOk }) => crcOk) === true) decodedCount++;
    });
    expect(decodedCount / BATCHES).toBeGreaterThan(0.1);
    expect(decodedCount / BATCHES).toBeLessThan(0.9);
  });

  it('as streams in pieces: frames or a WireError, and never more held than was sent', () => {
    const random = randomStream(SEED, 'wire-fuzz streams');
    for (let index = 0; index < STREAMS; index++) {
      const stream = damaged(Buffer.concat([1, 2, 3].map(() => withLength(random.pick(frames).frame))), random);
      const splitter = new FrameSplitter(1_000_000);
      decodeOrRefuse('stream', stream, (given) => {
        let sent = 0;
        for (const piece of pieces(given, random)) {
          splitter.push(piece);
          sent += piece.length;
          expect(splitter.heldBytes).toBeLessThanOrEqual(sent);
        }
      });
    }
  });
});

/** Gives the first batch a checksum that fits, so that the damage reaches the records. */
const resealed = (bytes: Buffer): Buffer => {
  if (bytes.length < 61) return bytes;
  const copy = Buffer.from(bytes);
  const claimed = 12 + copy.readInt32BE(8);
  if (claimed >= 61 && claimed <= copy.length) sealBatch(copy, 0, claimed);
  return copy;
};

const withLength = (frame: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(frame.length);
  return Buffer.concat([length, frame]);
};

const pieces = (bytes: Buffer, random: Random): readonly Buffer[] => {
  const list: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + random.integer(200);
    list.push(bytes.subarray(at, at + size));
    at += size;
  }
  return list;
};
