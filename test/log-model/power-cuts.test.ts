// Power is cut before every single request that changes something on a volume, and amid every write to its disk, in a schedule with
// appends in flight, a takeover and another: whatever was acknowledged is there, once, and whole.
import { describe, expect, it } from 'vitest';
import type { PartitionLog } from '../../src/embedded/log/interfaces.ts';
import { type HandAppend, HandSchedule } from './hand-schedule.ts';
import type { ModelBroker } from './model-broker.ts';

const MOST_ROUNDS = 40;

/** Lets everything happen, sleeps too, until `isDone`. */
const until = async (hand: HandSchedule, isDone: () => boolean): Promise<void> => {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    await hand.run();
    if (isDone()) return;
    for (const process of hand.world.processes) for (const alarm of process.alarms.splice(0)) alarm.happen();
  }
  throw new Error('it never came');
};

const owned = async (hand: HandSchedule, broker: ModelBroker, epoch: number): Promise<PartitionLog> => {
  const found = (): PartitionLog | undefined => broker.logs.find(({ leaderEpoch }) => leaderEpoch === epoch);
  broker.assign(epoch);
  await until(hand, () => found() !== undefined);
  return found() as PartitionLog;
};

const isAnswered = ({ result }: HandAppend): boolean => result !== undefined;

/** The batches acknowledged and, in order, those that stand in the log at the end. */
const play = async (hand: HandSchedule): Promise<{ acknowledged: readonly number[]; log: readonly number[] }> => {
  const [a, b, c] = [hand.broker('a'), hand.broker('b'), hand.broker('c')];
  const first = await owned(hand, a, 1);
  const appends = [hand.append(first), hand.append(first), hand.append(first)];
  await until(hand, () => appends.some(isAnswered));
  const second = await owned(hand, b, 2);
  appends.push(hand.append(first), hand.append(second), hand.append(second));
  await until(hand, () => appends.every(isAnswered));
  const third = await owned(hand, c, 3);
  appends.push(hand.append(third));
  await until(hand, () => appends.every(isAnswered));
  const acknowledged = appends.flatMap(({ result }, index) => (result?.outcome === 'stored' ? [index + 1] : []));
  return { acknowledged, log: await hand.read(third) };
};

const expectKept = (hand: HandSchedule, played: Awaited<ReturnType<typeof play>>): void => {
  expect(played.log.filter((id) => played.acknowledged.includes(id))).toEqual(played.acknowledged);
  expect(new Set(played.log).size).toBe(played.log.length);
  expect(played.acknowledged).toContain(7);
  expect(hand.oracle.violations).toEqual([]);
};

describe.each(['block', 'nfs'] as const)('power that is cut, with a write-ahead log of kind %s', (wal) => {
  it('before any request that changes something costs nothing that was acknowledged', async () => {
    const cutBefore: string[] = [];
    for (let nth = 1; ; nth++) {
      const hand = new HandSchedule(wal);
      let seen = 0;
      hand.volume.beforeChange = ({ op }) => {
        if (++seen !== nth) return;
        cutBefore.push(op);
        hand.volume.cutPower();
      };
      expectKept(hand, await play(hand));
      if (seen < nth) break;
    }
    const everyKind = wal === 'block' ? ['attach', 'write', 'sync', 'fence'] : ['create', 'put', 'commit', 'remove'];
    expect(cutBefore).toEqual(expect.arrayContaining(everyKind));
    expect(cutBefore.length).toBeGreaterThan(15);
  });

  it('amid any write to its disk costs nothing that was acknowledged', async () => {
    let cuts = 0;
    for (let nth = 1; ; nth++) {
      const hand = new HandSchedule(wal);
      let seen = 0;
      hand.volume.onDisk = () => {
        if (++seen === nth) hand.volume.cutPower();
      };
      expectKept(hand, await play(hand));
      if (seen < nth) break;
      cuts++;
    }
    expect(cuts).toBeGreaterThan(10);
  });
});
