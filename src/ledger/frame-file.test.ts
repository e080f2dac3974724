import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FileDamage, type FileHeader, FrameWriter, readFrames } from './frame-file.ts';

const HEADER = { kind: 'ledger', run: 'r-1', wallMs: 1 } as const;
const FRAME_HEADER = 12;
let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-frames-'));
  path = join(directory, 'ledger', 'x.rows');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const write = (...payloads: readonly string[]): number[] => {
  const writer = new FrameWriter(path, HEADER);
  const ends = payloads.map((payload) => {
    writer.frame(Buffer.from(payload));
    return writer.bytesWritten;
  });
  writer.close();
  return ends;
};

const read = (): { header: FileHeader | undefined; payloads: string[]; damage: FileDamage } => {
  let header: FileHeader | undefined;
  const payloads: string[] = [];
  const frames = readFrames(path, (found) => {
    header = found;
  });
  for (;;) {
    const next = frames.next();
    if (next.done === true) return { header, payloads, damage: next.value };
    payloads.push(`${next.value.afterHole ? 'after a hole: ' : ''}${next.value.payload.toString()}`);
  }
};

describe('a frame file', () => {
  it('gives back header and frames in order', () => {
    write('one', 'two', '');
    const { header, payloads, damage } = read();
    expect(header).toEqual(HEADER);
    expect(payloads).toEqual(['one', 'two', '']);
    expect(damage).toMatchObject({ tornBytes: 0, holes: [] });
  });

  it('reads frames that are larger than its window', () => {
    const large = 'x'.repeat(3_000_000);
    write('a', large, 'b');
    expect(read().payloads).toEqual(['a', large, 'b']);
  });

  it('takes an unfinished last frame for a torn tail', () => {
    const [end = 0] = write('one', 'two');
    writeFileSync(path, readFileSync(path).subarray(0, end + FRAME_HEADER + 1));
    expect(read().payloads).toEqual(['one']);
    expect(read().damage).toMatchObject({ tornBytes: FRAME_HEADER + 1, holes: [] });
  });

  it('tells a damaged frame in the middle and goes on after it', () => {
    const [end = 0] = write('one', 'two', 'three');
    const bytes = readFileSync(path);
    bytes[end + FRAME_HEADER] = 0;
    writeFileSync(path, bytes);
    expect(read().payloads).toEqual(['one', 'after a hole: three']);
    expect(read().damage.holes).toEqual([{ at: end, bytes: FRAME_HEADER + 3 }]);
  });

  it('never believes a length field that points past the file', () => {
    const [end = 0] = write('one', 'two', 'three');
    const bytes = readFileSync(path);
    bytes.writeUInt32LE(0xffff_fff0, end + 4);
    writeFileSync(path, bytes);
    expect(read().payloads).toEqual(['one', 'after a hole: three']);
  });

  it('is not misled by its own marker inside a payload', () => {
    write('FRM1FRM1', 'FRM1');
    appendFileSync(path, 'FRM1 and no more');
    expect(read().payloads).toEqual(['FRM1FRM1', 'FRM1']);
    expect(read().damage.tornBytes).toBe(16);
  });

  it('refuses what is not one of our files, and what is not there', () => {
    write('one');
    writeFileSync(path, 'PK something else entirely');
    expect(() => read()).toThrow('does not begin as one');
    rmSync(path);
    expect(() => read()).toThrow('Cannot open');
  });
});
