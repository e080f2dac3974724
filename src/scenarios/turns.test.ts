import { expect, test } from 'vitest';
import { VirtualClock } from '../../test/faults/virtual-clock.ts';
import { Turns } from './turns.ts';

interface Bench {
  readonly log: string[];
  readonly take: (name: string, patienceMs: number, lastsMs: number) => Promise<string | undefined>;
  readonly run: (works: readonly Promise<unknown>[]) => Promise<unknown>;
}

const bench = (): Bench => {
  const clock = new VirtualClock();
  const turns = new Turns(clock);
  const log: string[] = [];
  return {
    log,
    take: async (name, patienceMs, lastsMs) =>
      await turns.take(patienceMs, async () => {
        log.push(`${name} from ${clock.now()}`);
        await clock.sleep(lastsMs);
        if (lastsMs > 500) throw new Error('broken');
        return name;
      }),
    run: async (works) => await clock.run(Promise.all(works)),
  };
};

test('the next one begins when the one before is over, in the order they came', async () => {
  const { take, run, log } = bench();
  expect(await run([take('a', 1000, 100), take('b', 1000, 50), take('c', 1000, 10)])).toEqual(['a', 'b', 'c']);
  expect(log).toEqual(['a from 0', 'b from 100', 'c from 150']);
});

test('who cannot wait that long does without, and holds up nobody after it', async () => {
  const { take, run, log } = bench();
  expect(await run([take('a', 1000, 400), take('b', 300, 50), take('c', 1000, 10)])).toEqual(['a', undefined, 'c']);
  expect(log).toEqual(['a from 0', 'c from 400']);
});

test('what fails makes way all the same', async () => {
  const { take, run, log } = bench();
  const broken = take('a', 1000, 600).catch(String);
  expect(await run([broken, take('b', 1000, 50)])).toEqual(['Error: broken', 'b']);
  expect(log).toEqual(['a from 0', 'b from 600']);
});
