// Takeovers that need no race to be shown; the races are in test/log-model.
import { describe, expect, it } from 'vitest';
import { DirectPartition, fetchFrom, flushed, numbersIn } from '../../../test/log-model/direct-log.ts';

describe('takeOver', () => {
  it('refuses an epoch that is not above the one held', async () => {
    const partition = new DirectPartition();
    await partition.own(5);
    expect(await partition.takeOver(5)).toEqual({ status: 'fenced', epoch: 5 });
    expect(await partition.takeOver(4)).toEqual({ status: 'fenced', epoch: 5 });
  });

  it('finds what was uploaded, what is in closed extents and what is in the open one', async () => {
    const partition = new DirectPartition();
    const first = await partition.own(1);
    await partition.append(first);
    await flushed(first);
    await partition.append(first);
    const second = await partition.own(2);
    await partition.append(second);
    const third = await partition.own(4);
    await partition.append(third);
    expect(numbersIn(await fetchFrom(third, 0))).toEqual([1, 2, 3, 4]);
    await flushed(third);
    third.dropCache();
    expect(numbersIn(await fetchFrom(third, 0))).toEqual([1, 2, 3, 4]);
    expect(partition.store.keys('wal/')).toEqual([]);
  });

  it('remembers where each epoch began', async () => {
    const partition = new DirectPartition();
    await partition.append(await partition.own(1));
    await partition.own(2);
    const third = await partition.own(3);
    await partition.append(third);
    expect([1, 2, 3].map((epoch) => third.epochEndOffset(epoch))).toEqual([
      { epoch: 1, endOffset: 1 },
      { epoch: 1, endOffset: 1 },
      { epoch: 3, endOffset: 2 },
    ]);
    expect(third.epochEndOffset(4)).toBeUndefined();
  });

  it('sweeps slots that no index names', async () => {
    const partition = new DirectPartition();
    const first = await partition.own(1);
    await partition.append(first);
    const stray = partition.store.keys('wal/')[0]!.replace(/0$/, '7');
    partition.store.contents.put(stray, new Uint8Array(1), {});
    const second = await partition.own(2);
    await partition.settle();
    expect(partition.store.keys('wal/')).not.toContain(stray);
    expect(numbersIn(await fetchFrom(second, 0))).toEqual([1]);
  });

  it('does not believe a log in which a slot of a closed extent is missing', async () => {
    const partition = new DirectPartition();
    await partition.append(await partition.own(1));
    await partition.own(2);
    partition.store.contents.objects.delete(partition.store.keys('wal/')[0]!);
    await expect(partition.own(3)).rejects.toThrow('is missing from the write-ahead log');
  });

  it('does not believe an index that is not its own', async () => {
    const partition = new DirectPartition();
    const encoder = new TextEncoder();
    partition.store.contents.put('meta/t/0/index', encoder.encode('{"version":2}'), {});
    await expect(partition.own(1)).rejects.toThrow('has version 2, not 1');
    partition.store.contents.put('meta/t/0/index', encoder.encode('<xml>'), {});
    await expect(partition.own(2)).rejects.toThrow('is not JSON');
  });

  it('waits while the store is away, and gives up when its signal aborts', async () => {
    const partition = new DirectPartition();
    partition.store.isAwayFor = () => true;
    const controller = new AbortController();
    const takeover = partition.takeOver(1, { signal: controller.signal });
    await partition.settle();
    await partition.tick();
    controller.abort(new Error('assigned elsewhere'));
    await expect(takeover).rejects.toThrow('assigned elsewhere');
  });

  it('goes on when the store comes back', async () => {
    const partition = new DirectPartition();
    partition.store.isAwayFor = () => true;
    const takeover = partition.takeOver(1);
    await partition.settle();
    partition.store.isAwayFor = () => false;
    await partition.tick();
    expect((await takeover).status).toBe('owner');
  });
});
