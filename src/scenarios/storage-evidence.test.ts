import { describe, expect, it } from 'vitest';
import type { ObjectListing, StartedTarget } from '../targets/target.ts';
import type { Part } from './part.ts';
import type { RunContext } from './run-context.ts';
import { tellStorageBefore } from './storage-evidence.ts';

const signal = AbortSignal.timeout(10_000);

const listing = (prefix: string, ...sizes: readonly number[]): ObjectListing =>
  ({
    bucket: 'b',
    prefix,
    list: async () => await Promise.resolve(sizes.map((bytes, at) => ({ key: `${prefix}${at}`, bytes }))),
    getRange: async () => await Promise.resolve(undefined),
  }) as unknown as ObjectListing;

/** What is told of a target before anything is sent. */
const told = async (target: Partial<StartedTarget>): Promise<readonly unknown[]> => {
  const lines: unknown[] = [];
  const context = { target: { can: {}, ...target }, interruption: { load: signal } } as unknown as RunContext;
  await tellStorageBefore(context, { tell: (line: unknown) => lines.push(line) } as unknown as Part);
  return lines;
};

describe('the inventory of somebody else’s store', () => {
  it('says of one bucket nothing about what is in it', async () => {
    expect(await told({ objectListing: listing('a/', 1, 2) })).toEqual([
      {
        t: 'inventory',
        when: 'before',
        whole: true,
        prefixes: [{ prefix: 'a/', holds: 'other', objects: 2, bytes: 3 }],
      },
    ]);
  });

  it('tells a write-ahead log in a place of its own apart, also where both begin with the same prefix', async () => {
    const stores = { objectListing: listing('', 1, 2), walListing: listing('', 5) };
    expect(await told(stores)).toMatchObject([
      {
        prefixes: [
          { prefix: '', holds: 'data', objects: 2, bytes: 3 },
          { prefix: '', holds: 'wal', objects: 1, bytes: 5 },
        ],
      },
    ]);
  });

  it('is none where no store is named', async () => {
    expect(await told({})).toEqual([]);
  });
});
