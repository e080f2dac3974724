import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { withRunFacts } from './grouped-run.ts';
import { judge } from './judge.ts';
import { createLedger } from './ledger-writer.ts';
import { openRun } from './recorded-run.ts';
import { createReplay, type ObservedRecord } from './replay-writer.ts';
import type { RunFacts } from './run-facts.ts';
import { runOrder } from './run-order.ts';
import { createTimeline } from './timeline-writer.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-grouped-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const readsOf = (partition: number, seq: number): ObservedRecord[] => {
  if (partition === 1 && seq === 5) return [];
  const id = { run: 'r', producer: 'p1', incarnation: 0, partition, seq };
  const place = partition === 2 && seq === 9 ? { partition: 0, offset: 10 } : { partition, offset: seq };
  return [{ topic: 'orders', ...place, id, checksumOk: true, sentinel: false, control: false }];
};

/** Three partitions of ten records; partition 1 lacks one, and one of partition 2 is read in partition 0. `again`: one is sent twice. */
const writeRun = async (again = false): Promise<void> => {
  const contract = { minInSyncReplicas: 2 };
  const topics = [{ topic: 'orders', partitions: 4, replicationFactor: 3 }];
  const header = { t: 'history', version: 1, run: 'r', contract, topics };
  writeFileSync(join(directory, 'contract.json'), JSON.stringify(header));
  const order = runOrder();
  const ledger = createLedger(directory, { run: 'r', clock: systemClock, order });
  const timeline = createTimeline(directory, order);
  const replay = createReplay(directory, { run: 'r', clock: systemClock, pass: 'full', position: 0 });
  const snapshot = { t: 'offsets', at: 0, when: 'baseline', topic: 'orders', earliest: 0, latest: 0 } as const;
  for (const partition of [0, 1, 2, 3]) timeline.write({ ...snapshot, partition });
  for (let seq = 0; seq < 10; seq++) {
    for (const partition of [0, 1, 2]) {
      const run = { producer: 'p1', incarnation: 0, topic: 'orders', partition, firstSeq: seq, count: 1, at: seq + 1 };
      const handle = ledger.intent(run);
      if (again && partition === 2 && seq === 4) ledger.intent(run);
      ledger.outcome(handle, { at: seq + 1, outcome: 'ok', baseOffset: seq, attempts: 1, tainted: false });
      for (const read of readsOf(partition, seq)) replay.observe(read);
    }
  }
  for (const partition of [0, 1, 2]) {
    replay.range({ topic: 'orders', partition, from: 0, position: partition === 0 ? 11 : 10, end: 'complete' });
  }
  for (const writer of [ledger, timeline, replay]) await writer.close();
};

/** Whether what was loaded of a partition is let go of when another one is loaded. */
const letsGo = (facts: RunFacts): boolean => {
  const first = facts.load('orders', 0).lanes[0];
  facts.load('orders', 1);
  return facts.load('orders', 0).lanes[0] !== first;
};

describe('a large run', () => {
  it('is held one group of partitions at a time, a small one as a whole', async () => {
    await writeRun();
    expect(withRunFacts(directory, letsGo, 0)).toBe(true);
    expect(withRunFacts(directory, letsGo)).toBe(false);
  });

  it('gives the same facts and the same judgement as when it is read as a whole', async () => {
    await writeRun();
    const whole = openRun(directory).facts;
    expect(withRunFacts(directory, judge, 0)).toEqual(judge(whole));
    withRunFacts(
      directory,
      (facts) => {
        for (const { topic, partition } of whole.partitions) {
          expect(facts.load(topic, partition)).toEqual(whole.load(topic, partition));
        }
        expect([...facts.partitions].sort((one, other) => one.partition - other.partition)).toEqual(
          [...whole.partitions].sort((one, other) => one.partition - other.partition),
        );
        expect(facts).toMatchObject({ lastAt: whole.lastAt, passes: whole.passes, strays: whole.strays });
      },
      0,
    );
    const found = judge(whole).findings.map(({ anomaly, partition }) => `${anomaly} ${partition}`);
    expect(found).toEqual(['lost-write 1', 'offset-gap 1', 'wrong-partition 2']);
  });

  it('is read as a whole where its files are damaged, and where they contradict themselves', async () => {
    await writeRun(true);
    const contradicting = withRunFacts(directory, judge, 0);
    expect(contradicting).toEqual(judge(openRun(directory).facts));
    expect(contradicting.inconclusiveBecause.join()).toContain('ledger-damaged: Record 4 of producer p1');
    const [name] = readdirSync(join(directory, 'ledger'));
    const path = join(directory, 'ledger', name ?? '');
    writeFileSync(path, readFileSync(path).subarray(0, -7));
    appendFileSync(path, 'x');
    expect(withRunFacts(directory, judge, 0)).toEqual(judge(openRun(directory).facts));
    expect(withRunFacts(directory, letsGo, 0)).toBe(false);
  });

  it('takes what is thrown by its user for no contradiction', async () => {
    await writeRun();
    const broken = (): never => {
      throw new RangeError('mine');
    };
    expect(() => withRunFacts(directory, broken, 0)).toThrow('mine');
  });
});
