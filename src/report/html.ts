// The report as one HTML file that needs nothing else: no network, no server, no script to be read. The page's own policy
// forbids every request, and allows its one style sheet and one script by their digests; foreign text is escaped before that.
import { createHash } from 'node:crypto';
import { banner, tiles } from './html/banner.ts';
import { faultsSection } from './html/faults-section.ts';
import { findingsSection } from './html/findings-section.ts';
import { html, trusted } from './html/markup.ts';
import {
  boundariesSection,
  changesSection,
  measuresSection,
  reproduceSection,
  setupSection,
  statementsSection,
} from './html/run-sections.ts';
import { SCRIPT } from './html/script.ts';
import { storageSection } from './html/storage-section.ts';
import { STYLES } from './html/styles.ts';
import { sentences } from './html/tables.ts';
import { timelineSection } from './html/timeline-section.ts';
import { mainPart, type ReportModel } from './model.ts';

const digest = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const POLICY = `default-src 'none'; style-src ${digest(STYLES)}; script-src ${digest(SCRIPT)}; base-uri 'none'; form-action 'none'`;

const errors = ({ outcome }: ReportModel) =>
  outcome.errors.length === 0
    ? undefined
    : html`<section aria-labelledby="errors"><h2 id="errors">What went wrong, the root cause first</h2><div class="panel edge doubt">${sentences(outcome.errors)}</div></section>`;

export const renderHtml = (model: ReportModel): string => {
  const part = mainPart(model);
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${model.headline}</title>
<meta http-equiv="Content-Security-Policy" content="${trusted(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<style>${trusted(STYLES)}</style></head>
<body>${banner(model)}
<main>${tiles(model)}${errors(model)}${timelineSection(part)}
${part === undefined ? undefined : [findingsSection(part), faultsSection(part)]}
${measuresSection(model, part)}${statementsSection(model)}${boundariesSection(model)}${storageSection(part)}${changesSection(part)}${setupSection(model)}${reproduceSection(model)}</main>
<footer><p>${model.tool.name} ${model.tool.version} · report format ${model.formatVersion} · ${model.runId}</p></footer>
<script>${trusted(SCRIPT)}</script></body></html>
`.text;
};
