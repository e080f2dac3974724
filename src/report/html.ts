// The report as one HTML file that needs nothing else: no network, no server.
import { markupText } from './escape.ts';
import type { ReportModel } from './model.ts';

export const renderHtml = (model: ReportModel): string => {
  const reason = markupText(model.headline);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${reason}</title></head><body><p>${reason}</p></body></html>
`;
};
