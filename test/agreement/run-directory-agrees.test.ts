// A run directory and a text history of the same run are judged alike: random histories are written through the writers of a
// live run, judged from their files, as a whole and a group of partitions at a time, exported, and judged again.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { InputError } from '../../src/errors.ts';
import { withRunFacts } from '../../src/ledger/grouped-run.ts';
import { parseHeaderLine } from '../../src/ledger/header-line.ts';
import type { AckLine, BodyLine, ErrorLine, HistoryLine, ReadLine, SendLine } from '../../src/ledger/history-lines.ts';
import { judge, judgeText } from '../../src/ledger/judge.ts';
import { judgeRun } from '../../src/ledger/judge-run.ts';
import type { Judgement } from '../../src/ledger/judgement.ts';
import { createLedger, type IntentHandle, type LedgerWriter } from '../../src/ledger/ledger-writer.ts';
import { createReplay, type ObservedRecord, type ReplayWriter } from '../../src/ledger/replay-writer.ts';
import { settlementOf } from '../../src/ledger/settle-outcome.ts';
import { LineParser } from '../../src/ledger/text-reader.ts';
import { createTimeline, type TimelineWriter } from '../../src/ledger/timeline-writer.ts';
import { randomHistory } from '../naive-judge/random-history.ts';
import { exportedRun } from '../support/exported-run.ts';

/** The writers of a live run, fed from lines. */
class LiveRun {
  readonly #header: HistoryLine;
  readonly #directory: string;
  readonly #ledger: LedgerWriter;
  readonly #timeline: TimelineWriter;
  readonly #passes = new Map<number | string, ReplayWriter>();
  readonly #open = new Map<string, { readonly handle: IntentHandle; readonly count: number }>();
  #line = 0;

  constructor(directory: string, header: HistoryLine) {
    this.#header = header;
    this.#directory = directory;
    writeFileSync(join(directory, 'contract.json'), JSON.stringify(header));
    const order = { next: () => this.#line };
    this.#ledger = createLedger(directory, { run: header.run, clock: systemClock, order });
    this.#timeline = createTimeline(directory, order);
  }

  /** False where an outcome does not cover exactly one send: a live run has no such thing. */
  add(line: BodyLine): boolean {
    this.#line++;
    switch (line.t) {
      case 'send':
        this.#open.set(laneSeq(line), {
          handle: this.#ledger.intent({ ...line, firstSeq: line.seq }),
          count: line.count,
        });
        return true;
      case 'ack':
      case 'error':
        return this.#settle(line);
      case 'read':
        for (let index = 0; index < line.count; index++) this.#pass(line.pass).observe(this.#record(line, index));
        return true;
      case 'pass':
        this.#pass(line.pass).range(line);
        return true;
      default:
        this.#timeline.write(line);
        return true;
    }
  }

  async close(): Promise<void> {
    await this.#ledger.close();
    await this.#timeline.close();
    for (const pass of this.#passes.values()) await pass.close();
  }

  #settle(line: AckLine | ErrorLine): boolean {
    const sent = this.#open.get(laneSeq(line));
    if (sent?.count !== line.count) return false;
    const { outcome } = settlementOf(line, this.#header.contract);
    const { at, attempts, tainted } = line;
    const answer =
      line.t === 'ack'
        ? { ...(line.offset === undefined ? {} : { baseOffset: line.offset }), ...leaderEpoch(line) }
        : { ...(line.code === undefined ? {} : { code: line.code }), notSent: line.notSent ?? false };
    this.#ledger.outcome(sent.handle, { at, attempts, tainted, outcome, ...answer });
    return true;
  }

  #pass(pass: number | string): ReplayWriter {
    let writer = this.#passes.get(pass);
    if (writer === undefined) {
      const options = { run: this.#header.run, clock: systemClock, pass, position: this.#passes.size };
      writer = createReplay(this.#directory, options);
      this.#passes.set(pass, writer);
    }
    return writer;
  }

  #record(line: ReadLine, index: number): ObservedRecord {
    const { topic, partition, offset, id, epoch, producerId, producerEpoch, sentinel, control } = line;
    return {
      topic,
      partition,
      offset: offset + index,
      checksumOk: line.checksum !== 'bad',
      sentinel: sentinel ?? false,
      control: control ?? false,
      ...(epoch === undefined ? {} : { epoch }),
      ...(producerId === undefined ? {} : { producerId }),
      ...(producerEpoch === undefined ? {} : { producerEpoch }),
      ...(id === undefined ? {} : { id: { run: this.#header.run, partition, ...id, seq: id.seq + index } }),
    };
  }
}

const laneSeq = ({ topic, partition, producer, incarnation, seq }: SendLine | AckLine | ErrorLine): string =>
  [topic, partition, producer, incarnation, seq].join(' ');

const leaderEpoch = ({ epoch }: AckLine) => (epoch === undefined ? {} : { leaderEpoch: epoch });

const writeRun = async (directory: string, text: string): Promise<boolean> => {
  const [first, ...rest] = text.trimEnd().split('\n');
  const header = parseHeaderLine(JSON.parse(first ?? ''));
  const parser = new LineParser(header);
  const run = new LiveRun(directory, header);
  const taken = rest.every((line) => run.add(parser.parse(JSON.parse(line))));
  await run.close();
  return taken;
};

const findings = (judgement: Judgement) =>
  judgement.findings.map(({ topic, partition, anomaly, legal, severity, count }) => ({
    topic,
    partition,
    anomaly,
    legal,
    severity,
    count,
  }));

const isWellFormed = (text: string): boolean => {
  try {
    judgeText(text);
    return true;
  } catch (thrown) {
    if (thrown instanceof InputError) return false;
    throw thrown;
  }
};

describe('a run directory and its history', () => {
  it('are judged alike, and so is the export, on random runs', { timeout: 120_000 }, async () => {
    let compared = 0;
    const gates = new Set<string | undefined>();
    for (let seed = 0; seed < 120; seed++) {
      const text = randomHistory(seed);
      if (!isWellFormed(text)) continue;
      const directory = mkdtempSync(join(tmpdir(), 'ackproof-agree-'));
      try {
        if (!(await writeRun(directory, text))) continue;
        const { judgement } = await judgeRun(directory);
        expect(findings(judgement), `seed ${seed}`).toEqual(findings(judgeText(text)));
        expect(judgeText(await exportedRun(directory)), `export of seed ${seed}`).toEqual(judgement);
        expect(withRunFacts(directory, judge, 0), `seed ${seed}, by groups of partitions`).toEqual(judgement);
        gates.add(judgement.ownership?.state);
        compared++;
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    }
    expect(compared).toBeGreaterThan(80);
    expect([...gates].sort()).toEqual(['fail', 'inconclusive', 'pass']);
  });
});
