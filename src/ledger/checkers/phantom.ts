// Records that nobody sent: ids of this run without an intent, and foreign records in a topic that is the run's alone. Proved:
// the log returned them. Known false alarms, guarded: what stood there before the run, shared topics.
import { NEVER } from '../legality.ts';
import type { PartitionView } from '../partition-view.ts';
import type { Checker, Report } from './checker.ts';

const reportUnsent = (view: PartitionView, report: Report): void => {
  const known = new Set<string>();
  for (const { producer, incarnation, partition, seq, count, offset } of view.unsent) {
    for (let index = 0; index < count; index++) {
      const key = `${partition} ${offset + index} ${incarnation} ${seq + index} ${producer}`;
      if (known.has(key)) continue;
      known.add(key);
      const example = { producer, incarnation, seq: seq + index, offset: offset + index, detail: 'never sent' };
      report.found({ anomaly: 'phantom', ruling: NEVER, partition, example });
    }
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
  const known = new Set<string>();
  for (const { reads } of view.passes) {
    for (const read of reads) {
      if (read.id !== undefined || read.sentinel || read.control) continue;
      for (let offset = Math.max(from, read.offset); offset < read.offset + read.count; offset++) {
        const key = `${offset} ${read.foreign ?? ''}`;
        if (known.has(key)) continue;
        known.add(key);
        report.found({ anomaly: 'phantom', ruling: NEVER, example: { offset, detail: 'a foreign record' } });
      }
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
