import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { processSpecSchema } from './target-spec.ts';
import { findTieredJars } from './tiered-jars.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ackproof-jars-'));
  mkdirSync(join(home, 'libs'));
  vi.stubEnv('ACKPROOF_TIERED_STORAGE', home);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

const find = (tiers: object = {}): readonly string[] =>
  findTieredJars(processSpecSchema.parse({ apiVersion: 'ackproof/v1', kind: 'process', ...tiers }), '4.1.2');

const put = (jar: string): string => {
  const file = join(home, 'libs', jar);
  writeFileSync(file, '');
  return file;
};

describe('the jars of a storage manager', () => {
  it('are none where there are no tiers', () => {
    expect(find()).toEqual([]);
  });

  it('are ours for a bucket, and Kafka’s own of the same version for a directory', () => {
    const ours = put('ackproof-tiered-storage.jar');
    const theirs = [put('kafka-storage-4.1.2-test.jar'), put('kafka-clients-4.1.2-test.jar')];
    expect(find({ tieredStorage: { manager: 's3' } })).toEqual([ours]);
    expect(find({ tieredStorage: { manager: 'local' } })).toEqual(theirs);
  });

  it('that are missing are told with how they are made', () => {
    put('kafka-storage-4.1.2-test.jar');
    expect(() => find({ tieredStorage: { manager: 'local' } })).toThrow(
      expect.objectContaining({
        code: 'TIERED_STORAGE_NOT_FOUND',
        message: expect.stringContaining('kafka-clients-4.1.2-test.jar'),
        hint: expect.stringContaining('docker/tiered-storage/build.sh'),
      }),
    );
  });
});
