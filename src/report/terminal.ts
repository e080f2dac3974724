// The report for a terminal: the reason first, then what a person at three in the morning asks next, in at most forty lines.
import { visible } from './escape.ts';
import { headline } from './headline.ts';
import type { ReportModel } from './model.ts';

export const renderTerminal = (model: ReportModel): string =>
  [
    visible(headline(model)),
    '',
    `claim      ${visible(model.scenario.claim)}`,
    `reproduce  ${visible(model.reproduce.run)}`,
  ].join('\n');
