// What both kinds of write-ahead log on a volume promise to the log, and how each of their defects breaks it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DirectVolume } from '../../../test/log-model/direct-volume.ts';
import type { DefectName } from '../../vocabulary.ts';
import type { SlotSpace, SlotWriter, WriteAheadLog } from '../log/write-ahead-log.ts';
import { createWal } from './wal-kinds.ts';

const KINDS = ['block', 'nfs'] as const;
const MIB = 1024 * 1024;

let folder: string;
let volume: DirectVolume;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-wal-'));
  volume = new DirectVolume(folder);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const never = new AbortController().signal;

/** The log as a broker of its own has it. */
const logOf = (kind: (typeof KINDS)[number], brokerId: number): WriteAheadLog =>
  createWal(kind, {
    brokerId,
    meta: undefined as never,
    objects: () => undefined as never,
    volume: () => volume,
  });

const writer = (epoch: number, defects: readonly DefectName[] = [], partition = 0): SlotWriter => ({
  topicId: 't',
  partition,
  brokerId: epoch,
  epoch,
  nonce: `n${epoch}`,
  defects: new Set(defects),
});

const write = async (space: SlotSpace, slot: number, text: string): Promise<string> =>
  await space.write(space.keyOf(slot), Buffer.from(text), never);

const open = ({ place }: SlotSpace, epoch: number) => ({ place, epoch, endSlot: null });

/** The slots that a successor of `space` builds on, by their numbers. */
const recovered = async (log: WriteAheadLog, space: SlotSpace, successor: SlotWriter): Promise<unknown> => {
  const listed = await log.list(successor, [open(space, 1)]);
  const found: Record<number, string | undefined> = {};
  for (const { key, slot } of listed) {
    const bytes = await log.recover(key, successor);
    found[slot] = bytes && Buffer.from(bytes).toString();
  }
  return found;
};

/** Leaves only the first `whole` bytes of the next write that carries `text`. */
const tear = (text: string, whole: number): void => {
  volume.before = (_request, bytes) =>
    bytes !== undefined && Buffer.from(bytes).includes(text)
      ? bytes.subarray(0, bytes.length - text.length + whole)
      : bytes;
};

describe.each(KINDS)('a write-ahead log of kind %s', (kind) => {
  it('keeps a slot that is durable, whatever is cut, for its owner and for a successor', async () => {
    const first = logOf(kind, 1);
    const space = await first.open(writer(1));
    expect(await write(space, 0, 'one')).toBe('durable');
    expect(await space.confirm()).toBe(true);
    volume.cutPower();
    expect(Buffer.from((await first.read(space.keyOf(0))) ?? []).toString()).toBe('one');
    expect(await recovered(logOf(kind, 2), space, writer(2))).toEqual({ 0: 'one' });
    expect(await first.read(space.keyOf(1))).toBeUndefined();
  });

  it('writes a slot again when power was cut between its write and its sync', async () => {
    const space = await logOf(kind, 1).open(writer(1));
    let cuts = 0;
    volume.before = ({ op }, bytes) => {
      if ((op === 'sync' || op === 'commit') && cuts++ === 0) volume.cutPower();
      return bytes;
    };
    expect(await write(space, 0, 'one')).toBe('durable');
    expect(cuts).toBe(2);
    volume.cutPower();
    expect(await recovered(logOf(kind, 2), space, writer(2))).toEqual({ 0: 'one' });
  });

  it('lets nobody acknowledge whose successor has looked, and what that one has seen stays', async () => {
    const first = logOf(kind, 1);
    const space = await first.open(writer(1, ['fsync-skipped']));
    await write(space, 0, 'written and not synced');
    expect(await recovered(logOf(kind, 2), space, writer(2))).toEqual({ 0: 'written and not synced' });
    volume.cutPower();
    expect(await recovered(logOf(kind, 3), space, writer(3))).toEqual({ 0: 'written and not synced' });
    const isShutOut = (await write(space, 1, 'late')) === 'shut-out' || !(await space.confirm());
    expect(isShutOut).toBe(true);
    const again = await first.open(writer(4));
    expect(again.place).not.toBe(space.place);
    expect(await write(again, 0, 'again')).toBe('durable');
    expect(await again.confirm()).toBe(true);
  });

  it('takes a torn slot for none, and finds those behind it', async () => {
    const log = logOf(kind, 1);
    const space = await log.open(writer(1));
    await write(space, 0, 'whole');
    tear('torn slot', 4);
    await write(space, 1, 'torn slot');
    await write(space, 2, 'behind it');
    expect(await recovered(logOf(kind, 2), space, writer(2))).toEqual({ 0: 'whole', 1: undefined, 2: 'behind it' });
  });

  it('keeps the slots of partitions apart, and forgets those that are deleted', async () => {
    const log = logOf(kind, 1);
    const space = await log.open(writer(1));
    const other = await log.open(writer(1, [], 7));
    await write(space, 0, 'mine');
    await write(other, 0, 'of another partition');
    expect(await recovered(logOf(kind, 2), space, writer(2))).toEqual({ 0: 'mine' });
    await log.deleteAll([space.keyOf(0), space.keyOf(5)]);
    expect(await log.read(space.keyOf(0))).toBeUndefined();
    expect(Buffer.from((await log.read(other.keyOf(0))) ?? []).toString()).toBe('of another partition');
  });

  it('loses what was said to be durable with the defect fsync-skipped', async () => {
    const space = await logOf(kind, 1).open(writer(1, ['fsync-skipped']));
    expect(await write(space, 0, 'one')).toBe('durable');
    volume.cutPower();
    expect(await recovered(logOf(kind, 2), space, writer(2))).not.toMatchObject({ 0: 'one' });
  });

  it('builds on half a slot with the defect torn-tail-accepted', async () => {
    const space = await logOf(kind, 1).open(writer(1));
    tear('torn slot', 4);
    await write(space, 0, 'torn slot');
    const found = await recovered(logOf(kind, 2), space, writer(2, ['torn-tail-accepted']));
    expect(found).toEqual({ 0: `torn${'\0'.repeat(5)}` });
  });
});

describe('a write-ahead log of kind block', () => {
  it('leaves a volume to its holder with the defect attach-without-fencing', async () => {
    const space = await logOf('block', 1).open(writer(1));
    await recovered(logOf('block', 2), space, writer(2, ['attach-without-fencing']));
    expect(await write(space, 0, 'late')).toBe('durable');
    expect(await space.confirm()).toBe(true);
  });

  it('gives back the space below the oldest slot that is needed', async () => {
    const log = logOf('block', 1);
    const space = await log.open(writer(1));
    for (const slot of [0, 1, 2]) await space.write(space.keyOf(slot), Buffer.alloc(3 * MIB), never);
    const start = async (): Promise<number | undefined> =>
      (await volume.call({ op: 'extent', volume: space.place.split('/')[0] ?? '' })).start;
    await log.deleteAll([space.keyOf(1)]);
    expect(await start()).toBe(0);
    await log.deleteAll([space.keyOf(0)]);
    expect(await start()).toBe(4 * MIB);
    expect((await log.read(space.keyOf(2)))?.length).toBe(3 * MIB);
  });

  it('keeps no space for the slots of a topic that is no more', async () => {
    const log = logOf('block', 1);
    const space = await log.open(writer(1));
    const other = await log.open({ ...writer(1), topicId: 'u' });
    await space.write(space.keyOf(0), Buffer.alloc(5 * MIB), never);
    await write(other, 0, 'of another topic');
    log.forgetTopic('t');
    await log.deleteAll([other.keyOf(5)]);
    const [name = ''] = space.place.split('/');
    expect(await volume.call({ op: 'extent', volume: name })).toMatchObject({ start: 4 * MIB });
    expect(Buffer.from((await log.read(other.keyOf(0))) ?? []).toString()).toBe('of another topic');
  });

  it('looks through a volume from where it begins', async () => {
    const log = logOf('block', 1);
    const space = await log.open(writer(1));
    await space.write(space.keyOf(0), Buffer.alloc(5 * MIB, 'x'), never);
    await write(space, 1, 'behind it');
    await log.deleteAll([space.keyOf(0)]);
    expect(await recovered(logOf('block', 2), space, writer(2))).toEqual({ 1: 'behind it' });
  });
});

describe('a write-ahead log of kind nfs', () => {
  it('tells its owner that the handle is stale, and with the defect stale-nfs-handle it makes another', async () => {
    const spaces = [await logOf('nfs', 1).open(writer(1)), await logOf('nfs', 2).open(writer(2, ['stale-nfs-handle']))];
    const answers: boolean[] = [];
    for (const [index, space] of spaces.entries()) {
      await logOf('nfs', 3).list(writer(3), [open(space, index + 1)]);
      answers.push(await space.confirm(), await space.confirm());
    }
    expect(answers).toEqual([false, false, true, true]);
  });

  it('is not let in again by a file that is made anew, as by a request that arrives late', async () => {
    const space = await logOf('nfs', 1).open(writer(1));
    await logOf('nfs', 2).list(writer(2), [open(space, 1)]);
    await volume.call({ op: 'create', path: `${space.place}owner` });
    expect(await space.confirm()).toBe(false);
  });
});
