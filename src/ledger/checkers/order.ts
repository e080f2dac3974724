// Records in an order that nobody sent them in. Proved: an earlier record of one producer stands above a later one; a record
// that was sent after an acknowledgement stands at or below the acknowledged offset; a pass went back. Known false alarms,
// guarded: retries, late unknown records, acknowledgements that named a wrong offset.
import { duplicateAcks, hasAckOffsetMismatch } from '../acked-offsets.ts';
import { illegal, legal, NEVER, type Ruling, ruleOnLoss } from '../legality.ts';
import { readsByRange } from '../offset-gaps.ts';
import type { PartitionView } from '../partition-view.ts';
import type { Moment } from '../run-facts.ts';
import type { LaneView, SentView } from '../sent-view.ts';
import { forEachSuspect, type SuspectRecord, suspectRecord } from '../sightings.ts';
import { Tally } from '../tally.ts';
import { type Checker, exampleOf, type Report } from './checker.ts';

/** The lowest offset at which the partition's own first pass (or any pass) shows a record. */
const lowestOffset = (view: PartitionView, record: SuspectRecord, pass?: number): number | undefined => {
  let lowest: number | undefined;
  for (const sighting of record.sightings) {
    if (sighting.partition !== view.partition || (pass !== undefined && sighting.pass !== pass)) continue;
    if (lowest === undefined || sighting.offset < lowest) lowest = sighting.offset;
  }
  return lowest;
};

/** The order of one lane in one pass, record by record. */
class LaneOrder {
  readonly #view: PartitionView;
  readonly #report: Report;
  readonly #mayHaveMoved: boolean;
  #highest = Number.NEGATIVE_INFINITY;
  /** The highest of the records whose own sending explains no disorder. */
  #highestFirm = Number.NEGATIVE_INFINITY;

  constructor(view: PartitionView, report: Report) {
    this.#view = view;
    this.#report = report;
    this.#mayHaveMoved = view.topic.compacted || view.logStart > (view.baseline?.earliest ?? 0);
  }

  /** Records at consecutive offsets, all shown. */
  run(sent: SentView, first: number): void {
    const { count, seq } = sent.run;
    if (first < this.#highest) {
      for (let index = 0; index < count; index++) this.record(suspectRecord(sent, seq + index), first + index);
      return;
    }
    this.#raise(sent, first + count - 1);
  }

  record(record: SuspectRecord, offset: number): void {
    if (offset < this.#highest) {
      const example = { ...exampleOf(record), offset, detail: `an earlier record stands at ${this.#highest}` };
      this.#report.found({ anomaly: 'nonmonotonic-send', ruling: this.#rule(record.sent, offset), example });
    }
    this.#raise(record.sent, offset);
  }

  #raise(sent: SentView, offset: number): void {
    this.#highest = Math.max(this.#highest, offset);
    if (this.#isFirm(sent)) this.#highestFirm = Math.max(this.#highestFirm, offset);
  }

  #isFirm({ run }: SentView): boolean {
    if (run.tainted || run.outcome !== 'ok') return false;
    return this.#view.contract.idempotence || run.attempts <= 1;
  }

  #rule(sent: SentView, offset: number): Ruling {
    const firmAbove = this.#highestFirm > offset;
    if (this.#view.contract.idempotence) {
      if (firmAbove) return illegal('idempotence is on, and the earlier record was sent once');
      return this.#mayHaveMoved
        ? legal('an earlier copy of the earlier record may be below the log start')
        : illegal('idempotence is on, and nothing took an earlier copy');
    }
    return firmAbove && this.#isFirm(sent)
      ? illegal('both records were sent once')
      : legal('one of the two was retried or unknown, and idempotence is off');
  }
}

const checkLane = (view: PartitionView, lane: LaneView, report: Report): void => {
  const pass = view.passes[0];
  if (pass === undefined) return;
  const order = new LaneOrder(view, report);
  for (const sent of lane.sent) {
    const { run } = sent;
    if (!sent.isSuspect) {
      if ((sent.shownBy & 1) === 1 && run.offset !== undefined) order.run(sent, run.offset);
      continue;
    }
    for (let seq = run.seq; seq < run.seq + run.count; seq++) {
      const record = suspectRecord(sent, seq);
      const offset = lowestOffset(view, record, pass.index);
      if (offset !== undefined) order.record(record, offset);
    }
  }
};

const checkRealTime = (view: PartitionView, report: Report): void => {
  let isMuted: boolean | undefined;
  forEachSuspect(view, (record) => {
    const { floor } = record.sent;
    const lowest = floor === undefined ? undefined : lowestOffset(view, record);
    if (floor === undefined || lowest === undefined || lowest > floor.offset) return;
    isMuted ??= hasAckOffsetMismatch(view) || duplicateAcks(view).length > 0;
    if (isMuted) return;
    const { run, offset } = floor;
    report.found({
      anomaly: 'realtime-order',
      ruling: ruleOnLoss(view, { at: run.settled as Moment, offset, epoch: run.epoch }),
      example: {
        ...exampleOf(record),
        offset: lowest,
        detail: `sent after ${offset} was acknowledged to ${run.producer}`,
      },
    });
  });
};

const checkPolls = (view: PartitionView, report: Report): void => {
  const falls = new Tally();
  for (const pass of view.passes) {
    falls.nextPass();
    for (const reads of readsByRange(pass)) {
      let last: number | undefined;
      for (const read of reads) {
        if (last !== undefined && read.offset <= last && falls.isNew(`${last} ${read.offset}`)) {
          const example = { offset: read.offset, detail: `returned after ${last} in pass ${pass.name}` };
          report.found({ anomaly: 'nonmonotonic-poll', ruling: NEVER, example });
        }
        last = read.offset + read.count - 1;
      }
    }
  }
};

export const order: Checker<'order'> = {
  kind: 'order',
  detects: ['nonmonotonic-poll', 'nonmonotonic-send', 'realtime-order'],
  summary: 'Records stand in the order they were sent in, and are read in the order they stand in.',
  check: (view, report) => {
    for (const lane of view.lanes) checkLane(view, lane, report);
    checkRealTime(view, report);
    checkPolls(view, report);
  },
};
