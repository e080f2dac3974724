// How far the run proves anything about a partition: what became of the unknown records, whether any pass reached its end,
// whether it is known where its log began. Nothing here is a violation.
import { legal } from '../legality.ts';
import { isCrediblyComplete, type PartitionView } from '../partition-view.ts';
import { forEachSuspect } from '../sightings.ts';
import { type Checker, exampleOf, type Report } from './checker.ts';

const checkReach = (view: PartitionView, report: Report): void => {
  if (!view.lanes.some(({ sent }) => sent.some(({ run }) => run.outcome === 'ok'))) return;
  if (!view.passes.some(({ ranges }) => isCrediblyComplete(ranges))) {
    report.inconclusive(`no pass reached the end of ${view.name}`);
  }
  if (view.baseline === undefined && view.topicHasSnapshots) {
    report.inconclusive(`there is no baseline snapshot of ${view.name}`);
  }
};

export const coverage: Checker<'coverage'> = {
  kind: 'coverage',
  detects: ['recovered', 'unknown-absent'],
  summary: 'Each partition was read to its end, and unknown records are counted.',
  check: (view, report) => {
    forEachSuspect(view, (record) => {
      if (record.sent.run.outcome !== 'unknown') return;
      const isSeen = record.sightings.length > 0;
      report.found({
        anomaly: isSeen ? 'recovered' : 'unknown-absent',
        ruling: legal(
          isSeen ? 'its outcome was unknown: it may be there' : 'its outcome was unknown: it need not be there',
        ),
        example: exampleOf(record),
      });
    });
    checkReach(view, report);
  },
};
