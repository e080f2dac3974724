// A disk that fills up while a run goes on. Most lines are told by watchers whose calls nobody awaits: an error thrown there
// would end the program before it has healed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runOrder } from './run-order.ts';
import { createTimeline } from './timeline-writer.ts';

const disk = vi.hoisted(() => ({ isFull: false }));
vi.mock(import('node:fs'), async (load) => {
  const real = await load();
  const writeSync = ((...call: Parameters<typeof real.writeSync>) => {
    if (disk.isFull) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    return real.writeSync(...call);
  }) as typeof real.writeSync;
  return { ...real, writeSync };
});

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-timeline-'));
});
afterEach(() => {
  disk.isFull = false;
  rmSync(directory, { recursive: true, force: true });
});

describe('a timeline on a full disk', () => {
  it('throws nothing into the watchers that write it, and tells whoever asks', () => {
    const timeline = createTimeline(directory, runOrder());
    timeline.write({ t: 'phase', at: 1, phase: 'steady' });
    timeline.assertWritten();
    disk.isFull = true;
    timeline.write({ t: 'note', at: 2, source: 'isr', text: 'lost' });
    expect(() => timeline.assertWritten()).toThrow('Cannot write to');
  });

  it('is never sealed after a line was lost, even if there is space again', async () => {
    const timeline = createTimeline(directory, runOrder());
    disk.isFull = true;
    timeline.write({ t: 'note', at: 2, source: 'isr', text: 'lost' });
    disk.isFull = false;
    timeline.write({ t: 'phase', at: 3, phase: 'steady' });
    expect(() => timeline.seal()).toThrow('Cannot write to');
    await expect((async () => await timeline.close())()).rejects.toThrow('Cannot write to');
  });
});
