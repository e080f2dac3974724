// Finding and taking slots by offset and size.
import { describe, expect, it } from 'vitest';
import { UnuploadedSlots } from './unuploaded-slots.ts';

const filled = (): UnuploadedSlots => {
  const slots = new UnuploadedSlots();
  for (const slot of [0, 1, 2]) {
    slots.add({ key: `k${slot}`, epoch: 1, slot, baseOffset: slot * 10, endOffset: slot * 10 + 10, sizeBytes: 100 });
  }
  return slots;
};

const numbers = (slots: UnuploadedSlots, maxBytes: number): readonly number[] =>
  slots.oldest(maxBytes).map(({ slot }) => slot);

describe('UnuploadedSlots', () => {
  it('finds the slot that holds an offset', () => {
    expect([0, 9, 10, 29, 30].map((offset) => filled().at(offset)?.slot)).toEqual([0, 0, 1, 2, undefined]);
  });

  it('takes as many as fit, and at least one', () => {
    expect(numbers(filled(), 1)).toEqual([0]);
    expect(numbers(filled(), 200)).toEqual([0, 1]);
    expect(numbers(filled(), 299)).toEqual([0, 1]);
    expect(numbers(filled(), 300)).toEqual([0, 1, 2]);
    expect(numbers(new UnuploadedSlots(), 300)).toEqual([]);
  });

  it('forgets what was uploaded, its size included', () => {
    const slots = filled();
    slots.dropOldest(2);
    expect(slots.sizeBytes).toBe(100);
    expect(slots.at(5)).toBeUndefined();
    expect(slots.at(25)?.slot).toBe(2);
    slots.dropOldest(1);
    expect(slots.isEmpty).toBe(true);
  });
});
