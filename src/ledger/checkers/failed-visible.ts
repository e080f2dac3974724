// Records whose sending definitely failed and that are there all the same. Proved: the answer said that nothing was written,
// on the first attempt, and the log holds it. Only codes of the outcome table's definite rows count, so a doubt is no finding.
import { NEVER } from '../legality.ts';
import { forEachSuspect } from '../sightings.ts';
import { type Checker, exampleOf } from './checker.ts';

export const failedVisible: Checker<'failed-visible'> = {
  kind: 'failed-visible',
  detects: ['failed-visible'],
  summary: 'What was refused for certain is not in the log.',
  check: (view, report) => {
    forEachSuspect(view, (record) => {
      if (record.sent.run.outcome !== 'fail' || record.sightings.length === 0) return;
      report.found({ anomaly: 'failed-visible', ruling: NEVER, example: exampleOf(record) });
    });
  },
};
