// Records that nobody sent: ids of this run without an intent, and foreign records in a topic that is the run's alone. Proved:
// the log returned them. Known false alarms, guarded: what stood there before the run, shared topics.
import { NEVER } from '../legality.ts';
import type { PartitionView } from '../partition-view.ts';
import { Told } from '../told.ts';
import type { Checker, Report } from './checker.ts';

const reportUnsent = (view: PartitionView, report: Report): void => {
  const told = new Told();
  for (const { producer, incarnation, partition, seq, count, offset } of view.unsent) {
    const what = `${partition} ${seq - offset} ${incarnation} ${producer}`;
    told.once(what, offset, offset + count - 1, (at) => {
      const example = { producer, incarnation, seq: seq - offset + at, offset: at, detail: 'never sent' };
      report.found({ anomaly: 'phantom', ruling: NEVER, partition, example });
    });
  }
};

/** Foreign records at or above this offset came after the run began. */
const firstSuspicious = (view: PartitionView): number => {
  if (view.baseline !== undefined) return view.baseline.latest;
  let lowest = Number.POSITIVE_INFINITY;
  for (const { reads } of view.passes) {
    for (const { id, offset } of reads) if (id !== undefined && offset < lowest) lowest = offset;
  }
  return lowest + 1;
};

const reportForeign = (view: PartitionView, report: Report): void => {
  const from = firstSuspicious(view);
  const told = new Told();
  for (const { reads } of view.passes) {
    for (const { id, sentinel, control, foreign = '', offset, count } of reads) {
      const first = Math.max(from, offset);
      const last = offset + count - 1;
      if (id !== undefined || sentinel || control || first > last) continue;
      told.once(foreign, first, last, (at) => {
        report.found({ anomaly: 'phantom', ruling: NEVER, example: { offset: at, detail: 'a foreign record' } });
      });
    }
  }
};

export const phantom: Checker<'phantom'> = {
  kind: 'phantom',
  detects: ['phantom'],
  summary: 'Every record that is read was sent.',
  check: (view, report) => {
    reportUnsent(view, report);
    if (view.topic.exclusive) reportForeign(view, report);
  },
};
