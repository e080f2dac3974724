// Records that one pass shows and a later one lacks: the ways to read the log disagree (hot and cold, broker and broker).
// Proved: the later pass came to the place and did not return the record. Known false alarms, guarded: a log start that moved
// between the passes, compaction, a later pass that stopped below the place.
import { NEVER } from '../legality.ts';
import { type PartitionView, reaches } from '../partition-view.ts';
import { forEachSuspect, isShownIn, type SuspectRecord } from '../sightings.ts';
import { type Checker, exampleOf } from './checker.ts';

const vanished = (view: PartitionView, record: SuspectRecord): boolean =>
  record.sightings.some(({ pass, partition, offset }) => {
    const place = view.places.get(partition);
    if (place === undefined || offset < place.logStart) return false;
    return [...place.ranges].some(
      ([later, ranges]) => later > pass && reaches(ranges, offset) && !isShownIn(record, later),
    );
  });

export const divergentRoute: Checker<'divergent-route'> = {
  kind: 'divergent-route',
  detects: ['divergent-route'],
  summary: 'What one pass shows, every later pass shows too.',
  check: (view, report) => {
    if (view.topic.compacted) return;
    forEachSuspect(view, (record) => {
      if (vanished(view, record)) {
        report.found({ anomaly: 'divergent-route', ruling: NEVER, example: exampleOf(record) });
      }
    });
  },
};
