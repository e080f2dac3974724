import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EnvironmentError } from '../errors.ts';
import { Interruption } from './interruption.ts';
import { asRunTrouble } from './run-trouble.ts';

const thrownBy = (work: () => void): unknown => {
  try {
    work();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
};

describe('what kept a run from a verdict', () => {
  it.skipIf(process.platform !== 'linux')('is the environment when the disk is full', () => {
    const trouble = asRunTrouble(thrownBy(() => writeFileSync('/dev/full', 'x')));
    expect(trouble.kind).toBe('environment');
    expect(trouble.describe()).toContain('Free some space');
  });

  it('is ackproof when a file is missing that it made itself', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ackproof-trouble-'));
    expect(asRunTrouble(thrownBy(() => writeFileSync(join(folder, 'no/file'), 'x'))).kind).toBe('internal');
    rmSync(folder, { recursive: true });
  });

  it('is told as it is where it has a sentence already', () => {
    const known = new EnvironmentError('X', 'A sentence.');
    expect(asRunTrouble(known)).toBe(known);
  });

  it.each([
    ['SIGINT', 'interrupted'],
    ['SIGTERM', 'terminated'],
  ] as const)('is no fault of anybody when %s ended it', (signal, kind) => {
    const interruption = new Interruption();
    interruption.request(signal);
    expect(asRunTrouble(interruption.load.reason).kind).toBe(kind);
  });
});
