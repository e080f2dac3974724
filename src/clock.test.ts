// A deadline that never comes is a run that never ends: signals with a deadline must outlive the garbage collector.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { deadlineSignal, systemClock } from './clock.ts';

/** The garbage collector, at will. */
const collectGarbage = (): void => {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
};

const aborted = async (signal: AbortSignal): Promise<unknown> =>
  await new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });

describe('deadlineSignal', () => {
  it('aborts after its time although garbage was collected in between', async () => {
    const parent = new AbortController();
    const ended = aborted(deadlineSignal(60, parent.signal));
    collectGarbage();
    expect(await ended).toMatchObject({ name: 'TimeoutError' });
  });

  it('aborts with the reason of its parent as soon as that aborts', async () => {
    const parent = new AbortController();
    const ended = aborted(deadlineSignal(60_000, parent.signal));
    const reason = new Error('stopped');
    parent.abort(reason);
    expect(await ended).toBe(reason);
  });

  it('is aborted from the beginning when its parent is', () => {
    expect(deadlineSignal(60_000, AbortSignal.abort()).aborted).toBe(true);
  });
});

describe('sleeping', () => {
  it.each([2 ** 31, 1e15, Infinity])('lasts, and can be aborted, when %d ms are asked for', async (ms) => {
    const abort = new AbortController();
    const slept = systemClock.sleep(ms, abort.signal).then(
      () => 'over',
      () => 'aborted',
    );
    expect(await Promise.race([slept, systemClock.sleep(20).then(() => 'still asleep')])).toBe('still asleep');
    abort.abort();
    expect(await slept).toBe('aborted');
  });
});
