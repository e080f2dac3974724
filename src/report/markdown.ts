// The report as Markdown, for a pull request or a ticket.
import { markdownText } from './escape.ts';
import { headline } from './headline.ts';
import type { ReportModel } from './model.ts';

export const renderMarkdown = (model: ReportModel): string =>
  `${markdownText(headline(model))}\n\n${markdownText(model.scenario.claim)}\n`;
