// A slot on a volume is read back as a whole or not at all.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeFrameHeader, encodeFrame, MOST_HEADER_BYTES, slotOf } from './frame.ts';

const key = 'broker-1-abc/topic/0/7/000000000012';

describe('a frame', () => {
  it('is what was written, whatever stands behind it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 40 }), (slot, rest) => {
        const frame = encodeFrame(key, 8192, slot);
        const bytes = Buffer.concat([frame, rest]);
        expect(slotOf(bytes, key)).toEqual(slot);
        expect(decodeFrameHeader(bytes)).toMatchObject({ key, position: 8192, sizeBytes: frame.length });
      }),
    );
  });

  it('that is there in part is none, wherever it was torn', () => {
    const frame = encodeFrame(key, 0, Buffer.from('a slot that is torn'));
    for (let whole = 0; whole < frame.length; whole++) {
      const zeroed = new Uint8Array(frame.length);
      zeroed.set(frame.subarray(0, whole));
      expect(slotOf(zeroed, key), `${whole} bytes`).toBeUndefined();
      expect(slotOf(frame.subarray(0, whole), key), `${whole} bytes`).toBeUndefined();
    }
  });

  it('is taken all the same by who accepts torn ones, once its header is there', () => {
    const frame = encodeFrame(key, 0, Buffer.from('a slot that is torn'));
    const torn = frame.subarray(0, frame.length - 4);
    expect(Buffer.from(slotOf(torn, key, 'accepted') ?? []).toString()).toBe('a slot that is \0\0\0\0');
    expect(slotOf(frame.subarray(0, 20), key, 'accepted')).toBeUndefined();
  });

  it('is the slot of its own key only, and its header is no longer than who looks for it reads', () => {
    const frame = encodeFrame(key, 0, Buffer.from('x'));
    expect(slotOf(frame, `${key}3`)).toBeUndefined();
    expect(frame.length).toBeLessThan(MOST_HEADER_BYTES / 2);
  });
});
