// Red before: a pause whose brokers could not catch up while another fault kept a third one away was told to be unhealed, because its
// time for healing had passed meanwhile; the acks-one loss on Apache Kafka, on a busy machine.
import { expect, it } from 'vitest';
import { VirtualClock } from '../../test/faults/virtual-clock.ts';
import { awaitHealed } from './await-healed.ts';
import { withDeadline } from './deadline.ts';
import type { HealSample } from './fault.ts';
import { HealTime } from './heal-time.ts';

const ALLOWED_MS = 1000;

/** The healing of a fault beside another one that acts until `otherMs`; the cluster is well again `restMs` after that. */
const besideAnother = async (otherMs: number, restMs: number, othersMs: number): Promise<number> => {
  const clock = new VirtualClock();
  const othersUntil = (): number => Math.min(clock.now(), otherMs);
  const time = new HealTime({ clock, allowedMs: ALLOWED_MS, othersMs, othersUntil });
  const observeHealed = async (): Promise<readonly HealSample[]> => {
    await clock.sleep(10);
    return [{ kind: 'control', holds: clock.now() >= otherMs + restMs, seen: 'broker 2 is registered or not' }];
  };
  await clock.run(awaitHealed({ clock, time, what: 'it', fault: { observeHealed }, onRound: () => undefined }));
  return clock.now();
};

it('does not pass while another fault acts', async () => {
  expect(await besideAnother(5000, 500, 60_000)).toBeGreaterThan(5500);
});

it('passes once the other is put back', async () => {
  await expect(besideAnother(5000, 1100, 60_000)).rejects.toThrow(/it to be healed; last seen: broker 2/u);
});

it('passes beside another that lasts longer than it can', async () => {
  await expect(besideAnother(5000, 0, 3000)).rejects.toThrow(/Waited 40\d\d ms/u);
});

it('gives what puts a fault back the same time', async () => {
  const clock = new VirtualClock();
  const time = new HealTime({
    clock,
    allowedMs: ALLOWED_MS,
    othersMs: 60_000,
    othersUntil: () => Math.min(clock.now(), 3000),
  });
  const startWhenOthersAreBack = async (): Promise<string> => {
    await clock.sleep(3900);
    return 'started';
  };
  const options = { clock, ms: () => time.leftMs(), what: 'the start' };
  expect(await clock.run(withDeadline(options, startWhenOthersAreBack))).toBe('started');
  const never = withDeadline(options, async () => await new Promise<never>(() => undefined));
  await expect(clock.run(never)).rejects.toThrow(/Waited 100 ms for the start/u);
});
