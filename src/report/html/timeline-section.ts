// The timeline with its key, and the same figures as a table for those who do not see the picture.
import { safeJson } from '../escape.ts';
import type { PartReport } from '../model.ts';
import { grouped, moment } from '../numbers.ts';
import { html, type Markup, NOTHING, trusted } from './markup.ts';
import { table } from './tables.ts';
import { timelineData, timelineSvg } from './timeline-svg.ts';

const swatch = (name: string, text: string): Markup =>
  html`<span><svg viewBox="0 0 14 12" aria-hidden="true"><rect class="${name}" x="0" y="1" width="14" height="10"/></svg>${text}</span>`;

const CROSS = html`<span><svg viewBox="0 0 14 12" aria-hidden="true"><path class="broken" d="M3 2l8 8m0 -8l-8 8"/></svg>acknowledged, and breaks the contract</span>`;

const key = ({ faults, outages, load, findings }: PartReport): Markup =>
  html`<div class="key">${[
    ...(findings.some(({ legal, severity, examples }) => !legal && severity === 'violation' && examples.length > 0)
      ? [CROSS]
      : []),
    ...(load?.buckets.some(({ unknown }) => unknown > 0) === true ? [swatch('unknown', 'unknown outcomes')] : []),
    ...(faults.length === 0
      ? []
      : [
          swatch('band', 'fault, darker from applied until its healing began'),
          html`<span>M mechanism · E effect · C negative control, when first seen</span>`,
        ]),
    ...(outages.some(({ shares }) => shares !== undefined)
      ? [swatch('brokers', 'outage: brokers'), swatch('path', 'outage: path'), swatch('client', 'outage: client')]
      : []),
    ...(outages.some(({ shares }) => shares === undefined) ? [swatch('away', 'outage, not probed')] : []),
    swatch('pass', 'replay pass'),
  ]}</div>`;

const seriesTable = ({ load }: PartReport): Markup | undefined => {
  if (load === undefined) return undefined;
  const columns = ['From', 'Acked', 'Unknown', 'Failed', 'p50 ms', 'p99 ms'].map((name) => ({ name, numeric: true }));
  const rows = load.buckets.map(({ acked, unknown, failed, p50Ms, p99Ms }, index) => [
    moment(load.from + index * load.bucketMs),
    grouped(acked),
    grouped(unknown),
    grouped(failed),
    p50Ms ?? '–',
    p99Ms ?? '–',
  ]);
  return html`<details><summary>The same as a table</summary>${table(`Records in steps of ${load.bucketMs} ms`, columns, rows)}</details>`;
};

/** Nothing where there is no part, or one without a length. */
export const timelineSection = (part: PartReport | undefined): Markup => {
  const data = part === undefined ? undefined : timelineData(part);
  if (part === undefined || data === undefined) return NOTHING;
  return html`<section aria-labelledby="time"><h2 id="time">Timeline</h2><figure class="panel figure">
<div class="scroll" tabindex="0" role="region" aria-label="Timeline, scrolls sideways">${timelineSvg(part)}</div>
${key(part)}<div id="timeline-tip" class="tip" hidden></div>${seriesTable(part)}</figure>
<script type="application/json" id="timeline-data">${trusted(safeJson(data))}</script></section>`;
};
