// The shape of the log itself: holes, an end that falls, leader epochs that fall. Proved from snapshots and reads, not from
// records. Known false alarms, guarded: control records, compaction, answers of an old leader, a high watermark that lags
// behind acks=1.
import { illegal, NEVER, type Promised, promisedBySnapshot, type Ruling, ruleOnLoss } from '../legality.ts';
import { offsetGaps } from '../offset-gaps.ts';
import type { PartitionView, SnapshotView } from '../partition-view.ts';
import { isBefore } from '../run-facts.ts';
import { suspectRecord } from '../sightings.ts';
import { Tally } from '../tally.ts';
import type { Checker, Report } from './checker.ts';

const reportGaps = (view: PartitionView, report: Report): void => {
  const holes = new Tally();
  let current: number | undefined;
  for (const { pass, first, last } of offsetGaps(view)) {
    if (pass !== current) holes.nextPass();
    current = pass;
    if (!holes.isNew(`${first} ${last}`)) continue;
    const detail = first === last ? 'nothing stands there' : `nothing stands at ${first} to ${last}`;
    const ruling = illegal('neither control records nor compaction explain it');
    report.found({ anomaly: 'offset-gap', ruling, example: { offset: first, detail }, lastOffset: last });
  }
};

/** Promises of acknowledgements at or above a later `latest`, of records that are there. */
const passedBy = (view: PartitionView, snapshot: SnapshotView): Promised[] => {
  const promises: Promised[] = [];
  for (const { sent } of view.lanes) {
    for (const one of sent) {
      const { offset, count, settled, seq, epoch } = one.run;
      if (offset === undefined || settled === undefined || offset + count <= snapshot.latest) continue;
      if (!isBefore(settled, snapshot)) continue;
      for (let index = Math.max(0, snapshot.latest - offset); index < count; index++) {
        const isSeen = !one.isSuspect || suspectRecord(one, seq + index).sightings.length > 0;
        if (isSeen) promises.push({ at: settled, offset: offset + index, epoch });
      }
    }
  }
  return promises;
};

/** Illegal if any of them is; in doubt if any legal one is. */
const worst = (rulings: readonly Ruling[]): Ruling | undefined =>
  rulings.find((ruling) => !ruling.legal) ?? rulings.find(({ doubt }) => doubt !== undefined) ?? rulings[0];

const reportEnds = (view: PartitionView, report: Report): void => {
  let before: SnapshotView | undefined;
  for (const snapshot of view.snapshots) {
    if (snapshot.stale) continue;
    const promises: Promised[] = [];
    if (before !== undefined && snapshot.latest < before.latest) promises.push(promisedBySnapshot(before));
    if (view.contract.acks === 'all') promises.push(...passedBy(view, snapshot));
    const ruling = worst(promises.map((promise) => ruleOnLoss(view, promise)));
    if (ruling !== undefined) {
      const detail = `${snapshot.when} says the log ends at ${snapshot.latest}; ${promises[0]?.offset} was there before`;
      report.found({ anomaly: 'hwm-regression', ruling, example: { offset: snapshot.latest, detail } });
    }
    before = snapshot;
  }
};

const reportEpochs = (view: PartitionView, report: Report): void => {
  const falls = new Tally();
  for (const { reads, name } of view.passes) {
    falls.nextPass();
    let before: { epoch: number; offset: number } | undefined;
    for (const { epoch, offset, count } of reads) {
      if (epoch === undefined) continue;
      const isFall = before !== undefined && epoch < before.epoch && offset > before.offset;
      if (before !== undefined && isFall && falls.isNew(`${before.offset} ${before.epoch} ${offset} ${epoch}`)) {
        const detail = `epoch ${epoch} after epoch ${before.epoch} in pass ${name}`;
        report.found({ anomaly: 'leader-epoch-regression', ruling: NEVER, example: { offset, detail } });
      }
      before = { epoch, offset: offset + count - 1 };
    }
  }
};

export const logBounds: Checker<'log-bounds'> = {
  kind: 'log-bounds',
  detects: ['hwm-regression', 'leader-epoch-regression', 'offset-gap'],
  summary: 'The log has no holes, its end never falls, and its leader epochs rise with its offsets.',
  check: (view, report) => {
    reportGaps(view, report);
    reportEnds(view, report);
    reportEpochs(view, report);
  },
};
