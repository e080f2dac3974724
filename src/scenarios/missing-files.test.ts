// A part as a run records it, with passes that stand in no plan, and then without one of its files: what is no longer there may
// take an accusation away, but it never makes a run pass.
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPart } from '../../test/support/part-fixture.ts';
import { judgePath } from '../ledger/judge-path.ts';
import type { Part } from './part.ts';

const RECORDS = 10;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-missing-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** One pass over both partitions, in which the records of `missing` do not show. */
const writePass = async (part: Part, name: string, missing: readonly number[] = []): Promise<void> => {
  const pass = part.openPass(name);
  for (const partition of part.partitions) {
    const place = { topic: part.topic, partition };
    for (let seq = 0; seq < RECORDS; seq++) {
      const id = { run: part.runId, producer: 'p1', incarnation: 0, partition, seq };
      if (!missing.includes(seq)) pass.observe({ ...place, offset: seq, id });
    }
    pass.observe({ ...place, offset: RECORDS, sentinel: true });
    pass.range({ ...place, from: 0, position: RECORDS + 1, end: 'complete' });
  }
  await pass.close();
};

/** Ten acknowledged records in each partition, read by one planned pass that shows them all, and by what `more` reads. */
const record = async (directory: string, more: (part: Part) => Promise<void>): Promise<void> => {
  const { part } = openPart(directory);
  part.tell({ t: 'plan', faults: [], passes: ['full'] });
  for (const partition of part.partitions) {
    const place = { topic: part.topic, partition };
    part.tell({ t: 'offsets', when: 'baseline', ...place, earliest: 0, latest: 0 });
    const sent = part.ledger.intent({ producer: 'p1', incarnation: 0, ...place, firstSeq: 0, count: RECORDS, at: 1 });
    part.ledger.outcome(sent, { at: 2, outcome: 'ok', baseOffset: 0, attempts: 1, tainted: false });
    part.tell({ t: 'offsets', when: 'after-producers', ...place, earliest: 0, latest: RECORDS });
    part.tell({ t: 'sentinel', ...place, offset: RECORDS });
  }
  await part.ledger.close();
  await writePass(part, 'full');
  await more(part);
  await part.close();
};

const verdictOf = async (directory: string): Promise<string> => {
  try {
    const { verdict, because } = (await judgePath(directory)).result.judgement;
    return `${verdict}: ${because}`;
  } catch (thrown) {
    return `refused: ${(thrown as { readonly kind: string }).kind}`;
  }
};

describe('a recorded part of which a file is missing', () => {
  it('passes as long as all passes are there that were begun', async () => {
    const whole = join(folder, 'whole');
    await record(whole, async (part) => await writePass(part, 'full-under-fault'));
    expect(await verdictOf(whole)).toMatch(/^pass: 20 acked records all read back in 2 passes/);
  });

  it.each(['full-under-fault', 'suspects-wire', 'destroyed'])(
    'never passes, whichever file it is, when the pass "%s" showed a loss',
    async (pass) => {
      const whole = join(folder, 'whole');
      await record(whole, async (part) => await writePass(part, pass, [3, 4]));
      expect(await verdictOf(whole)).toMatch(/^fail/);
      const files = readdirSync(whole, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      expect(files.map(({ name }) => name).sort()).toEqual([
        '000.rows',
        '001.rows',
        'contract.json',
        'harness.rows',
        'timeline.ndjson',
      ]);
      for (const { parentPath, name } of files) {
        const copy = join(folder, `without-${name}`);
        cpSync(whole, copy, { recursive: true });
        rmSync(join(copy, parentPath.slice(whole.length), name));
        expect(`${name}: ${await verdictOf(copy)}`).not.toContain(': pass');
      }
    },
  );

  it('names the pass that was begun and is not there', async () => {
    const whole = join(folder, 'whole');
    await record(whole, async (part) => await writePass(part, 'full-under-fault'));
    rmSync(join(whole, 'replay', '001.rows'));
    expect(await verdictOf(whole)).toContain('the pass "full-under-fault" was planned and nothing of it is there');
  });
});
