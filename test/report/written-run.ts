// A small run directory for tests of reports, written by the writers of a run.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/clock.ts';
import { judgeRun } from '../../src/ledger/judge-run.ts';
import type { RunResult } from '../../src/ledger/judgement.ts';
import { createLedger } from '../../src/ledger/ledger-writer.ts';
import { createReplay } from '../../src/ledger/replay-writer.ts';
import { runOrder } from '../../src/ledger/run-order.ts';
import type { RunRecord } from '../../src/ledger/run-record.ts';
import { createTimeline } from '../../src/ledger/timeline-writer.ts';
import { exampleRecord } from '../support/example-record.ts';

const topic = 'orders';

/** Writes a run into `directory` and judges it: ten records acknowledged; the pass reads the first `read` of them and comes to the end. */
export const writeRun = async (directory: string, read: number): Promise<RunResult> => {
  const header = { t: 'history', version: 1, run: 'r', contract: { minInSyncReplicas: 2 } };
  writeFileSync(
    join(directory, 'contract.json'),
    JSON.stringify({ ...header, topics: [{ topic, partitions: 1, replicationFactor: 3 }] }),
  );
  const order = runOrder();
  const ledger = createLedger(directory, { run: 'r', clock: systemClock, order });
  const timeline = createTimeline(directory, order);
  const lane = { producer: 'p1', incarnation: 0, topic, partition: 0 };
  const handle = ledger.intent({ ...lane, firstSeq: 0, count: 10, at: 1 });
  ledger.outcome(handle, { at: 2, outcome: 'ok', baseOffset: 0, attempts: 1, tainted: false });
  await ledger.close();
  await timeline.close();
  const replay = createReplay(directory, { run: 'r', clock: systemClock, pass: 'full', position: 0 });
  for (let offset = 0; offset < read; offset++) {
    const id = { run: 'r', producer: 'p1', incarnation: 0, partition: 0, seq: offset };
    replay.observe({ topic, partition: 0, offset, id, checksumOk: true, sentinel: false, control: false });
  }
  replay.range({ topic, partition: 0, from: 0, position: 10, end: 'complete' });
  await replay.close();
  return await judgeRun(directory);
};

/** The run.json of such a run. */
export const recordOf = (result: RunResult): RunRecord =>
  exampleRecord({
    parts: [{ part: 'main', directory: '.', topic, partitions: 1, phases: [], faults: [], passes: [], result }],
    verdict: result.judgement.verdict,
    because: result.judgement.because,
  });
