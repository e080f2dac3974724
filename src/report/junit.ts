// The report as JUnit XML, for a CI system: one suite for the scenario.
import { markupText } from './escape.ts';
import { headline } from './headline.ts';
import type { ReportModel } from './model.ts';

export const renderJunit = (model: ReportModel): string => {
  const reason = markupText(headline(model));
  const name = markupText(model.scenario.name);
  const ok = model.outcome.exitCode === 0;
  const body = ok ? '' : `<failure message="${reason}"/>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${reason}"><testsuite name="${name}" tests="1" failures="${ok ? 0 : 1}"><testcase name="${reason}" classname="${name}">${body}</testcase></testsuite></testsuites>
`;
};
