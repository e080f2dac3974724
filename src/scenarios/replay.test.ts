import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { linesIn, openPart, type PartFixture } from '../../test/support/part-fixture.ts';
import type { ClientDefinition, ReadRange, ReadRecord, ReadResult } from '../clients/client.ts';
import { RecordEncoder } from '../ledger/record-identity.ts';
import type { ObservedRecord } from '../ledger/replay-writer.ts';
import { type PassOutcome, type PassRange, runPass } from './replay.ts';

let folder: string;
let fixture: PartFixture;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-replay-'));
  fixture = openPart(folder);
});
afterEach(async () => {
  await fixture.part.close();
  rmSync(folder, { recursive: true, force: true });
});

const encoded = (kind: 'record' | 'sentinel', producer: string, partition = 0): RecordEncoder =>
  new RecordEncoder({ run: 'run-1', producer, incarnation: 0, partition, sizeBytes: 200, kind });

const record = (offset: number, seq: number, more: Partial<ReadRecord> = {}): ReadRecord => {
  const { key, value, headers } = encoded('record', 'p1').encode(seq);
  return { offset, key, value, headers: new Map(Object.entries(headers)), control: false, ...more };
};

const sentinel = (offset: number): ReadRecord => {
  const { key, value, headers } = encoded('sentinel', 'sentinel').encode(0);
  return { offset, key, value, headers: new Map(Object.entries(headers)), control: false };
};

type Read = (range: ReadRange) => ReadResult | Promise<ReadResult>;

/** A client whose reader does `read`; it counts how many of its readers are open. */
const clientThat = (read: Read): ClientDefinition & { readonly open: () => number } => {
  let open = 0;
  return {
    kind: 'model',
    summary: 'A model of a client.',
    retries: ['none'],
    openLane: async () => await Promise.reject(new Error('It only reads.')),
    openReader: async () => {
      open += 1;
      return await Promise.resolve({
        readRange: async (range: ReadRange) => await read(range),
        close: async () => {
          open -= 1;
          await Promise.resolve();
        },
      });
    },
    open: () => open,
  };
};

const RANGE: PassRange = { partition: 0, from: 0, above: 2, sentinel: true, reachedEnd: 'complete' };

const pass = async (
  client: ClientDefinition,
  ranges: readonly PassRange[] = [RANGE],
  onRecord?: (record: ObservedRecord) => void,
): Promise<PassOutcome> =>
  await runPass(
    fixture.part,
    { name: 'full', client, bootstrap: [], ranges, deadlineMs: 1000, ...(onRecord === undefined ? {} : { onRecord }) },
    new AbortController().signal,
  );

type Line = Readonly<Record<string, unknown>>;

const readsWritten = async (): Promise<readonly Line[]> => {
  await fixture.part.close();
  return (await linesIn(folder)).filter(({ t }) => t === 'read');
};

const notesWritten = async (): Promise<readonly Line[]> => {
  await fixture.part.close();
  const lines = readFileSync(join(folder, 'timeline.ndjson'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Line).filter(({ t }) => t === 'note');
};

test('a pass writes down every record it was given, then how far it came', async () => {
  const client = clientThat((range) => {
    range.onRecords([record(0, 0), record(1, 1)]);
    expect(range.done()).toBe(false);
    range.onRecords([sentinel(2)]);
    expect(range.done()).toBe(true);
    return { from: 0, position: 3, end: 'complete' };
  });
  const outcome = await pass(client);
  expect(outcome).toMatchObject({ name: 'full', records: 3, ranges: [{ partition: 0, position: 3, end: 'complete' }] });
  expect(client.open()).toBe(0);
  expect(await readsWritten()).toEqual([
    expect.objectContaining({ id: { producer: 'p1', incarnation: 0, seq: 0 }, count: 2, offset: 0 }),
    expect.objectContaining({ sentinel: true, offset: 2 }),
  ]);
});

test('a reader that breaks ends its range where it was, as a timeout, and says why', async () => {
  const client = clientThat((range) => {
    range.onRecords([record(0, 0)]);
    throw new Error('the socket is gone');
  });
  const { ranges } = await pass(client);
  expect(ranges).toMatchObject([{ position: 1, end: 'timeout' }]);
  expect(client.open()).toBe(0);
  expect(await notesWritten()).toEqual([
    expect.objectContaining({ source: 'replay/full', text: expect.stringContaining('the socket is gone') as string }),
  ]);
});

test('records that cannot be written down end the pass as a fault of ours, given twice or not', async () => {
  const given: number[] = [];
  const client = clientThat((range) => {
    // What a library does that tries again whatever its observer threw.
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        range.onRecords([record(0, 0), record(1, 1)]);
      } catch {
        continue;
      }
    }
    expect(range.signal.aborted).toBe(true);
    return { from: 0, position: 2, end: 'complete' };
  });
  const broken = pass(client, [RANGE], ({ offset }) => {
    given.push(offset);
    if (offset === 1) throw new Error('no room for it');
  });
  await expect(broken).rejects.toMatchObject({ kind: 'internal', message: 'The run broke: no room for it.' });
  expect(given).toEqual([0, 1]);
  expect(client.open()).toBe(0);
});

test('a partition that cannot be written down ends the reading of the others at once', async () => {
  const client = clientThat(async (range) => {
    if (range.partition === 0) range.onRecords([record(0, 0)]);
    else await new Promise((done) => range.signal.addEventListener('abort', done, { once: true }));
    return { from: 0, position: 1, end: 'timeout' };
  });
  const broken = pass(client, [{ ...RANGE, partition: 1 }, RANGE], () => {
    throw new Error('no room for it');
  });
  await expect(broken).rejects.toThrow('no room for it');
  expect(client.open()).toBe(0);
});

test('how long nothing had come is told with the range', async () => {
  const { clock } = fixture;
  const client = clientThat(async (range) => {
    await clock.sleep(300);
    range.onRecords([record(0, 0)]);
    await clock.sleep(700);
    return { from: 0, position: 1, end: 'timeout' };
  });
  const { ranges, ms } = await clock.run(pass(client));
  expect([ranges[0]?.idleMs, ms]).toEqual([700, 1000]);
});

test('a record that is damaged is no intact one, and a foreign one has no identity', async () => {
  const seen: ObservedRecord[] = [];
  const foreign = { offset: 1, key: null, value: Buffer.from('x'), headers: new Map(), control: false };
  const client = clientThat((range) => {
    range.onRecords([
      record(0, 0, { damaged: true, leaderEpoch: 4, producerId: -1 }),
      foreign,
      { ...foreign, offset: 2, damaged: true },
      { ...foreign, offset: 3, control: true },
    ]);
    return { from: 0, position: 4, end: 'complete' };
  });
  await pass(client, [RANGE], (one) => seen.push(one));
  expect(seen).toMatchObject([
    { offset: 0, checksumOk: false, epoch: 4, id: { producer: 'p1' } },
    { offset: 1 },
    { offset: 2, checksumOk: false },
    { offset: 3, control: true },
  ]);
  expect([seen[0]?.producerId, seen[1]?.id, seen[1]?.checksumOk]).toEqual([undefined, undefined, true]);
});

test('a sentinel or a control record that is damaged is no intact one either', async () => {
  const seen: ObservedRecord[] = [];
  const flipped = sentinel(1);
  flipped.value?.writeUInt8((flipped.value.at(-40) ?? 0) ^ 1, flipped.value.length - 40);
  const client = clientThat((range) => {
    range.onRecords([{ ...sentinel(0), damaged: true }, flipped, record(2, 0, { control: true, damaged: true })]);
    return { from: 0, position: 3, end: 'complete' };
  });
  await pass(client, [RANGE], (one) => seen.push(one));
  expect(seen).toMatchObject([
    { sentinel: true, checksumOk: false },
    { sentinel: true, checksumOk: false },
    { control: true, checksumOk: false },
  ]);
  expect(await readsWritten()).toMatchObject([
    { sentinel: true, checksum: 'bad' },
    { sentinel: true, checksum: 'bad' },
    { control: true, checksum: 'bad' },
  ]);
});

test('ranges of one partition are read one after another, those of others beside them', async () => {
  const { clock } = fixture;
  const order: string[] = [];
  const client = clientThat(async ({ partition, from }) => {
    order.push(`${partition} from ${from}`);
    await clock.sleep(10);
    order.push(`${partition} to ${from + 5}`);
    return { from, position: from + 5, end: 'range' };
  });
  const range = (partition: number, from: number): PassRange => ({ ...RANGE, partition, from, sentinel: false });
  await clock.run(pass(client, [range(0, 0), range(0, 50), range(1, 0)]));
  expect(order).toEqual(['0 from 0', '1 from 0', '0 to 5', '0 from 50', '1 to 5', '0 to 55']);
});
