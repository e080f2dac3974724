import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DeadlineError } from '../errors.ts';
import { dataDirectory, type KafkaDisk } from './kafka-disks.ts';
import type { ObjectStoreAccess } from './target.ts';
import { tieredCooling } from './tiered-cooling.ts';
import { describeSegmentKey } from './tiered-layout.ts';

const TIERED = 'AAAAAAAAAAAAAAAAAAAAAQ';
const OTHER = 'AAAAAAAAAAAAAAAAAAAAAw';
const KEY = `p/${TIERED}/0/00000000000000000000-00000000000000000040-AAAAAAAAAAAAAAAAAAAAAg.log`;
const signal = AbortSignal.timeout(20_000);

let folder: string;
let disks: readonly KafkaDisk[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-tiers-'));
  disks = [1, 2].map((id) => ({ node: `broker/${id}`, id, directory: join(folder, `broker-${id}`) }));
  for (const disk of disks) mkdirSync(dataDirectory(disk), { recursive: true });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const partitionFolder = (broker: number, name: string): string =>
  join(dataDirectory(disks[broker - 1] as KafkaDisk), name);

/** Segments of a replica by their first offsets, with what else lies beside them. */
const replica = (broker: number, name: string, topicId: string, bases: readonly number[]): void => {
  const own = partitionFolder(broker, name);
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'partition.metadata'), `version: 0\ntopic_id: ${topicId}\n`);
  for (const base of bases) {
    const file = String(base).padStart(20, '0');
    for (const suffix of ['log', 'index', 'timeindex']) writeFileSync(join(own, `${file}.${suffix}`), '');
  }
  writeFileSync(join(own, '00000000000000000000.log.deleted'), '');
};

const storeOf = (keys: readonly string[], listed: () => void = () => undefined) =>
  ({
    dataPrefix: 'p/',
    describeKey: describeSegmentKey('p/'),
    list: async () => {
      listed();
      return await Promise.resolve(keys.map((key) => ({ key, bytes: 1 })));
    },
  }) as unknown as ObjectStoreAccess;

describe('cooling of tiers', () => {
  // A replica that stayed behind, of a broker that was killed early, excuses nothing.
  it('tells from where on a partition is on every disk', async () => {
    replica(1, 'orders-0', TIERED, [50]);
    replica(2, 'orders-0', TIERED, [40]);
    expect(await tieredCooling(disks, storeOf([KEY])).cool(signal)).toEqual([
      { topicId: TIERED, partition: 0, from: 50 },
    ]);
  });

  it('waits for whoever still has rolled segments, and not for topics without tiers', async () => {
    replica(1, 'orders-0', TIERED, [40]);
    replica(2, 'orders-0', TIERED, [0, 40]);
    replica(1, 'plain-0', OTHER, [0, 10, 20]);
    let looks = 0;
    const store = storeOf([KEY], () => {
      looks += 1;
      if (looks === 3) rmSync(join(partitionFolder(2, 'orders-0'), '00000000000000000000.log'));
    });
    const local = await tieredCooling(disks, store).cool(signal);
    expect(looks).toBe(3);
    expect(local).toEqual([{ topicId: TIERED, partition: 0, from: 40 }]);
  });

  it('is not done while the store holds no segment, and says what it waited for', async () => {
    replica(1, 'orders-0', TIERED, [0]);
    const ended = new AbortController();
    const store = storeOf([KEY.replace('.log', '.index')], () => ended.abort(new DeadlineError('x', 1, 'y')));
    await expect(tieredCooling(disks, store).cool(ended.signal)).rejects.toThrow(DeadlineError);
  });
});
