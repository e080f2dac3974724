import { describe, expect, it } from 'vitest';
import { findProcess, parsePs, readProcess, signalProcess } from './process-table.ts';

describe('the process table', () => {
  it('shows this process as running since a fixed moment', () => {
    const first = readProcess(process.pid);
    expect(first).toMatchObject({ pid: process.pid });
    expect(first?.startedAt).toBeGreaterThan(0);
    expect(readProcess(process.pid)?.startedAt).toBe(first?.startedAt);
  });

  it('shows nothing for a number nobody has', () => {
    expect(readProcess(2 ** 22 + 1)).toBeUndefined();
  });

  it('does not take a process for another one that had the same number', () => {
    const other = { pid: process.pid, startedAt: 1 };
    expect(findProcess(other)).toBeUndefined();
    expect(signalProcess(other, 'SIGKILL')).toBe(false);
  });

  it('reads the state that ps prints', () => {
    expect(parsePs(7, 'T\n')).toEqual({ pid: 7, state: 'T', startedAt: 0 });
    expect(parsePs(7, 'Ss+\n')?.state).toBe('S');
    expect(parsePs(7, '')).toBeUndefined();
  });
});
