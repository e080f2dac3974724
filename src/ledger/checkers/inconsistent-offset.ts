// Records at places that contradict their acknowledgement or each other. Proved: two sources name different records for one
// offset, or one record for two places. Known false alarms, guarded: control records, a retried copy that stands below the
// acknowledged one, an acknowledged copy that a legal truncation cut.
import { type DuplicateAck, duplicateAcks, isAckOffsetMismatch, nameOf } from '../acked-offsets.ts';
import { legal, NEVER, promisedBy, type Ruling, ruleOnLoss } from '../legality.ts';
import type { PartitionView } from '../partition-view.ts';
import { forEachSuspect, type SuspectRecord } from '../sightings.ts';
import { disagreements, standingAt } from '../standing.ts';
import { type Checker, exampleOf, type Report } from './checker.ts';

/** Legal if the loss of all but one of them would be. */
const ruleOnDuplicateAck = (view: PartitionView, records: readonly SuspectRecord[]): Ruling => {
  const rulings = records.map((record) => ruleOnLoss(view, promisedBy(record)));
  const firm = rulings.filter((ruling) => ruling.legal && ruling.doubt === undefined);
  const doubtful = rulings.filter((ruling) => ruling.legal && ruling.doubt !== undefined);
  const needed = records.length - 1;
  if (firm.length >= needed) return firm[0] ?? NEVER;
  if (firm.length + doubtful.length >= needed) return doubtful[0] ?? NEVER;
  return rulings.find((ruling) => !ruling.legal) ?? NEVER;
};

const ruleOnMismatch = (view: PartitionView, record: SuspectRecord): Ruling => {
  if (!record.sent.run.tainted) return NEVER;
  if (view.topic.compacted) return legal('sent again, and the topic is compacted');
  if (record.offset !== undefined && record.offset < view.logStart) {
    return legal('sent again, and the log start is above the acknowledged copy');
  }
  return ruleOnLoss(view, promisedBy(record));
};

/** At the acknowledged offset of a record that nobody shows stands another one, which was not acknowledged there too. */
const reportOverwritten = (view: PartitionView, duplicates: readonly DuplicateAck[], report: Report): void => {
  const disputed = disagreements(view);
  const ackedAt = new Map(duplicates.map(({ offset, records }) => [offset, new Set(records.map(nameOf))]));
  forEachSuspect(view, (record) => {
    const { offset, sightings } = record;
    if (offset === undefined || sightings.length > 0 || disputed.has(offset)) return;
    const standing = [...standingAt(view, offset).keys()];
    const [other] = standing;
    if (other === undefined || standing.some((name) => ackedAt.get(offset)?.has(name) === true)) return;
    report.found({
      anomaly: 'inconsistent-offset',
      ruling: ruleOnLoss(view, promisedBy(record)),
      example: exampleOf(record, `there stands ${other}`),
    });
  });
};

const reportDisagreements = (view: PartitionView, report: Report): void => {
  for (const offset of disagreements(view)) {
    const detail = `the passes show ${[...standingAt(view, offset).keys()].join(', and ')}`;
    report.found({ anomaly: 'inconsistent-offset', ruling: NEVER, example: { offset, detail } });
  }
};

const reportDuplicateAcks = (view: PartitionView, duplicates: readonly DuplicateAck[], report: Report): void => {
  for (const { offset, records } of duplicates) {
    const names = records.map(nameOf);
    report.found({
      anomaly: 'duplicate-ack-offset',
      ruling: ruleOnDuplicateAck(view, records),
      count: records.length,
      example: { ...exampleOf(records[0] as SuspectRecord), offset, detail: `acknowledged there: ${names.join(', ')}` },
    });
  }
};

export const inconsistentOffset: Checker<'inconsistent-offset'> = {
  kind: 'inconsistent-offset',
  detects: ['ack-offset-mismatch', 'duplicate-ack-offset', 'inconsistent-offset', 'wrong-partition'],
  summary: 'Each offset holds one record, the one that was acknowledged there.',
  check: (view, report) => {
    reportDisagreements(view, report);
    const duplicates = duplicateAcks(view);
    reportDuplicateAcks(view, duplicates, report);
    reportOverwritten(view, duplicates, report);
    forEachSuspect(view, (record) => {
      if (isAckOffsetMismatch(view, record)) {
        const seen = record.sightings.map(({ offset }) => offset);
        const example = exampleOf(record, `stands at ${[...new Set(seen)].join(', ')}`);
        report.found({ anomaly: 'ack-offset-mismatch', ruling: ruleOnMismatch(view, record), example });
      }
      const elsewhere = record.sightings.find(({ partition }) => partition !== view.partition);
      if (elsewhere !== undefined) {
        const example = exampleOf(record, `stands in partition ${elsewhere.partition} at ${elsewhere.offset}`);
        report.found({ anomaly: 'wrong-partition', ruling: NEVER, example });
      }
    });
  },
};
