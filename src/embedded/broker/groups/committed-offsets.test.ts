import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Commit, CommittedOffsets, decodeCommits, encodeCommits } from './committed-offsets.ts';
import { partitionOfGroup } from './group-coordinator.ts';

const commit = fc.record({
  group: fc.string({ minLength: 1 }),
  topic: fc.string({ minLength: 1 }),
  partition: fc.nat(1000),
  offset: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  leaderEpoch: fc.integer({ min: -1, max: 1000 }),
  metadata: fc.string(),
  topicId: fc.string({ minLength: 1 }),
});

describe('commits', () => {
  it('are read back as they were written', () => {
    fc.assert(
      fc.property(fc.array(commit, { minLength: 1, maxLength: 20 }), (commits) => {
        expect(decodeCommits(encodeCommits(commits, 1_700_000_000_000))).toEqual(commits);
      }),
    );
  });

  it('replace earlier ones of the same partition and leave others alone', () => {
    const offsets = new CommittedOffsets();
    const make = (changes: Partial<Commit>): Commit => ({
      group: 'g',
      topic: 't',
      partition: 0,
      offset: 1,
      leaderEpoch: -1,
      metadata: '',
      topicId: 'T',
      ...changes,
    });
    for (const each of [make({}), make({ offset: 5 }), make({ partition: 1, offset: 2 }), make({ group: 'h' })]) {
      offsets.apply(each);
    }
    expect(offsets.get('g', 't', 0)?.offset).toBe(5);
    expect(offsets.get('g', 't', 1)?.offset).toBe(2);
    expect(offsets.get('h', 't', 0)?.offset).toBe(1);
    expect(offsets.get('g', 'u', 0)).toBeUndefined();
    expect(offsets.partitionsOf('g')).toEqual([{ name: 't', partitionIndexes: [0, 1] }]);
  });
});

describe('the partition of a group', () => {
  it('is one of three, and all three are used', () => {
    fc.assert(
      fc.property(fc.string(), (group) => {
        expect([0, 1, 2]).toContain(partitionOfGroup(group));
      }),
    );
    const used = new Set(Array.from({ length: 50 }, (_, index) => partitionOfGroup(`group-${index}`)));
    expect(used.size).toBe(3);
  });
});
