import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogFollower } from './log-follower.ts';

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-follower-'));
  file = join(directory, 'broker-1.log');
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

describe('a followed log', () => {
  it('places each line at its first byte, also after characters of several bytes and halves of lines', async () => {
    writeFileSync(file, 'één\nha');
    const follower = new LogFollower(file);
    expect(await follower.newLines()).toEqual([{ text: 'één', position: 0 }]);
    appendFileSync(file, 'lf\nlast\n');
    expect(await follower.newLines()).toEqual([
      { text: 'half', position: 6 },
      { text: 'last', position: 11 },
    ]);
    expect(await follower.newLines()).toEqual([]);
  });

  it('reads everything to the end, of a large file as well', async () => {
    const line = `${'x'.repeat(99)}\n`;
    writeFileSync(file, line.repeat(25_000));
    const follower = new LogFollower(file);
    const lines = await follower.catchUp();
    expect(lines).toHaveLength(25_000);
    expect(lines.at(-1)?.position).toBe(24_999 * 100);
    expect(follower.readBytes).toBe(2_500_000);
  });

  it('begins anew with a file that became shorter', async () => {
    writeFileSync(file, 'one\ntwo\n');
    const follower = new LogFollower(file);
    await follower.catchUp();
    writeFileSync(file, 'new\n');
    expect(await follower.newLines()).toEqual([{ text: 'new', position: 0 }]);
  });

  it('has nothing of a file that is not there', async () => {
    expect(await new LogFollower(join(directory, 'none.log')).catchUp()).toEqual([]);
  });
});
