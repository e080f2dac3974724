import { execFileSync } from 'node:child_process';
import { describe, expect, it, vi } from 'vitest';
import { holdPort } from '../test/support/port-claim.ts';
import { claimPort, portsOf, releasePorts, steadyRange } from './ports.ts';

/** Draws from where every process with this id begins. */
const freshPorts = async (): Promise<typeof import('./ports.ts')> => {
  vi.resetModules();
  return await import('./ports.ts');
};

describe('ports that stay free', () => {
  it.each([
    ['Linux as it is delivered', 32_768, 60_999, { first: 12_000, last: 31_999 }],
    ['the range the authorities set aside', 49_152, 65_535, { first: 12_000, last: 31_999 }],
    ['a range that begins low', 16_000, 65_535, { first: 2_000, last: 15_999 }],
    ['a range that leaves room above only', 1_024, 50_000, { first: 50_001, last: 65_535 }],
    ['a range that leaves room nowhere', 1_024, 65_535, { first: 12_000, last: 31_999 }],
    ['a range below ours', 2_000, 9_000, { first: 12_000, last: 31_999 }],
  ])('lie outside the range of outgoing connections: %s', (_, low, high, expected) => {
    expect(steadyRange(low, high)).toEqual(expected);
  });

  it('come in turn, begin again at the end, and differ between processes that were started one after the other', () => {
    const range = { first: 100, last: 1_099 };
    const take = (processId: number, count: number): readonly number[] => {
      const ports = portsOf(range, processId);
      return Array.from({ length: count }, () => ports.next().value);
    };
    expect(take(1, 3)).toEqual([311, 312, 313]);
    expect(take(2, 1)).toEqual([522]);
    expect(new Set(take(3, 1_000)).size).toBe(1_000);
    expect(take(3, 1_001).at(-1)).toBe(take(3, 1)[0]);
  });

  it('are not given twice by one process', async () => {
    const ports: number[] = [];
    for (let count = 0; count < 100; count++) ports.push(await claimPort());
    expect(new Set(ports).size).toBe(100);
    releasePorts(ports);
  });

  // Red before: 1,000 claimed ports in a row, and there was none for a process that began to draw there.
  it('are found beyond a crowd of claimed ones', async () => {
    const crowding = await freshPorts();
    const crowd: number[] = [];
    for (let count = 0; count < 1_500; count++) crowd.push(await crowding.claimPort());
    const { claimPort: claimBeside, releasePorts: releaseBeside } = await freshPorts();
    const next = await claimBeside();
    expect(crowd).not.toContain(next);
    expect(await holdPort(next)).toBeUndefined();
    releaseBeside([next]);
    crowding.releasePorts(crowd);
  });

  // Red before: a killed broker's port was given to another cluster that started meanwhile.
  it('are not given to another process while this one lives, listened on or not', async () => {
    const port = await claimPort();
    const claiming = `require('node:dgram').createSocket('udp4').on('error', (e) => console.log(e.code)).bind(
      { address: '127.0.0.1', port: ${port} }, function () { console.log('claimed'); this.close(); })`;
    const other = (): string => execFileSync(process.execPath, ['-e', claiming]).toString().trim();
    expect(other()).toBe('EADDRINUSE');
    releasePorts([port]);
    await expect.poll(other).toBe('claimed');
  });
});
