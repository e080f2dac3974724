// The rows of the timeline that show the load: acknowledgements and unknown outcomes a second, and how long they took.
import type { LoadBucket, LoadSeries } from '../model.ts';
import { duration, grouped } from '../numbers.ts';
import type { Frame } from './frame.ts';
import { html, type Markup, NOTHING } from './markup.ts';
import { linearScale, logScale, niceTicks, type Scale } from './scale.ts';

const RATE_TICKS = 4;
const LATENCIES_MS = [1, 10, 100, 1000, 10_000];

const perSecond = (count: number, { bucketMs }: LoadSeries): number => (count * 1000) / bucketMs;

const middle = (series: LoadSeries, index: number): number => series.from + (index + 0.5) * series.bucketMs;

const gridLine = ({ left, right }: Frame, y: number, label: string): Markup =>
  html`<line class="grid" x1="${left}" x2="${right}" y1="${y}" y2="${y}"/><text x="${left - 8}" y="${y + 4}" text-anchor="end">${label}</text>`;

/** A line through the buckets; it breaks where `valueOf` has none. */
const path = (
  series: LoadSeries,
  frame: Frame,
  y: Scale,
  valueOf: (bucket: LoadBucket) => number | undefined,
): string => {
  let pen = 'M';
  return series.buckets
    .flatMap((bucket, index) => {
      const value = valueOf(bucket);
      if (value === undefined) {
        pen = 'M';
        return [];
      }
      const step = `${pen}${frame.x(middle(series, index))} ${y(value)}`;
      pen = 'L';
      return [step];
    })
    .join('');
};

const unknownBars = (series: LoadSeries, frame: Frame, y: Scale, bottom: number): Markup[] =>
  series.buckets.flatMap((bucket, index) => {
    if (bucket.unknown === 0) return [];
    const from = frame.x(series.from + index * series.bucketMs);
    const width = Math.max(2, frame.x(series.from + (index + 1) * series.bucketMs) - from - 0.5);
    const top = Math.min(bottom - 3, y(perSecond(bucket.unknown, series)));
    return [
      html`<rect class="unknown" x="${from}" y="${top}" width="${width.toFixed(1)}" height="${(bottom - top).toFixed(1)}"/>`,
    ];
  });

/** Records a second, between `top` and `bottom`. */
export const rateRow = (series: LoadSeries, frame: Frame, top: number, bottom: number): Markup => {
  const highest = Math.max(
    1,
    ...series.buckets.map(({ acked, unknown }) => perSecond(Math.max(acked, unknown), series)),
  );
  const ticks = niceTicks(highest, RATE_TICKS);
  const y = linearScale(ticks.at(-1) ?? highest, bottom, top);
  const line = path(series, frame, y, ({ acked }) => perSecond(acked, series));
  const first = frame.x(middle(series, 0));
  const last = frame.x(middle(series, series.buckets.length - 1));
  return html`${ticks.map((tick) => gridLine(frame, y(tick), grouped(tick)))}
<text class="strong" x="${frame.left}" y="${top - 9}">Records acknowledged a second</text>
<path class="load-fill" d="${line}L${last} ${bottom}L${first} ${bottom}Z"/><path class="load" d="${line}"/>
${unknownBars(series, frame, y, bottom)}`;
};

/** Time to acknowledgement, on a logarithmic scale. */
export const latencyRow = (series: LoadSeries, frame: Frame, top: number, bottom: number): Markup => {
  const seen = series.buckets.flatMap(({ p99Ms }) => p99Ms ?? []);
  if (seen.length === 0) return NOTHING;
  const highest = LATENCIES_MS.find((tick) => tick >= Math.max(...seen)) ?? Math.max(...seen);
  const y = logScale(1, Math.max(10, highest), bottom, top);
  const ticks = LATENCIES_MS.filter((tick) => tick <= Math.max(10, highest));
  return html`${ticks.map((tick) => gridLine(frame, y(tick), tick < 1000 ? duration(tick) : `${tick / 1000} s`))}
<text class="strong" x="${frame.left}" y="${top - 9}">Time to acknowledgement, p99 and p50</text>
<path class="p50" d="${path(series, frame, y, ({ p50Ms }) => p50Ms)}"/><path class="p99" d="${path(series, frame, y, ({ p99Ms }) => p99Ms)}"/>`;
};
