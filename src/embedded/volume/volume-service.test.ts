// One boot of the volume after another over the same folder: what was synced is there, what was not is gone, and who was shut out
// stays so.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderDisk } from './disk.ts';
import { CHUNK_BYTES, type VolumeAnswer, type VolumeRequest } from './protocol.ts';
import { VolumeService } from './volume-service.ts';

let folder: string;
let service: VolumeService;

/** Drops what is in memory. */
const cutPower = async (): Promise<void> => {
  service = await VolumeService.open(await FolderDisk.open(folder));
};

const ask = async (request: VolumeRequest, text?: string): Promise<VolumeAnswer> =>
  await service.perform(request, text === undefined ? undefined : Buffer.from(text));

const textOf = ({ bytes = new Uint8Array(0) }: VolumeAnswer): string => Buffer.from(bytes).toString();

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-volume-'));
  await cutPower();
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const mine = { volume: 'v', holder: 'me' };

describe('a block volume', () => {
  it('shows what was written at once, and after a cut of power what was synced', async () => {
    await ask({ op: 'attach', ...mine });
    const { boot } = await ask({ op: 'write', ...mine, at: 4096 }, 'synced');
    expect(await ask({ op: 'sync', ...mine, boot })).toMatchObject({ status: 'done' });
    await ask({ op: 'write', ...mine, at: 8192 }, 'not synced');
    expect(textOf(await ask({ op: 'read', volume: 'v', at: 8192, length: 10 }))).toBe('not synced');
    await cutPower();
    expect(textOf(await ask({ op: 'read', volume: 'v', at: 4096, length: 6 }))).toBe('synced');
    expect(textOf(await ask({ op: 'read', volume: 'v', at: 8192, length: 10 }))).toBe('\0'.repeat(10));
    expect(await ask({ op: 'extent', volume: 'v' })).toMatchObject({ start: 0, end: 4102 });
  });

  it('does not say of a write that was lost that it is synced', async () => {
    await ask({ op: 'attach', ...mine });
    const { boot } = await ask({ op: 'write', ...mine, at: 0 }, 'lost');
    await cutPower();
    expect(await ask({ op: 'sync', ...mine, boot })).toMatchObject({ status: 'power-cut' });
  });

  it('lets nobody write but its holder, and him no more once it is fenced, whatever is cut', async () => {
    await ask({ op: 'attach', ...mine });
    expect(await ask({ op: 'attach', ...mine })).toMatchObject({ status: 'done' });
    expect(await ask({ op: 'attach', volume: 'v', holder: 'other' })).toMatchObject({ status: 'fenced' });
    expect(await ask({ op: 'write', volume: 'v', holder: 'other', at: 0 }, 'x')).toMatchObject({ status: 'fenced' });
    await ask({ op: 'fence', volume: 'v' });
    for (const cut of [false, true]) {
      if (cut) await cutPower();
      expect(await ask({ op: 'write', ...mine, at: 0 }, 'late')).toMatchObject({ status: 'fenced' });
      expect(await ask({ op: 'sync', ...mine })).toMatchObject({ status: 'fenced' });
      expect(await ask({ op: 'discard', ...mine, below: CHUNK_BYTES })).toMatchObject({ status: 'fenced' });
      expect(await ask({ op: 'attach', ...mine })).toMatchObject({ status: 'fenced' });
      expect(await ask({ op: 'sync', volume: 'v' })).toMatchObject({ status: 'done' });
    }
  });

  it('answers no sync `done` that a fence overtook', async () => {
    await ask({ op: 'attach', ...mine });
    const { boot } = await ask({ op: 'write', ...mine, at: 0 }, 'x');
    const sync = ask({ op: 'sync', ...mine, boot });
    await ask({ op: 'fence', volume: 'v' });
    expect(await sync).toMatchObject({ status: 'fenced' });
  });

  it('writes across chunks and gives whole ones back', async () => {
    await ask({ op: 'attach', ...mine });
    await ask({ op: 'write', ...mine, at: CHUNK_BYTES - 2 }, 'abcd');
    await ask({ op: 'sync', ...mine });
    expect(textOf(await ask({ op: 'read', volume: 'v', at: CHUNK_BYTES - 3, length: 6 }))).toBe('\0abcd\0');
    await ask({ op: 'discard', ...mine, below: CHUNK_BYTES + 1 });
    expect(await ask({ op: 'extent', volume: 'v' })).toMatchObject({ start: CHUNK_BYTES, end: CHUNK_BYTES + 2 });
    await cutPower();
    expect(textOf(await ask({ op: 'read', volume: 'v', at: CHUNK_BYTES - 2, length: 4 }))).toBe('\0\0cd');
  });

  it('is not there before it was made', async () => {
    expect(await ask({ op: 'read', volume: 'v', at: 0, length: 1 })).toMatchObject({ status: 'missing' });
    await expect(ask({ op: 'attach', volume: '../v', holder: 'me' })).rejects.toThrow(/no name of a volume/);
  });
});

describe('the shared directory', () => {
  it('keeps names at once and bytes once they are committed, those of other files with them', async () => {
    const { handle = '' } = await ask({ op: 'create', path: 'a/1' });
    const other = await ask({ op: 'create', path: 'a/2' });
    await ask({ op: 'put', handle: other.handle ?? '' }, 'beside');
    const { boot } = await ask({ op: 'put', handle }, 'committed');
    expect(await ask({ op: 'commit', handle, boot })).toMatchObject({ status: 'done' });
    await ask({ op: 'create', path: 'a/3' });
    await cutPower();
    expect(textOf(await ask({ op: 'get', path: 'a/1' }))).toBe('committed');
    expect(textOf(await ask({ op: 'get', path: 'a/2' }))).toBe('beside');
    expect((await ask({ op: 'names', prefix: 'a/' })).names).toEqual(['a/1', 'a/2', 'a/3']);
    expect(await ask({ op: 'check', handle })).toMatchObject({ status: 'done' });
  });

  it('loses what was not committed, and says so to who wants to commit it afterwards', async () => {
    const { handle = '' } = await ask({ op: 'create', path: 'a' });
    const { boot } = await ask({ op: 'put', handle }, 'lost');
    await cutPower();
    expect(await ask({ op: 'commit', handle, boot })).toMatchObject({ status: 'power-cut' });
    expect(textOf(await ask({ op: 'get', path: 'a' }))).toBe('');
  });

  it('calls a handle stale once its file is removed, also when another one has its name', async () => {
    const { handle = '' } = await ask({ op: 'create', path: 'a' });
    await ask({ op: 'remove', path: 'a' });
    await ask({ op: 'remove', path: 'a' });
    const again = await ask({ op: 'create', path: 'a' });
    expect(again).toMatchObject({ status: 'done' });
    expect(await ask({ op: 'create', path: 'a' })).toMatchObject({ status: 'exists', handle: again.handle });
    for (const cut of [false, true]) {
      if (cut) await cutPower();
      expect(await ask({ op: 'check', handle })).toMatchObject({ status: 'stale' });
      expect(await ask({ op: 'put', handle }, 'late')).toMatchObject({ status: 'stale' });
      expect(await ask({ op: 'commit', handle, boot: service.boot })).toMatchObject({ status: 'stale' });
    }
    expect(textOf(await ask({ op: 'get', path: 'a' }))).toBe('');
    expect(await ask({ op: 'get', path: 'b' })).toMatchObject({ status: 'missing' });
  });

  it('does not let a commit that is under way bring a removed file back', async () => {
    const { handle = '' } = await ask({ op: 'create', path: 'a' });
    const { boot } = await ask({ op: 'put', handle }, 'gone');
    const commit = ask({ op: 'commit', handle, boot });
    await ask({ op: 'remove', path: 'a' });
    expect(await commit).toMatchObject({ status: 'stale' });
    await cutPower();
    expect(await ask({ op: 'get', path: 'a' })).toMatchObject({ status: 'missing' });
  });
});
