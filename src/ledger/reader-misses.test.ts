// Run directories in which the two clients do not find the same: what is about a client and what is about the cluster.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportedRun } from '../../test/support/exported-run.ts';
import { systemClock } from '../clock.ts';
import { withRunFacts } from './grouped-run.ts';
import { judge, judgeText } from './judge.ts';
import { judgeRun } from './judge-run.ts';
import type { Judgement } from './judgement.ts';
import { createLedger } from './ledger-writer.ts';
import { createReplay, type ReplayWriter } from './replay-writer.ts';
import { runOrder } from './run-order.ts';
import { createTimeline } from './timeline-writer.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-misses-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const PLACE = { topic: 'orders', partition: 0 };
const RECORDS = 10;

interface Pass {
  readonly pass: string;
  readonly client?: string;
  readonly lacks?: readonly number[];
  /** Default complete. */
  readonly end?: 'complete' | 'timeout';
  /** Offset → sequence of the record that stands there instead. */
  readonly others?: ReadonlyMap<number, number>;
  /** Offsets in the order they are read; default rising. */
  readonly offsets?: readonly number[];
}

interface Miss {
  readonly client: string;
  readonly shownBy: string;
  readonly offsets: readonly number[];
}

const RISING = Array.from({ length: RECORDS }, (_, offset) => offset);

const readPass = async ({ offsets = RISING, lacks = [], others, ...pass }: Pass, position: number): Promise<void> => {
  const { client } = pass;
  const named = client === undefined ? {} : { client };
  const replay: ReplayWriter = createReplay(directory, {
    run: 'r',
    clock: systemClock,
    pass: pass.pass,
    position,
    ...named,
  });
  for (const offset of offsets) {
    const seq = others?.get(offset) ?? offset;
    const id = { run: 'r', producer: 'p1', incarnation: 0, partition: 0, seq };
    if (!lacks.includes(offset)) replay.observe({ ...PLACE, offset, id });
  }
  replay.range({ ...PLACE, from: 0, position: RECORDS, end: pass.end ?? 'complete' });
  await replay.close();
};

const missedLine = ({ client, shownBy, offsets }: Miss) =>
  ({
    t: 'harness',
    at: 100,
    anomaly: 'client-anomaly',
    detail: `offset ${offsets[0]} is read by ${shownBy} and not by ${client}`,
    missed: { client, shownBy, ...PLACE, ranges: offsets.map((offset) => ({ first: offset, last: offset })) },
  }) as const;

/** Ten acknowledged records of one partition, read by `passes`. */
const writeRun = async (passes: readonly Pass[], misses: readonly Miss[] = []): Promise<void> => {
  const topics = [{ topic: 'orders', partitions: 1, replicationFactor: 3 }];
  const header = { t: 'history', version: 1, run: 'r', contract: { minInSyncReplicas: 2 }, topics };
  writeFileSync(join(directory, 'contract.json'), JSON.stringify(header));
  const order = runOrder();
  const ledger = createLedger(directory, { run: 'r', clock: systemClock, order });
  const timeline = createTimeline(directory, order);
  timeline.write({ t: 'offsets', at: 0, when: 'baseline', ...PLACE, earliest: 0, latest: 0 });
  for (let seq = 0; seq < RECORDS; seq++) {
    const handle = ledger.intent({ producer: 'p1', incarnation: 0, ...PLACE, firstSeq: seq, count: 1, at: seq });
    ledger.outcome(handle, { at: seq, outcome: 'ok', baseOffset: seq, attempts: 1, tainted: false });
  }
  await ledger.close();
  for (const [position, pass] of passes.entries()) await readPass(pass, position);
  for (const miss of misses) timeline.write(missedLine(miss));
  await timeline.close();
};

/** Judged as a whole, a group of partitions at a time and from its export: the same in all three. */
const judged = async (): Promise<Judgement> => {
  const { judgement } = await judgeRun(directory);
  expect(judgeText(await exportedRun(directory))).toEqual(judgement);
  expect(withRunFacts(directory, judge, 0)).toEqual(judgement);
  return judgement;
};

const found = ({ findings }: Judgement): string[] =>
  findings.filter(({ legal }) => !legal).map(({ anomaly, count }) => `${anomaly} ${count}`);

const byKafkajs = (...lacks: number[]): Pass[] => [
  { pass: 'full', client: 'kafkajs', lacks },
  { pass: 'suspects-kafkajs', client: 'kafkajs', lacks },
];
const byWire = (...lacks: number[]): Pass => ({ pass: 'suspects-wire', client: 'wire', lacks });
const missedByKafkajs = (...offsets: number[]): Miss => ({ client: 'kafkajs', shownBy: 'wire', offsets });

describe('a record that only one client finds', () => {
  it.each([[[7]], [[0]], [[9]], [[3, 4, 8]], [RISING]])(
    'makes the run inconclusive, and is no fault of the cluster (%j)',
    async (lacks) => {
      await writeRun([...byKafkajs(...lacks), byWire()], [missedByKafkajs(...lacks)]);
      const judgement = await judged();
      expect(judgement.verdict).toBe('inconclusive');
      expect(judgement.because).toContain('client-anomaly: ');
      expect(found(judgement)).toEqual([]);
    },
  );

  it('is the same where it is the other client that finds it', async () => {
    const passes: Pass[] = [{ pass: 'full', client: 'wire', lacks: [7] }, byWire(7)];
    passes.splice(1, 0, { pass: 'suspects-kafkajs', client: 'kafkajs' });
    await writeRun(passes, [{ client: 'wire', shownBy: 'kafkajs', offsets: [7] }]);
    const judgement = await judged();
    expect([judgement.verdict, found(judgement)]).toEqual(['inconclusive', []]);
  });

  it('excuses nothing beside it: another record that is lost is lost', async () => {
    await writeRun([...byKafkajs(3, 7), byWire(3)], [missedByKafkajs(7)]);
    const judgement = await judged();
    expect(judgement.verdict).toBe('fail');
    expect(found(judgement)).toContain('lost-write 1');
    expect(judgement.inconclusiveBecause.join()).toContain('client-anomaly');
  });

  it('is told in pieces, each after what was read of it; the last one ends as the pass did', async () => {
    await writeRun([...byKafkajs(0, 3, 4), byWire()], [missedByKafkajs(0, 3, 4)]);
    const lines = (await exportedRun(directory)).split('\n').filter((line) => line.includes('"pass":"full"'));
    const told = lines.map((line) => {
      const { t, offset, count = 1, from, position, end } = JSON.parse(line) as Record<string, number | string>;
      return t === 'read' ? `read ${offset} ×${count}` : `${from} to ${position} ${end}`;
    });
    expect(told).toEqual(['0 to 0 range', 'read 1 ×2', '1 to 3 range', 'read 5 ×5', '5 to 10 complete']);
  });

  it('hides nothing of how the client read: one that goes back is still seen to', async () => {
    const offsets = [0, 1, 2, 3, 4, 5, 6, 8, 9, 5];
    const [full, again] = byKafkajs(7) as [Pass, Pass];
    await writeRun([full, { ...again, offsets }, byWire()], [missedByKafkajs(7)]);
    expect(found(await judged())).toContain('nonmonotonic-poll 1');
  });
});

describe('what no line about a client can excuse', () => {
  const everything = [missedByKafkajs(...RISING), { client: 'wire', shownBy: 'kafkajs', offsets: RISING }];

  it('a record that neither client finds is lost', async () => {
    await writeRun([...byKafkajs(7), byWire(7)], everything);
    const judgement = await judged();
    expect([judgement.verdict, found(judgement)]).toEqual(['fail', ['lost-write 1', 'offset-gap 1']]);
  });

  it.each<[string, readonly Pass[]]>([
    [
      'the same client finds it later, and so does the other',
      [{ pass: 'full', client: 'kafkajs', lacks: [7] }, { pass: 'suspects-kafkajs', client: 'kafkajs' }, byWire()],
    ],
    [
      'the same client finds it later, and the other does not',
      [{ pass: 'full', client: 'kafkajs', lacks: [7] }, { pass: 'suspects-kafkajs', client: 'kafkajs' }, byWire(7)],
    ],
    [
      'the client that finds it is the one that missed it',
      [
        { pass: 'full', client: 'wire', lacks: [7] },
        { pass: 'suspects-kafkajs', client: 'kafkajs', lacks: [7] },
        byWire(),
      ],
    ],
    ['it is not known who missed it', [{ pass: 'full', lacks: [7] }, ...byKafkajs(7).slice(1), byWire()]],
    ['the client that missed it did not look again', [...byKafkajs(7).slice(0, 1), byWire()]],
    [
      'the client that missed it did not come to the end again',
      [
        { pass: 'full', client: 'kafkajs', lacks: [7] },
        { pass: 'suspects-kafkajs', client: 'kafkajs', lacks: [7], end: 'timeout' },
        byWire(),
      ],
    ],
    ['the client that finds it did not come to the end', [...byKafkajs(7), { ...byWire(), end: 'timeout' }]],
    ['it is not known who finds it', [...byKafkajs(7), { pass: 'suspects-wire' }]],
  ])('a stale read is one where %s', async (_, passes) => {
    await writeRun(passes, everything);
    const judgement = await judged();
    expect(judgement.verdict).toBe('fail');
    expect(found(judgement)).toContain('stale-read 1');
  });

  it('what a main pass showed and a later one lacks is no suspect', async () => {
    const main: Pass = { pass: 'full', client: 'wire' };
    await writeRun([main, ...byKafkajs(7).slice(1), byWire()], everything);
    expect(found(await judged())).toContain('divergent-route 1');
  });

  it('another record that stands there', async () => {
    const others = new Map([[7, 6]]);
    const [full, again] = byKafkajs() as [Pass, Pass];
    await writeRun([{ ...full, others }, { ...again, others }, byWire()], everything);
    expect(found(await judged())).toContain('inconsistent-offset 1');
  });

  it('what no line names', async () => {
    await writeRun([...byKafkajs(6, 7), byWire()], [missedByKafkajs(6)]);
    const judgement = await judged();
    expect([judgement.verdict, found(judgement)]).toEqual(['fail', ['stale-read 1']]);
    rmSync(directory, { recursive: true });
    directory = mkdtempSync(join(tmpdir(), 'ackproof-misses-'));
    await writeRun([...byKafkajs(7), byWire()]);
    expect((await judged()).verdict).toBe('fail');
  });
});

describe('a line about a client that was changed by hand', () => {
  const timeline = (): string => join(directory, 'timeline.ndjson');

  it.each([
    ['"ranges":[{"first":7', '"ranges":[{"first":"x"'],
    ['"ranges":[', '"ranges":5,"more":['],
    ['"client":"kafkajs"', '"client":5'],
    ['"missed":{', '"missed":5,"other":{'],
  ])('excuses nothing where it makes no sense (%s)', async (from, to) => {
    await writeRun([...byKafkajs(7), byWire()], [missedByKafkajs(7)]);
    const text = readFileSync(timeline(), 'utf8');
    expect(text).toContain(from);
    writeFileSync(timeline(), text.replace(from, to));
    const judgement = await judged();
    expect(judgement.verdict).toBe('fail');
    expect(judgement.inconclusiveBecause.join()).toContain('client-anomaly');
    expect(judgement.inconclusiveBecause.join()).toContain('does not say what was missed');
  });

  it('never makes a pass with one byte changed anywhere, in it or in a pass', async () => {
    await writeRun([...byKafkajs(7), byWire()], [missedByKafkajs(7)]);
    for (const path of [timeline(), ...[0, 1, 2].map((pass) => join(directory, 'replay', `00${pass}.rows`))]) {
      const whole = readFileSync(path);
      for (let at = path === timeline() ? 0 : 16; at < whole.length; at += 3) {
        const damaged = Buffer.from(whole);
        damaged[at] = (damaged[at] as number) ^ 0x41;
        writeFileSync(path, damaged);
        expect(`${at} ${(await judgeRun(directory)).judgement.verdict}`).not.toBe(`${at} pass`);
      }
      writeFileSync(path, whole);
    }
  });

  it('never makes a pass of it, and excuses nothing that the passes do not show', async () => {
    await writeRun([...byKafkajs(7), byWire(7)]);
    const line = { order: 99, ...missedLine(missedByKafkajs(...RISING)) };
    appendFileSync(timeline(), `${JSON.stringify(line)}\n`);
    expect((await judged()).verdict).toBe('fail');
  });
});
