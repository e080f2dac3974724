// The known ways to get fencing by conditional write wrong, each as a schedule played by hand. Broker a is the owner that does
// not know that it has been replaced, b its successor, c the one after that. The partition is partition 0 of topic t.
import { describe, expect, it } from 'vitest';
import { HandSchedule } from './hand-schedule.ts';

const stored = (baseOffset: number, duplicate = false): object => ({ outcome: 'stored', baseOffset, duplicate });
const NOT_OWNER = { outcome: 'not-owner' };

describe('trap: create succeeds because the slot was trimmed', () => {
  it('a former owner whose slot was recovered, uploaded and trimmed creates it again and is not acknowledged', async () => {
    const hand = new HandSchedule();
    const [a, b] = [hand.broker('a'), hand.broker('b')];
    const slot = hand.slotKey(1, 0);
    const first = await hand.own(a, 1);
    hand.doom(`create ${slot}`, 'unanswered');
    const append = hand.append(first);
    await hand.step(`create ${slot} of a arrives`);
    a.process.isPaused = true;

    const second = await hand.own(b, 2);
    await hand.flush(second);
    expect(hand.hasObject(slot)).toBe(false);

    a.process.isPaused = false;
    await hand.step(`a gets no answer to create ${slot}`);
    await hand.wake(a);
    await hand.step(`create ${slot} of a arrives`);
    expect(hand.hasObject(slot)).toBe(true);
    await hand.run();
    expect(append.result).toEqual(NOT_OWNER);
    expect(await hand.read(second)).toEqual([1]);
  });

  it('what the former owner left there is swept by the next takeover and never read', async () => {
    const hand = new HandSchedule();
    const [a, b, c] = [hand.broker('a'), hand.broker('b'), hand.broker('c')];
    const first = await hand.own(a, 1);
    hand.doom(`create ${hand.slotKey(1, 0)}`, 'held');
    hand.append(first);
    await hand.world.settle();
    const second = await hand.own(b, 2);
    const append = hand.append(second);
    await hand.run();
    expect(append.result).toEqual(stored(0));
    hand.world.releaseHeld();
    await hand.run();
    expect(hand.hasObject(hand.slotKey(1, 0))).toBe(true);

    const third = await hand.own(c, 3);
    expect(await hand.read(third)).toEqual([2]);
    expect(hand.hasObject(hand.slotKey(1, 0))).toBe(false);
  });
});

describe("trap: the owner's own retry answered 412", () => {
  it('an append whose answer was lost is acknowledged once, from the slot that the first attempt made', async () => {
    const hand = new HandSchedule();
    const a = hand.broker('a');
    const slot = hand.slotKey(1, 0);
    const log = await hand.own(a, 1);
    hand.doom(`create ${slot}`, 'unanswered', 'unanswered');
    const append = hand.append(log);
    await hand.run();
    await hand.wake(a);
    await hand.run();
    expect(append.result).toBeUndefined();
    await hand.wake(a);
    await hand.run();
    expect(append.result).toEqual(stored(0));
    expect(await hand.read(log)).toEqual([1]);
  });

  it('a commit of the index whose answer was lost is recognised, and the owner stays the owner', async () => {
    const hand = new HandSchedule();
    const a = hand.broker('a');
    const log = await hand.own(a, 1);
    hand.append(log);
    await hand.run();
    hand.doom('replace meta/t/0/index', 'unanswered');
    await hand.flush(log);
    await hand.wake(a);
    await hand.run();
    expect(log.stats().uploadedEnd).toBe(1);
    expect(log.isOwner).toBe(true);
  });

  it('a claim of the epoch whose answer was lost is recognised as our own', async () => {
    const hand = new HandSchedule();
    const a = hand.broker('a');
    hand.doom('create meta/t/0/epoch', 'unanswered');
    a.assign(1);
    await hand.run();
    await hand.wake(a);
    await hand.run();
    expect(a.logs).toHaveLength(1);
  });
});

describe('trap: holes with several appends in flight', () => {
  it('later slots are not acknowledged while an earlier one is missing, and are when it is there', async () => {
    const hand = new HandSchedule();
    const log = await hand.own(hand.broker('a'), 1);
    const appends = [hand.append(log), hand.append(log), hand.append(log)];
    const missing = `create ${hand.slotKey(1, 0)} of a arrives`;
    await hand.run([missing]);
    expect(appends.map(({ result }) => result)).toEqual([undefined, undefined, undefined]);
    expect(log.highWatermark).toBe(0);
    await hand.step(missing);
    await hand.run();
    expect(appends.map(({ result }) => result)).toEqual([stored(0), stored(1), stored(2)]);
  });

  it('recovery stops at the hole, and filling it later brings nothing back', async () => {
    const hand = new HandSchedule();
    const [a, b, c] = [hand.broker('a'), hand.broker('b'), hand.broker('c')];
    const first = await hand.own(a, 1);
    const appends = [hand.append(first), hand.append(first), hand.append(first)];
    const missing = `create ${hand.slotKey(1, 1)} of a arrives`;
    await hand.run([missing]);
    expect(appends.map(({ result }) => result)).toEqual([stored(0), undefined, undefined]);

    const second = await hand.own(b, 2, [missing]);
    expect(second.endOffset).toBe(1);
    const append = hand.append(second);
    await hand.run([missing]);
    expect(append.result).toEqual(stored(1));

    await hand.step(missing);
    await hand.run();
    expect(appends.map(({ result }) => result)).toEqual([stored(0), NOT_OWNER, NOT_OWNER]);
    const third = await hand.own(c, 3);
    expect(await hand.read(third)).toEqual([1, 4]);
  });
});

describe('trap: late commit of an abandoned put', () => {
  it('a slot that arrives again after it was trimmed does not come back into the log', async () => {
    const hand = new HandSchedule();
    const [a, b] = [hand.broker('a'), hand.broker('b')];
    const slot = hand.slotKey(1, 0);
    const first = await hand.own(a, 1);
    hand.doom(`create ${slot}`, 'twice');
    const append = hand.append(first);
    await hand.run();
    await hand.flush(first);
    expect(append.result).toEqual(stored(0));
    expect(hand.hasObject(slot)).toBe(false);
    hand.world.releaseHeld();
    await hand.run();
    expect(hand.hasObject(slot)).toBe(true);

    const second = await hand.own(b, 2);
    expect(await hand.read(second)).toEqual([1]);
    expect(hand.hasObject(slot)).toBe(false);
  });

  it('an abandoned commit of the index that arrives after a successor claimed it changes nothing', async () => {
    const hand = new HandSchedule();
    const [a, b] = [hand.broker('a'), hand.broker('b')];
    const first = await hand.own(a, 1);
    hand.append(first);
    await hand.run();
    hand.doom('replace meta/t/0/index', 'held');
    await hand.flush(first);
    const second = await hand.own(b, 2);
    hand.world.releaseHeld();
    await hand.run();
    await hand.flush(second);
    expect(await hand.read(second)).toEqual([1]);
    await hand.wake(a);
    await hand.run();
    expect(first.isOwner).toBe(false);
  });

  it('an abandoned claim of the epoch that arrives after a higher one changes nothing', async () => {
    const hand = new HandSchedule();
    const [a, b] = [hand.broker('a'), hand.broker('b')];
    hand.doom('create meta/t/0/epoch', 'held');
    a.assign(1);
    await hand.run();
    const log = await hand.own(b, 2);
    hand.world.releaseHeld();
    await hand.wake(a);
    await hand.run();
    expect(a.logs).toHaveLength(0);
    const append = hand.append(log);
    await hand.run();
    expect(append.result).toEqual(stored(0));
  });
});

describe('trap: interrupted takeover', () => {
  it('a successor that dies after any number of steps costs nothing acknowledged, and a third one takes over', async () => {
    let interrupted = 0;
    const outcomes = new Set<string | undefined>();
    for (let steps = 0; ; steps++) {
      const hand = new HandSchedule();
      const [a, b, c] = [hand.broker('a'), hand.broker('b'), hand.broker('c')];
      const first = await hand.own(a, 1);
      const before = hand.append(first);
      await hand.run();
      b.assign(2);
      for (let step = 0; step < steps && b.logs.length === 0; step++) await hand.step('of b arrives', 'b gets');
      const isComplete = b.logs.length > 0;
      hand.world.kill(b.process);
      if (!isComplete) interrupted++;
      const during = hand.append(first);
      await hand.run();
      const third = await hand.own(c, 3);
      const after = hand.append(third);
      await hand.run();
      const log = await hand.read(third);
      const mayBeMissing = during.result?.outcome === 'stored' ? [] : [[1, 3]];
      expect([[1, 2, 3], ...mayBeMissing]).toContainEqual(log);
      expect(before.result).toEqual(stored(0));
      expect(after.result).toEqual(stored(log.length - 1));
      outcomes.add(during.result?.outcome);
      if (isComplete) break;
    }
    expect(interrupted).toBeGreaterThan(8);
    expect(outcomes).toEqual(new Set(['stored', 'not-owner']));
  });
});

describe('trap: trim against recovery', () => {
  it('slots that a former owner uploads and trims during a recovery are found in the object instead', async () => {
    const hand = new HandSchedule();
    const [a, b] = [hand.broker('a'), hand.broker('b')];
    const first = await hand.own(a, 1);
    hand.append(first);
    hand.append(first);
    await hand.run();
    await hand.flush(first, ['replace meta/t/0/index of a arrives']);

    b.assign(2);
    const slotReads = `get ${hand.slotKey(1, 1)} of b arrives`;
    await hand.run(['replace meta/t/0/index of a arrives', slotReads]);
    await hand.step('replace meta/t/0/index of a arrives');
    await hand.run([slotReads]);
    expect(hand.hasObject(hand.slotKey(1, 1))).toBe(false);

    await hand.run();
    const second = b.logs[0];
    expect(second?.stats().uploadedEnd).toBe(2);
    expect(second && (await hand.read(second))).toEqual([1, 2]);
  });

  it('slots of a closed extent that vanish during a recovery are no damage when the index has moved', async () => {
    const hand = new HandSchedule();
    const [a, b, c] = [hand.broker('a'), hand.broker('b'), hand.broker('c')];
    const first = await hand.own(a, 1);
    hand.append(first);
    await hand.run();
    const second = await hand.own(b, 2);
    await hand.flush(second, ['replace meta/t/0/index of b arrives']);
    c.assign(3);
    const listing = 'list wal/t/0/ after  of c arrives';
    await hand.run(['replace meta/t/0/index of b arrives', listing]);
    await hand.step('replace meta/t/0/index of b arrives');
    await hand.run([listing]);
    await hand.run();
    const third = c.logs[0];
    expect(hand.oracle.violations).toEqual([]);
    expect(third && (await hand.read(third))).toEqual([1]);
  });
});

describe('a former owner', () => {
  it('answers an idempotent batch that it cannot place with not-owner, since its successor may have the one before', async () => {
    const hand = new HandSchedule();
    const [a, b] = [hand.broker('a'), hand.broker('b')];
    const first = await hand.own(a, 1);
    hand.append(first, { id: 7, sequence: 0 });
    await hand.run();
    const second = await hand.own(b, 2);
    hand.append(second, { id: 7, sequence: 1 });
    await hand.run();
    const late = hand.append(first, { id: 7, sequence: 2 });
    await hand.run();
    expect(late.result).toEqual(NOT_OWNER);
  });

  it('still shows what it had acknowledged and nothing else until it learns of its successor', async () => {
    const hand = new HandSchedule();
    const [a, b] = [hand.broker('a'), hand.broker('b')];
    const first = await hand.own(a, 1);
    hand.append(first);
    await hand.run();
    const second = await hand.own(b, 2);
    hand.append(second);
    hand.append(first);
    await hand.run(['get meta/t/0/epoch of a arrives']);
    expect(first.highWatermark).toBe(1);
    expect(await hand.read(second)).toEqual([1, 2]);
    await hand.run();
    expect(first.isOwner).toBe(false);
  });
});
