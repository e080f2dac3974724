import { describe, expect, it } from 'vitest';
import type { BrokerId } from '../vocabulary.ts';
import type { ClusterMetadata } from '../wire/cluster-metadata.ts';
import { LeaderBook } from './leader-book.ts';

interface Row {
  readonly leader?: number;
  readonly epoch: number;
  readonly inSync?: readonly number[];
}

const answer = (row: Row, topicId = 'id-1', errorCode = 0): ClusterMetadata => ({
  clusterId: 'c',
  controller: undefined,
  brokers: [],
  topics: [
    {
      name: 'orders',
      errorCode,
      topicId,
      partitions: [
        {
          partition: 0,
          errorCode: 0,
          leader: row.leader as BrokerId | undefined,
          leaderEpoch: row.epoch,
          replicas: [],
          inSync: (row.inSync ?? [1, 2, 3]) as readonly BrokerId[],
          offline: [],
        },
      ],
    },
  ],
});

const leadersOf = (...rows: readonly Row[]): readonly string[] => {
  const book = new LeaderBook();
  return rows.flatMap((row) => book.add(answer(row), 9).leaders.map(({ leader, epoch }) => `${leader}@${epoch}`));
};

describe('the leader book', () => {
  it('tells the first leader it hears of, and then only changes', () => {
    expect(leadersOf({ leader: 1, epoch: 4 }, { leader: 1, epoch: 4 }, { leader: 2, epoch: 5 })).toEqual([
      '1@4',
      '2@5',
    ]);
  });

  it('drops the answer of a broker that has not heard the news', () => {
    expect(leadersOf({ leader: 2, epoch: 5 }, { leader: 1, epoch: 4 }, { leader: 2, epoch: 5 })).toEqual(['2@5']);
  });

  it('tells that there is no leader, and is not talked out of it by an older view of the same epoch', () => {
    expect(leadersOf({ leader: 1, epoch: 4 }, { epoch: 4 }, { leader: 1, epoch: 4 }, { leader: 2, epoch: 5 })).toEqual([
      '1@4',
      '-1@4',
      '2@5',
    ]);
  });

  it('tells the same broker again when it leads in a new epoch', () => {
    expect(leadersOf({ leader: 1, epoch: 4 }, { leader: 1, epoch: 6 })).toEqual(['1@4', '1@6']);
  });

  it('goes by the order of answers where epochs are not told', () => {
    expect(leadersOf({ leader: 1, epoch: -1 }, { leader: 1, epoch: -1 }, { leader: 2, epoch: -1 })).toEqual([
      '1@-1',
      '2@-1',
    ]);
  });

  it('believes only the leader about its in-sync replicas within one epoch', () => {
    const book = new LeaderBook();
    book.add(answer({ leader: 1, epoch: 4, inSync: [1, 2, 3] }), 1);
    expect(book.add(answer({ leader: 1, epoch: 4, inSync: [1, 2] }), 2).inSync).toEqual([]);
    expect(book.add(answer({ leader: 1, epoch: 4, inSync: [2, 1] }), 1).inSync).toMatchObject([{ inSync: [1, 2] }]);
    expect(book.add(answer({ leader: 1, epoch: 4, inSync: [1, 2, 3] }), 3).inSync).toEqual([]);
  });

  it('takes the in-sync replicas of a new epoch from whoever tells them first', () => {
    const book = new LeaderBook();
    book.add(answer({ leader: 1, epoch: 4, inSync: [1, 2, 3] }), 1);
    expect(book.add(answer({ leader: 2, epoch: 5, inSync: [2, 3] }), 3).inSync).toMatchObject([{ inSync: [2, 3] }]);
  });

  it('notices that a topic was created again', () => {
    const book = new LeaderBook();
    expect(book.add(answer({ leader: 1, epoch: 4 }, 'id-1'), 1).recreated).toEqual([]);
    expect(book.add(answer({ leader: 1, epoch: 4 }, 'id-2'), 1).recreated).toEqual([
      { topic: 'orders', topicId: 'id-2' },
    ]);
  });

  it('takes nothing from a topic that was answered with an error', () => {
    const book = new LeaderBook();
    expect(book.add(answer({ epoch: -1 }, 'id-1', 3), 1)).toEqual({ leaders: [], inSync: [], recreated: [] });
    expect(book.leaderOf('orders', 0)).toBeUndefined();
  });

  it('says who leads now', () => {
    const book = new LeaderBook();
    book.add(answer({ leader: 2, epoch: 5 }), 1);
    expect(book.leaderOf('orders', 0)).toEqual({ topic: 'orders', partition: 0, leader: 2, epoch: 5 });
  });
});
