// Ways to damage a frame, each a pure function of the bytes and a random stream, so that a failing seed can be played again.
import type { Random } from '../../src/random.ts';

export type Mutation = (bytes: Buffer, random: Random) => Buffer;

const copyWith = (bytes: Buffer, change: (copy: Buffer) => void): Buffer => {
  const copy = Buffer.from(bytes);
  change(copy);
  return copy;
};

const position = (bytes: Buffer, random: Random, room = 1): number =>
  random.integer(Math.max(1, bytes.length - room + 1));

/** Numbers that hurt: negative counts, the largest ones, sizes just beyond the frame. */
const HOSTILE_INT32 = [-1, -2, 0, 1, 0x7fffffff, -0x80000000, 0x7ffffffe, 1_000_000, 65_536];
const HOSTILE_INT16 = [-1, -2, 0x7fff, -0x8000, 256];

const flipBit: Mutation = (bytes, random) =>
  copyWith(bytes, (copy) => {
    const at = position(copy, random);
    copy[at] = (copy[at] as number) ^ (1 << random.integer(8));
  });

const setByte: Mutation = (bytes, random) =>
  copyWith(bytes, (copy) => {
    copy[position(copy, random)] = random.pick([0, 1, 0x7f, 0x80, 0xff, random.integer(256)]);
  });

const setInt32: Mutation = (bytes, random) =>
  bytes.length < 4
    ? bytes
    : copyWith(bytes, (copy) => copy.writeInt32BE(random.pick(HOSTILE_INT32), position(copy, random, 4)));

const setInt16: Mutation = (bytes, random) =>
  bytes.length < 2
    ? bytes
    : copyWith(bytes, (copy) => copy.writeInt16BE(random.pick(HOSTILE_INT16), position(copy, random, 2)));

/** A varint of the largest value, or one that never ends. */
const setVarint: Mutation = (bytes, random) =>
  copyWith(bytes, (copy) => {
    const at = position(copy, random);
    copy.fill(0xff, at, Math.min(copy.length, at + 1 + random.integer(11)));
  });

const cutShort: Mutation = (bytes, random) => bytes.subarray(0, random.integer(bytes.length + 1));

const insert: Mutation = (bytes, random) => {
  const at = position(bytes, random);
  const extra = Buffer.from(Array.from({ length: 1 + random.integer(9) }, () => random.integer(256)));
  return Buffer.concat([bytes.subarray(0, at), extra, bytes.subarray(at)]);
};

const remove: Mutation = (bytes, random) => {
  const at = position(bytes, random);
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.integer(8))]);
};

const repeat: Mutation = (bytes, random) => {
  const at = position(bytes, random);
  const piece = bytes.subarray(at, at + 1 + random.integer(64));
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
};

const MUTATIONS: readonly Mutation[] = [
  flipBit,
  setByte,
  setInt32,
  setInt16,
  setVarint,
  cutShort,
  insert,
  remove,
  repeat,
];

/** One to three kinds of damage at once; most frames get one. */
export const damaged = (bytes: Buffer, random: Random): Buffer => {
  let result = random.pick(MUTATIONS)(bytes, random);
  for (let more = random.integer(6); more > 4; more--) result = random.pick(MUTATIONS)(result, random);
  return result;
};
