// Acknowledged records that are not there, or that a pass went past. Proved: the record was acknowledged, and no pass shows it
// at any offset of the topic. Not proved: that it is gone from storage; a pass that did not come there makes it `unseen`.
// Known false alarms, all guarded: a log start that retention moved, a stale leader's `latest`, a pass that stopped early.
import {
  legal,
  NEVER,
  promisedBy,
  type Ruling,
  ruleOnLoss,
  ruleOnLostPrefix,
  ruleOnLostWrite,
  ruleOnReset,
} from '../legality.ts';
import { type Loss, lossOf } from '../loss.ts';
import { covers, type PartitionView } from '../partition-view.ts';
import { forEachSuspect, isShownIn, type SuspectRecord } from '../sightings.ts';
import { type Checker, exampleOf } from './checker.ts';

const ruleOn = (view: PartitionView, record: SuspectRecord, loss: Loss): Ruling => {
  switch (loss) {
    case 'log-reset':
      return ruleOnReset(view, record);
    case 'lost-prefix':
      return ruleOnLostPrefix(view, record);
    case 'lost-write':
      return ruleOnLostWrite(view, record);
    case 'lost-tail':
      return ruleOnLoss(view, promisedBy(record));
    case 'unseen':
      return NEVER;
  }
};

/** A pass lacks the record although it covered an offset at which a later pass shows it. */
const isStale = (view: PartitionView, record: SuspectRecord): boolean =>
  record.sightings.some(({ pass, partition, offset }) => {
    const ranges = view.places.get(partition)?.ranges ?? new Map<number, never>();
    return [...ranges].some(([earlier, read]) => earlier < pass && covers(read, offset) && !isShownIn(record, earlier));
  });

export const lostWrite: Checker<'lost-write'> = {
  kind: 'lost-write',
  detects: ['log-reset', 'lost-prefix', 'lost-tail', 'lost-write', 'stale-read', 'unseen'],
  summary: 'Every acknowledged record is read back, by every pass that came to it.',
  check: (view, report) => {
    forEachSuspect(view, (record) => {
      if (record.sent.run.outcome !== 'ok') return;
      const loss = lossOf(view, record);
      if (loss !== undefined) {
        report.found({ anomaly: loss, ruling: ruleOn(view, record, loss), example: exampleOf(record) });
      } else if (isStale(view, record)) {
        const ruling = view.contract.laggingReads ? legal('the contract permits lagging reads') : NEVER;
        report.found({ anomaly: 'stale-read', ruling, example: exampleOf(record) });
      }
    });
  },
};
