// A slot is read back as it was written, and what is no slot is refused.
import { describe, expect, it } from 'vitest';
import { LogDamaged } from './log-damaged.ts';
import { decodeSlot, encodeSlot } from './slot.ts';

const HEADER = { epoch: 3, nonce: 'näme-1', slot: 5_000_000_000, baseOffset: 2 ** 40, endOffset: 2 ** 40 + 3 };
const encoded = (): Uint8Array => encodeSlot(HEADER, [new Uint8Array([1, 2]), new Uint8Array([3])]);

describe('slot', () => {
  it('comes back as it was written', () => {
    expect(decodeSlot(encoded(), 'k')).toEqual({ ...HEADER, batches: new Uint8Array([1, 2, 3]) });
  });

  it('refuses what is cut short or was never a slot', () => {
    for (const length of [0, 10, 35, 38]) {
      expect(() => decodeSlot(encoded().subarray(0, length), 'k')).toThrow(LogDamaged);
    }
    expect(() => decodeSlot(new Uint8Array(100), 'wal/x')).toThrow('wal/x is no slot of the log');
  });
});
