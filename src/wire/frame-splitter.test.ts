import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameSplitter } from './frame-splitter.ts';

const withLength = (frame: Uint8Array): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(frame.length);
  return Buffer.concat([length, frame]);
};

describe('a frame splitter', () => {
  it('gives the same frames wherever the stream is cut', () => {
    const frames = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 });
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (sent, sizes) => {
        const stream = Buffer.concat(sent.map(withLength));
        const splitter = new FrameSplitter(100);
        const received: Buffer[] = [];
        for (let at = 0, step = 0; at < stream.length; step++) {
          const size = sizes[step % sizes.length] as number;
          received.push(...splitter.push(stream.subarray(at, at + size)));
          at += size;
        }
        expect(received.map((frame) => [...frame])).toEqual(sent.map((frame) => [...frame]));
        expect(splitter.heldBytes).toBe(0);
      }),
    );
  });

  it('refuses negative lengths and lengths above its limit, before the frame has come', () => {
    for (const length of [-1, 101, 0x7fffffff, -0x80000000]) {
      const prefix = Buffer.alloc(4);
      prefix.writeInt32BE(length);
      expect(() => new FrameSplitter(100).push(prefix)).toThrow(/claims/);
    }
    expect(new FrameSplitter(100).push(withLength(Buffer.alloc(100)))).toHaveLength(1);
  });

  it('holds no more than was sent, whatever a length claims', () => {
    const splitter = new FrameSplitter(1_000_000_000);
    const prefix = Buffer.alloc(4);
    prefix.writeInt32BE(999_999_999);
    expect(splitter.push(prefix)).toEqual([]);
    expect(splitter.push(Buffer.alloc(10))).toEqual([]);
    expect(splitter.heldBytes).toBe(14);
  });
});
