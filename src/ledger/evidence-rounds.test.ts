import { expect, test } from 'vitest';
import { holdsNow, tellingSample } from './evidence-rounds.ts';

/** `100 y a` is a sample taken at 100 that holds and shows "a". */
const samples = (...texts: readonly string[]) =>
  texts.map((text) => {
    const [at = '', holds, seen = ''] = text.split(' ');
    return { at: Number(at), holds: holds === 'y', seen };
  });

// Red before: the first sample that held was shown as the proof of a fault that was never confirmed for want of the other one.
test('a kind is shown by the first round in which each of its samples holds', () => {
  const taken = samples('100 y a', '100 n b', '350 y c', '350 y d', '600 y e');
  expect(tellingSample(taken)).toEqual({ sample: { at: 350, holds: true, seen: 'c' }, holds: true });
});

test('a kind that no round shows is told by what the last one lacks', () => {
  const taken = samples('100 n a', '350 y b', '350 n c');
  expect(tellingSample(taken)).toEqual({ sample: { at: 350, holds: false, seen: 'c' }, holds: false });
  expect(tellingSample([])).toBeUndefined();
});

test('what holds now is what the whole newest round shows', () => {
  expect(holdsNow(samples('100 n a', '350 y b', '350 y c'))).toBe(true);
  expect(holdsNow(samples('100 y a', '350 n b', '350 y c'))).toBe(false);
  expect(holdsNow([])).toBe(false);
});
