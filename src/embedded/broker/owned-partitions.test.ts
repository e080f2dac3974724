import { describe, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import type { BrokerId } from '../../vocabulary.ts';
import type { ClusterView, PartitionView } from '../cluster-view.ts';
import type { LogStores, PartitionLog, TakeoverOptions, TakeoverResult } from '../log/interfaces.ts';
import { kafkaBatchFormat } from '../log/kafka-batch-format.ts';
import { OwnedPartitions } from './owned-partitions.ts';

const silent = { info: (): void => undefined, warn: (): void => undefined, error: (): void => undefined };

let version = 0;
const viewOf = (partitions: readonly PartitionView[]): ClusterView => ({
  version: ++version,
  clusterId: 'c',
  controllerId: 1,
  brokers: [],
  topics: [{ name: 't', topicId: 'T', internal: false, replicationFactor: 1, configs: {}, partitions }],
});

/** Takeovers end when the test says so. */
class Bench {
  readonly asked: (TakeoverOptions & { readonly end: (result: TakeoverResult | Error) => void })[] = [];
  readonly raised: number[] = [];
  readonly owned: number[] = [];
  readonly resigned: number[] = [];
  /** Topics that the write-ahead log was told are no more. */
  readonly forgotten: string[] = [];
  /** Ends the ownership of an epoch, as damage or a refusal would. */
  readonly endOf = new Map<number, () => void>();
  /** What the controller makes of a wish for an epoch above this one. */
  onRaise: (above: number) => void = () => undefined;
  readonly partitions = new OwnedPartitions({
    brokerId: 1 as BrokerId,
    stores: { wal: { forgetTopic: (topicId: string) => this.forgotten.push(topicId) } } as unknown as LogStores,
    format: kafkaBatchFormat,
    takeover: async (options) =>
      await new Promise((resolve, reject) => {
        const end = (result: TakeoverResult | Error): void =>
          result instanceof Error ? reject(result) : resolve(result);
        this.asked.push({ ...options, end });
      }),
    clock: { ...systemClock, sleep: async () => await Promise.resolve() },
    log: silent,
    defectsOf: () => new Set(),
    limits: {},
    raiseEpoch: async (_topicId, _partition, above) => {
      this.raised.push(above);
      await Promise.resolve();
      this.onRaise(above);
    },
    onOwned: (_topic, _partition, log) => this.owned.push(log.leaderEpoch),
  });

  logOf(epoch: number): PartitionLog {
    const resign = (): void => {
      this.resigned.push(epoch);
    };
    const ended = new Promise<string>((resolve) => this.endOf.set(epoch, () => resolve('the log is damaged')));
    return { leaderEpoch: epoch, highWatermark: 0, isOwner: true, ended, resign } as unknown as PartitionLog;
  }

  owner(epoch: number): TakeoverResult {
    return { status: 'owner', log: this.logOf(epoch) };
  }
}

const settled = async (): Promise<void> => {
  await new Promise((resolve) => setImmediate(resolve));
};

describe('the partitions of a broker', () => {
  it('tells the write-ahead log of a topic that is no more, and of none that only moves', () => {
    const bench = new Bench();
    bench.partitions.follow(viewOf([{ leader: 1, epoch: 3 }]));
    bench.partitions.follow(viewOf([{ leader: 2, epoch: 4 }]));
    expect(bench.forgotten).toEqual([]);
    bench.partitions.follow(viewOf([{ leader: 1, epoch: 5 }]));
    bench.partitions.follow({ ...viewOf([]), topics: [] });
    expect(bench.forgotten).toEqual(['T']);
  });

  it('are those the view assigns to it, each taken over once in its epoch', async () => {
    const bench = new Bench();
    const partitions = [
      { leader: 1, epoch: 3 },
      { leader: 2, epoch: 5 },
    ];
    bench.partitions.follow(viewOf(partitions));
    bench.partitions.follow(viewOf(partitions));
    expect(bench.asked.map(({ partition, epoch }) => [partition, epoch])).toEqual([[0, 3]]);
    expect(bench.partitions.find('T', 0)?.log).toBeUndefined();
    bench.asked[0]!.end(bench.owner(3));
    await settled();
    expect(bench.partitions.find('T', 0)?.log?.leaderEpoch).toBe(3);
    expect(bench.owned).toEqual([3]);
  });

  it('are given up when somebody else is assigned', async () => {
    const bench = new Bench();
    bench.partitions.follow(viewOf([{ leader: 1, epoch: 3 }]));
    bench.asked[0]!.end(bench.owner(3));
    await settled();
    bench.partitions.follow(viewOf([{ leader: 2, epoch: 4 }]));
    expect(bench.resigned).toEqual([3]);
    expect(bench.partitions.find('T', 0)).toBeUndefined();
  });

  it('are taken over anew in a higher epoch, and never again in a lower one', async () => {
    const bench = new Bench();
    bench.partitions.follow(viewOf([{ leader: 1, epoch: 3 }]));
    bench.asked[0]!.end(bench.owner(3));
    await settled();
    bench.partitions.follow(viewOf([{ leader: 1, epoch: 5 }]));
    bench.partitions.follow(viewOf([{ leader: 1, epoch: 4 }]));
    expect(bench.asked.map(({ epoch }) => epoch)).toEqual([3, 5]);
    expect(bench.resigned).toEqual([3]);
  });

  it('are resigned at once when the takeover ends after the assignment was withdrawn', async () => {
    const bench = new Bench();
    bench.partitions.follow(viewOf([{ leader: 1, epoch: 3 }]));
    bench.partitions.follow(viewOf([{ leader: 2, epoch: 4 }]));
    expect(bench.asked[0]!.signal?.aborted).toBe(true);
    bench.asked[0]!.end(bench.owner(3));
    await settled();
    expect(bench.resigned).toEqual([3]);
    expect(bench.owned).toEqual([]);
  });

  it('that somebody holds in our epoch or above are asked for in a higher one', async () => {
    const bench = new Bench();
    bench.partitions.follow(viewOf([{ leader: 1, epoch: 3 }]));
    bench.asked[0]!.end({ status: 'fenced', epoch: 7 });
    await settled();
    expect(bench.raised).toEqual([7]);
    bench.partitions.follow(viewOf([{ leader: 1, epoch: 8 }]));
    expect(bench.asked.at(-1)?.epoch).toBe(8);
  });

  it('are tried again after a takeover that failed, each attempt under a name of its own', async () => {
    const bench = new Bench();
    bench.partitions.follow(viewOf([{ leader: 1, epoch: 3 }]));
    bench.asked[0]!.end(new Error('store trouble'));
    await settled();
    expect(bench.asked).toHaveLength(2);
    expect(bench.asked[0]!.nonce).not.toBe(bench.asked[1]!.nonce);
  });

  it('whose ownership ended by itself are taken over again in a higher epoch, whatever the controller answers first', async () => {
    const bench = new Bench();
    bench.partitions.follow(viewOf([{ leader: 1, epoch: 3 }]));
    bench.asked[0]!.end(bench.owner(3));
    await settled();
    bench.onRaise = (above) => {
      if (bench.raised.length === 1) throw new Error('the controller is away');
      bench.partitions.follow(viewOf([{ leader: 1, epoch: above + 1 }]));
    };
    bench.endOf.get(3)!();
    await settled();
    expect(bench.raised).toEqual([3, 3]);
    expect(bench.asked.map(({ epoch }) => epoch)).toEqual([3, 4]);
    bench.asked[1]!.end(bench.owner(4));
    await settled();
    expect(bench.partitions.find('T', 0)?.log?.leaderEpoch).toBe(4);
    expect(bench.owned).toEqual([3, 4]);
  });

  it('whose ownership ended because the assignment was withdrawn are not asked for again', async () => {
    const bench = new Bench();
    bench.partitions.follow(viewOf([{ leader: 1, epoch: 3 }]));
    bench.asked[0]!.end(bench.owner(3));
    await settled();
    bench.partitions.follow(viewOf([{ leader: 2, epoch: 4 }]));
    bench.endOf.get(3)!();
    await settled();
    expect(bench.raised).toEqual([]);
  });

  it('are all given up at the end, and no view brings them back', async () => {
    const bench = new Bench();
    bench.partitions.follow(viewOf([{ leader: 1, epoch: 3 }]));
    bench.asked[0]!.end(bench.owner(3));
    await settled();
    bench.partitions.close();
    bench.partitions.follow(viewOf([{ leader: 1, epoch: 4 }]));
    expect(bench.resigned).toEqual([3]);
    expect(bench.partitions.all()).toEqual([]);
  });
});
