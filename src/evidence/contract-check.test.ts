import { describe, expect, it } from 'vitest';
import { mismatchesOf, type WantedTopic } from './contract-check.ts';

const wanted: WantedTopic = {
  topic: 'orders',
  partitions: 6,
  replicationFactor: 3,
  minInSyncReplicas: 2,
  uncleanLeaderElection: false,
  config: { 'cleanup.policy': 'delete' },
};
const config = new Map([
  ['min.insync.replicas', '2'],
  ['unclean.leader.election.enable', 'false'],
  ['cleanup.policy', 'delete'],
]);

const settingsOf = (...differences: readonly (readonly [string, string])[]): readonly string[] =>
  mismatchesOf(wanted, { partitions: 6, replicationFactor: 3 }, new Map([...config, ...differences])).map(
    ({ setting, wanted: expected, found }) => `${setting} ${expected}≠${found}`,
  );

describe('the contract check', () => {
  it('finds nothing where the topic is as wanted', () => {
    expect(settingsOf()).toEqual([]);
  });

  it('finds every setting that is not as wanted', () => {
    expect(settingsOf(['min.insync.replicas', '1'], ['cleanup.policy', 'compact'])).toEqual([
      'min.insync.replicas 2≠1',
      'cleanup.policy delete≠compact',
    ]);
    expect(settingsOf(['unclean.leader.election.enable', 'true'])).toHaveLength(1);
  });

  it('finds a topic that drops records by key although nothing is said of it', () => {
    const silent = { ...wanted, config: {} };
    const found = (policy: string): readonly string[] =>
      mismatchesOf(
        silent,
        { partitions: 6, replicationFactor: 3 },
        new Map([...config, ['cleanup.policy', policy]]),
      ).map(({ setting }) => setting);
    expect(found('delete')).toEqual([]);
    expect(found('compact,delete')).toEqual(['cleanup.policy']);
  });

  it('finds wrong counts', () => {
    expect(mismatchesOf(wanted, { partitions: 1, replicationFactor: 1 }, config)).toEqual([
      { setting: 'partitions', wanted: '6', found: '1' },
      { setting: 'replicationFactor', wanted: '3', found: '1' },
    ]);
  });

  it('takes silence about a setting for a mismatch, not for agreement', () => {
    expect(mismatchesOf(wanted, { partitions: 6, replicationFactor: 3 }, new Map())).toHaveLength(3);
  });
});
