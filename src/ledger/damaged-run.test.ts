// A run directory whose files were changed, cut or never finished: whatever was lost, it may not pass, and it may not accuse.
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { crc32c } from '../checksum.ts';
import { systemClock } from '../clock.ts';
import { parseHeaderLine } from './header-line.ts';
import { judgePath } from './judge-path.ts';
import { judgeRun } from './judge-run.ts';
import { createLedger } from './ledger-writer.ts';
import { createReplay } from './replay-writer.ts';
import { runOrder } from './run-order.ts';
import { createTimeline } from './timeline-writer.ts';

const RUN = 'r-1';
const place = { topic: 'orders', partition: 0 };
const edges = ['intent', 'applied', 'confirmed', 'healing', 'healed'] as const;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ackproof-damaged-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

interface Story {
  readonly part?: string;
  /** Whether the planned fault came to act. */
  readonly broken?: boolean;
  readonly plannedPasses?: readonly string[];
}

/** Ten records, a fault, one pass that shows them all and the sentinel. */
const writeRun = async ({ part = '.', broken = true, plannedPasses = ['full'] }: Story = {}): Promise<void> => {
  const folder = join(directory, part);
  mkdirSync(folder, { recursive: true });
  const header = parseHeaderLine({
    t: 'history',
    version: 1,
    run: RUN,
    contract: {},
    topics: [{ topic: 'orders', partitions: 1 }],
  });
  const text = Buffer.from(JSON.stringify(header));
  writeFileSync(join(folder, 'contract.json'), text);
  const order = runOrder();
  const ledger = createLedger(folder, { run: RUN, clock: systemClock, order, contract: crc32c(text) });
  const timeline = createTimeline(folder, order);
  timeline.write({ t: 'plan', at: 0, faults: [{ id: 'kill-1', fault: 'process-kill' }], passes: plannedPasses });
  timeline.write({ t: 'offsets', at: 0, when: 'baseline', ...place, earliest: 0, latest: 0 });
  const handle = ledger.intent({ producer: 'p1', incarnation: 0, ...place, firstSeq: 0, count: 10, at: 1 });
  ledger.outcome(handle, { at: 2, outcome: 'ok', baseOffset: 0, attempts: 1, tainted: false });
  if (broken)
    edges.forEach((edge, at) => timeline.write({ t: 'fault', at: 10 + at, fault: 'process-kill', id: 'kill-1', edge }));
  timeline.write({ t: 'offsets', at: 20, when: 'after-producers', ...place, earliest: 0, latest: 10 });
  timeline.write({ t: 'sentinel', at: 21, ...place, offset: 10 });
  await ledger.close();
  const replay = createReplay(folder, { run: RUN, clock: systemClock, pass: 'full', position: 0 });
  for (let seq = 0; seq < 10; seq++) {
    replay.observe({ ...place, offset: seq, id: { run: RUN, producer: 'p1', incarnation: 0, partition: 0, seq } });
  }
  replay.observe({ ...place, offset: 10, sentinel: true });
  replay.range({ ...place, from: 0, position: 11, end: 'complete' });
  await replay.close();
  await timeline.close();
};

const timelineFile = (): string => join(directory, 'timeline.ndjson');
const change = (file: string, by: (text: string) => string): void =>
  writeFileSync(file, by(readFileSync(file, 'utf8')));
const judged = async (): Promise<string> => {
  const { verdict, inconclusiveBecause } = (await judgeRun(directory)).judgement;
  return [verdict, ...inconclusiveBecause].join('; ');
};

describe('a damaged run directory', () => {
  it('passes as long as nothing was changed', async () => {
    await writeRun();
    expect(await judged()).toBe('pass');
  });

  it.each([
    ['is empty', () => ''],
    ['lost its end at the end of a line', (text: string) => `${text.split('\n').slice(0, 4).join('\n')}\n`],
    ['lost only its seal', (text: string) => `${text.trimEnd().split('\n').slice(0, -1).join('\n')}\n`],
  ])('does not pass when its timeline %s', async (_, by) => {
    await writeRun();
    change(timelineFile(), by);
    expect(await judged()).toContain('inconclusive; ledger-damaged: timeline.ndjson: it has no seal');
  });

  it.each([
    ['a line taken out', (text: string) => text.replace(/.*"confirmed".*\n/, '')],
    ['a line put in twice', (text: string) => text.replace(/(.*"confirmed".*\n)/, '$1$1')],
    ['a note between the seal and another line', (text: string) => text.replace('"at":10,', '"at":10.5,')],
  ])('does not pass with %s of its timeline', async (_, by) => {
    await writeRun();
    change(timelineFile(), by);
    expect(await judged()).toContain('inconclusive; ledger-damaged: timeline.ndjson: its seal does not fit');
  });

  it('accuses nobody of what a changed timeline says', async () => {
    await writeRun();
    // A log that ends below its baseline would be a reset: illegal, were it true.
    change(timelineFile(), (text) => text.replace('"earliest":0,"latest":0', '"earliest":0,"latest":90'));
    expect(await judged()).toMatch(/^inconclusive; ledger-damaged/);
  });

  it('is refused when its contract is not the one it was recorded under', async () => {
    await writeRun();
    change(join(directory, 'contract.json'), (text) => text.replace('"acks":"all"', '"acks":0'));
    await expect(judgeRun(directory)).rejects.toThrow('not the contract that the run was recorded under');
  });
});

describe('a run that was stopped', () => {
  it('does not pass when a planned fault never began', async () => {
    await writeRun({ broken: false });
    expect(await judged()).toBe('inconclusive; insufficient-samples: fault kill-1 was planned and never began');
  });

  it('does not pass when a planned pass was never made', async () => {
    await writeRun({ plannedPasses: ['full', 'cold'] });
    expect(await judged()).toBe(
      'inconclusive; insufficient-samples: the pass "cold" was planned and nothing of it is there',
    );
  });

  it.each(['preflight', 'control'])('does not pass when nothing came after its %s part', async (part) => {
    await writeRun({ part });
    const { judgement } = (await judgePath(directory)).result;
    expect(judgement.verdict).toBe('inconclusive');
    expect(judgement.because).toBe('the run ended before its main part: nothing was broken yet');
  });

  it.each(['null', '[]', '"x"', '{"formatVersion":1,"bounds":7,"ended":["complete"]}', '{"ended":"complete"}'])(
    'is judged, or refused with a sentence, when run.json says %s',
    async (text) => {
      await writeRun();
      writeFileSync(join(directory, 'run.json'), text);
      const told = await judgePath(directory).then(
        ({ result }) => result.judgement.verdict,
        (thrown: unknown) => (thrown as { readonly kind?: string }).kind,
      );
      expect(['pass', 'input']).toContain(told);
    },
  );
});

// Red before: "the last 1 bytes are torn off".
it('says of a single byte that it is torn off', async () => {
  await writeRun();
  const folder = join(directory, 'ledger');
  const [name = ''] = readdirSync(folder);
  appendFileSync(join(folder, name), Buffer.of(1));
  expect((await judgeRun(directory)).judgement.because).toMatch(/: the last byte is torn off a frame/);
});
