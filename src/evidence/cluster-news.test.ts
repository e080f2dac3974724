// What the watches make of answers: only changes are told, and a set that the cluster does not keep is not an empty one.
import { describe, expect, it } from 'vitest';
import type { BrokerId } from '../vocabulary.ts';
import type { LogDirectory } from '../wire/log-dirs.ts';
import type { PartitionEvidence } from '../wire/partition-evidence.ts';
import type { QuorumState } from '../wire/quorum.ts';
import { BrokerStanding, type Registered } from './broker-standing.ts';
import { DiskStanding } from './disk-standing.ts';
import { LogEnds } from './log-ends.ts';
import { QuorumNews } from './quorum-watch.ts';
import { ReplicaStanding } from './replica-standing.ts';

const ids = (...numbers: number[]): readonly BrokerId[] => numbers as unknown as readonly BrokerId[];
const registered = (...rows: readonly (readonly [number, boolean | undefined])[]): Registered =>
  rows.map(([id, isFenced]) => ({ id: id as BrokerId, host: 'h', port: 1, isFenced }));

describe('fenced brokers', () => {
  it('are told when they change, apart from those that are not registered', () => {
    const standing = new BrokerStanding(ids(1, 2, 3));
    expect(standing.news(registered([1, false], [2, false], [3, false])).map(({ text }) => text)).toEqual([
      'fenced: none; not registered: none',
    ]);
    expect(standing.news(registered([3, false], [2, false], [1, false]))).toEqual([]);
    const [news] = standing.news(registered([1, false], [2, true]));
    expect(news).toMatchObject({ source: 'fenced', data: { fenced: [2], absent: [3], tellsFenced: true } });
  });

  it('are not told by an old version, where absence is all there is', () => {
    const [news] = new BrokerStanding(ids(1, 2)).news(registered([1, undefined]));
    expect(news?.text).toBe('absent from the cluster: 2; this version does not tell who is fenced');
    expect(news?.data).toMatchObject({ tellsFenced: false, absent: [2] });
  });
});

const quorum = (more: Partial<QuorumState> = {}): QuorumState => ({
  leader: 101,
  epoch: 3,
  highWatermark: 50,
  voters: [
    { id: 101, endOffset: 52, caughtUpAtMs: 100_000 },
    { id: 102, endOffset: 50, caughtUpAtMs: 99_500 },
    { id: 103, endOffset: 52, caughtUpAtMs: 100_000 },
  ],
  observers: [{ id: 1, endOffset: 52, caughtUpAtMs: 100_000 }],
  ...more,
});

describe('the quorum', () => {
  it('is news when its leader, epoch or voters change, or somebody falls behind, and not because its log grows', () => {
    const news = new QuorumNews();
    const [first] = news.news(quorum());
    expect(first).toMatchObject({ source: 'quorum', data: { leader: 101, epoch: 3, lag: { 1: 0, 102: 2, 103: 0 } } });
    expect(news.news(quorum({ highWatermark: 60 }))).toEqual([]);
    const silent = [{ id: 1, endOffset: 20, caughtUpAtMs: 90_000 }];
    expect(news.news(quorum({ observers: silent }))[0]?.data).toMatchObject({ observersBehind: [1], votersBehind: [] });
    expect(news.news(quorum({ leader: 103, epoch: 4 }))[0]?.text).toContain('led by 103 in epoch 4');
  });

  it('says nothing of who is behind where the leader does not tell times', () => {
    const voters = quorum().voters.map((voter) => ({ ...voter, caughtUpAtMs: -1 }));
    expect(new QuorumNews().news(quorum({ voters }))[0]?.data).toMatchObject({ votersBehind: [], observersBehind: [] });
  });
});

const partition = (more: Partial<PartitionEvidence> = {}): PartitionEvidence => ({
  partition: 0,
  leader: 1 as BrokerId,
  leaderEpoch: 4,
  replicas: ids(1, 2, 3),
  inSync: ids(3, 1, 2),
  offline: ids(),
  eligible: ids(),
  lastKnownEligible: ids(),
  ...more,
});

describe('replicas that may be elected', () => {
  it('are told when a set changes, whatever its order', () => {
    const standing = new ReplicaStanding();
    expect(standing.news([partition()])).toHaveLength(1);
    expect(standing.news([partition({ inSync: ids(1, 2, 3) })])).toEqual([]);
    const [news] = standing.news([partition({ inSync: ids(1), eligible: ids(2), lastKnownEligible: ids(3) })]);
    expect(news?.text).toBe('partition 0: in sync 1; eligible 2; last known eligible 3; offline none');
  });

  it('are not an empty set where the cluster keeps none', () => {
    const [news] = new ReplicaStanding().news([partition({ eligible: undefined, lastKnownEligible: undefined })]);
    expect(news?.text).toContain('eligible not kept');
    expect(news?.data).not.toHaveProperty('eligible');
  });
});

const directory = (errorCode: number, offsetLag: number, sizeBytes: number): LogDirectory => ({
  path: '/data',
  errorCode,
  totalBytes: 1000,
  usableBytes: 500,
  replicas: [{ topic: 'orders', partition: 0, sizeBytes, offsetLag, isFuture: false }],
});

describe('disks', () => {
  it('are news when a directory fails or a replica falls behind, not because they fill', () => {
    const disk = new DiskStanding(2 as BrokerId);
    expect(disk.news([directory(0, 0, 10)])).toHaveLength(1);
    expect(disk.news([directory(0, 0, 90)])).toEqual([]);
    expect(disk.news([directory(0, 7, 95)])[0]?.data).toMatchObject({ behind: [0], offsetLag: 7 });
    expect(disk.news([directory(56, 0, 95)])[0]?.text).toContain('given up: /data');
    expect(disk.end()[0]).toMatchObject({ source: 'log-dirs/2', data: { bytes: 95, usableBytes: 500 } });
  });

  it('that never answered have no end', () => {
    expect(new DiskStanding(2 as BrokerId).end()).toEqual([]);
  });
});

describe('the ends of the logs', () => {
  it('are told as they move, and a partition that is silent is no number', () => {
    const ends = new LogEnds();
    const taken = [
      {
        topic: 'orders',
        partition: 0,
        at: 1,
        earliest: 0,
        latest: 9,
        latestCommitted: 9,
        topicId: 'AAAAAAAAAAAAAAAAAAAAAQ',
      },
    ];
    expect(ends.news({ taken, missing: [] })[0]?.text).toBe('0: 0 to 9');
    expect(ends.news({ taken: taken.map((one) => ({ ...one, at: 2 })), missing: [] })).toEqual([]);
    const [news] = ends.news({ taken: [], missing: [{ topic: 'orders', partition: 0, why: 'away' }] });
    expect(news?.text).toBe('0: not told');
  });
});
