import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { judgeRun } from './judge-run.ts';
import { createLedger } from './ledger-writer.ts';
import { runOrder } from './run-order.ts';
import { createTimeline, TIMELINE_FILE } from './timeline-writer.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-judge-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Two partitions, acknowledged every 100 ms for 20 s; one of them is away from 5 s to 8 s. */
const writeRun = async (
  place: string,
  faults: Readonly<Record<string, number>> = {},
  standstill?: { readonly at: number; readonly ms: number },
): Promise<void> => {
  mkdirSync(place, { recursive: true });
  const topics = [{ topic: 'orders', partitions: 2 }];
  writeFileSync(
    join(place, 'contract.json'),
    JSON.stringify({ t: 'history', version: 1, run: 'r', contract: {}, topics }),
  );
  const order = runOrder();
  const ledger = createLedger(place, { run: 'r', clock: systemClock, order });
  const timeline = createTimeline(place, order);
  for (const [edge, at] of Object.entries(faults)) {
    timeline.write({ t: 'fault', at, fault: 'process-kill', id: 'kill-1', edge: edge as 'applied', victims: [1] });
  }
  if (standstill !== undefined) timeline.write({ t: 'standstill', ...standstill });
  for (let step = 0; step < 200; step++) {
    for (const partition of [0, 1]) {
      const at = 100 * step;
      if (partition === 1 && at > 5000 && at < 8000) continue;
      const intent = ledger.intent({
        producer: `p${partition}`,
        incarnation: 0,
        topic: 'orders',
        partition,
        firstSeq: step,
        count: 1,
        at,
      });
      ledger.outcome(intent, { at: at + 5, outcome: 'ok', baseOffset: step, attempts: 1, tainted: false });
    }
  }
  await ledger.close();
  await timeline.close();
};

describe('judgeRun', () => {
  const kill = { intent: 4990, applied: 5010, confirmed: 5100, healing: 7000, healed: 7500 };

  it('measures availability for each partition, and bounds against the worst', async () => {
    await writeRun(directory, kill);
    const result = await judgeRun(directory, { bounds: { recoverWithinMs: 2000, longestGapMs: 5000 } });
    expect(result.availability.map(({ partition, acked }) => [partition, acked])).toEqual([
      [0, 200],
      [1, 171],
    ]);
    expect(result.availability[1]?.outages[0]).toMatchObject({ from: 5005, to: 8005, recoveredAfterMs: 2995 });
    expect(result.boundResults.map(({ name, state, where }) => `${name} ${state} ${where}`)).toEqual([
      'recoverWithin missed orders/1 after kill-1',
      'longestGap met orders/1',
    ]);
    expect(result.bounds).toBe('missed');
  });

  // Red before: a machine that was too busy for ackproof itself missed the cluster's bound.
  it('does not hold a bound against the cluster that was missed while ackproof itself stood still', async () => {
    await writeRun(directory, kill, { at: 7000, ms: 1200 });
    const bounds = { recoverWithinMs: 2000 };
    const result = await judgeRun(directory, { bounds });
    expect(result.boundResults.map(({ state, where }) => `${state} ${where}`)).toEqual([
      'no-samples orders/1 after kill-1: ackproof itself stood still for 1.2 s of it',
    ]);
    expect(result.bounds).toBe('no-samples');
    // Whoever writes such a line into the files afterwards excuses nothing.
    const path = join(directory, TIMELINE_FILE);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"ms":1200', '"ms":1900'));
    expect((await judgeRun(directory, { bounds })).bounds).toBe('missed');
  });

  it('keeps heal, bounds and how the run ended apart from the verdict', async () => {
    await writeRun(directory, { ...kill, healed: 7500, 'heal-failed': 7600 });
    const result = await judgeRun(directory, { ended: 'interrupted' });
    expect(result).toMatchObject({ formatVersion: 1, heal: 'failed', bounds: 'met', ended: 'interrupted' });
    expect(result.judgement.verdict).toBe('inconclusive');
  });

  it('knows from the control run what is routine, and does without one that cannot be read', async () => {
    await writeRun(directory, { ...kill, applied: 2000, healed: 4000 });
    const away = async (): Promise<unknown> => (await judgeRun(directory)).availability[1]?.outages[0]?.ms;
    expect(await away()).toBe(3000);
    await writeRun(join(directory, 'control'));
    expect(await away()).toBe(100);
    writeFileSync(join(directory, 'control', 'contract.json'), '{}');
    expect(await away()).toBe(3000);
  });

  it('judges the control run by itself', async () => {
    await writeRun(directory, kill);
    await writeRun(join(directory, 'control'));
    const control = await judgeRun(join(directory, 'control'));
    expect(control.availability[0]?.outages).toEqual([]);
    expect(control.heal).toBe('clean');
  });
});
