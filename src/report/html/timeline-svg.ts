// The timeline of the fault run as one SVG, row under row on one time axis: phases, faults, load, latency, partitions, replay.
// It uses classes only, no style attributes, so that the page's policy can forbid every other style.
import type { LoadSeries, PartReport } from '../model.ts';
import { duration, grouped, moment, plural } from '../numbers.ts';
import { faultTimes, faultTitle, outageText, passText, placeOf, sharesText } from '../words.ts';
import { FAULT_ROW_HEIGHT, faultBand, faultRows } from './fault-bands.ts';
import { type Frame, frameOf, WIDTH } from './frame.ts';
import { latencyRow, rateRow } from './load-rows.ts';
import { html, type Markup, NOTHING } from './markup.ts';
import { LANE_HEIGHT, lanesOf, partitionLane } from './partition-lanes.ts';
import { niceTicks } from './scale.ts';

const PHASE_HEIGHT = 20;
const RATE_HEIGHT = 150;
const LATENCY_HEIGHT = 74;
const TITLE_HEIGHT = 30;
const PASS_HEIGHT = 24;
const MOST_FAULT_ROWS = 12;
const TIME_TICKS = 12;
const LETTER_WIDTH = 6;
/** More than these are no help under a crosshair. */
const MOST_EVENTS = 200;

const phaseStrip = ({ phases }: PartReport, frame: Frame): Markup[] =>
  phases.map(({ phase, from, to = from }) => {
    const x = frame.x(from);
    const width = Math.max(0.5, frame.x(to) - x);
    const fits = width > phase.length * LETTER_WIDTH + 8;
    return html`<g><title>${phase}, ${moment(from)} to ${moment(to)}</title><rect class="phase" x="${x}" y="0" width="${width.toFixed(1)}" height="${PHASE_HEIGHT}"/>
<line class="phase-edge" x1="${x}" x2="${x}" y1="0" y2="${PHASE_HEIGHT}"/>${fits ? html`<text x="${x + 5}" y="14">${phase}</text>` : undefined}</g>`;
  });

const timeAxis = (frame: Frame, top: number, bottom: number): Markup => {
  const ticks = niceTicks(frame.until / 1000, TIME_TICKS).filter((tick) => tick * 1000 <= frame.until);
  return html`<line class="axis" x1="${frame.left}" x2="${frame.right}" y1="${bottom}" y2="${bottom}"/>
${ticks.map((tick) => {
  const x = frame.x(tick * 1000);
  return html`<line class="grid" x1="${x}" x2="${x}" y1="${top}" y2="${bottom}"/><text x="${x}" y="${bottom + 16}" text-anchor="middle">${`${Number(tick.toFixed(3))} s`}</text>`;
})}`;
};

const passRows = ({ passes }: PartReport, frame: Frame, top: number): Markup[] =>
  passes.flatMap((pass, index) => {
    const { from, to } = pass;
    if (from === undefined || to === undefined) return [];
    const y = top + index * PASS_HEIGHT;
    const x = frame.x(from);
    const width = Math.max(2, frame.x(to) - x);
    const text = `${pass.pass}, ${duration(pass.ms)}`;
    const before = x - text.length * LETTER_WIDTH > frame.left;
    return [
      html`<g><title>${passText(pass)}</title><rect class="pass" x="${x}" y="${y}" width="${width.toFixed(1)}" height="12"/>
<text class="halo" x="${before ? x - 6 : x + width + 6}" y="${y + 10}" text-anchor="${before ? 'end' : 'start'}">${text}</text></g>`,
    ];
  });

const description = (part: PartReport, frame: Frame): string => {
  const rates = part.load?.buckets.map(({ acked }) => (acked * 1000) / (part.load?.bucketMs ?? 1000)) ?? [];
  const sorted = [...rates].sort((one, other) => one - other);
  const usual = sorted[Math.floor(sorted.length / 2)];
  return [
    `From 0 to ${duration(frame.until)}.`,
    usual === undefined ? 'Nothing was sent.' : `Usually about ${grouped(usual)} records acknowledged a second.`,
    ...part.faults.map((fault) => `${faultTitle(fault)}: ${faultTimes(fault)}.`),
    ...part.outages.map((outage) => `${placeOf(outage)} away ${outageText(outage)} ${sharesText(outage)}.`),
    ...part.passes.map((pass) => `${passText(pass)}.`),
  ].join(' ');
};

interface Layout {
  readonly faultsTop: number;
  readonly rateTop: number;
  readonly latencyTop: number;
  readonly lanesTop: number;
  readonly passesTop: number;
  readonly bottom: number;
}

const layoutOf = (part: PartReport, rows: number, lanes: number): Layout => {
  const faultsTop = PHASE_HEIGHT + 10;
  const rateTop = faultsTop + rows * FAULT_ROW_HEIGHT + TITLE_HEIGHT - 8;
  const latencyTop = rateTop + (part.load === undefined ? 0 : RATE_HEIGHT + TITLE_HEIGHT);
  const lanesTop = latencyTop + (part.load === undefined ? 0 : LATENCY_HEIGHT + TITLE_HEIGHT);
  const passesTop = lanesTop + (lanes === 0 ? 0 : lanes * LANE_HEIGHT + TITLE_HEIGHT);
  const bottom = passesTop + (part.passes.length === 0 ? 0 : part.passes.length * PASS_HEIGHT + 6);
  return { faultsTop, rateTop, latencyTop, lanesTop, passesTop, bottom };
};

const loadRows = (load: LoadSeries | undefined, frame: Frame, layout: Layout): Markup =>
  load === undefined
    ? NOTHING
    : html`${rateRow(load, frame, layout.rateTop, layout.rateTop + RATE_HEIGHT)}
${latencyRow(load, frame, layout.latencyTop, layout.latencyTop + LATENCY_HEIGHT)}`;

const rowTitle = (frame: Frame, y: number, text: string): Markup =>
  html`<text class="strong" x="${frame.left}" y="${y - 9}">${text}</text>`;

/** The picture; nothing where the part has no length. */
export const timelineSvg = (part: PartReport): Markup => {
  const frame = frameOf(part);
  if (frame === undefined) return NOTHING;
  const lanes = lanesOf(part);
  const rows = faultRows(part.faults, frame, MOST_FAULT_ROWS);
  const layout = layoutOf(part, Math.max(0, ...rows.map((row) => row + 1)), lanes.length);
  const { faultsTop, rateTop, lanesTop, passesTop, bottom } = layout;
  const loadFrom = part.load?.from ?? 0;
  const loadEnd = part.load === undefined ? frame.until : loadFrom + part.load.buckets.length * part.load.bucketMs;
  const hidden = part.availability.length - lanes.length;
  return html`<svg id="timeline" viewBox="0 0 ${WIDTH} ${bottom + 26}" role="img" aria-labelledby="timeline-title timeline-text">
<title id="timeline-title">Timeline of the run</title><desc id="timeline-text">${description(part, frame)}</desc>
${phaseStrip(part, frame)}${timeAxis(frame, rateTop, bottom)}
${loadRows(part.load, frame, layout)}
${lanes.length === 0 ? undefined : rowTitle(frame, lanesTop + 4, `Partitions: outages and leaders${hidden > 0 ? `; ${plural(hidden, 'quiet partition')} not drawn` : ''}`)}
${lanes.map((lane, index) => partitionLane(lane, frame, lanesTop + 12 + index * LANE_HEIGHT, loadFrom, Math.min(loadEnd, frame.until)))}
${part.passes.length === 0 ? undefined : html`<text x="${frame.left - 8}" y="${passesTop + 10}" text-anchor="end">replay</text>`}
${passRows(part, frame, passesTop)}
${part.faults.map((fault, index) => faultBand(fault, frame, faultsTop + (rows[index] ?? 0) * FAULT_ROW_HEIGHT, rateTop, bottom))}
<line class="cross" x1="0" x2="0" y1="${PHASE_HEIGHT}" y2="${bottom}"/></svg>`;
};

/** What the crosshair reads out, as data; the same facts stand in the tables of the page. */
export const timelineData = (part: PartReport): unknown => {
  const frame = frameOf(part);
  const { load } = part;
  if (frame === undefined) return undefined;
  const events = [
    ...part.phases.map(({ phase, from, to = from }) => [from, to, `phase ${phase}`] as const),
    ...part.faults.flatMap((fault) =>
      fault.appliedAt === undefined
        ? []
        : [[fault.appliedAt, fault.healedAt ?? frame.until, faultTitle(fault)] as const],
    ),
    ...part.outages.map(
      (outage) => [outage.from, outage.to ?? frame.until, `${placeOf(outage)} away ${outageText(outage)}`] as const,
    ),
    ...part.passes.flatMap((pass) =>
      pass.from === undefined || pass.to === undefined ? [] : [[pass.from, pass.to, `pass ${pass.pass}`] as const],
    ),
  ];
  return {
    left: frame.left,
    width: frame.right - frame.left,
    until: frame.until,
    from: load?.from ?? 0,
    bucketMs: load?.bucketMs ?? 1,
    buckets: (load?.buckets ?? []).map(({ acked, unknown, p50Ms = null, p99Ms = null }) => [
      acked,
      unknown,
      p50Ms,
      p99Ms,
    ]),
    events: events.slice(0, MOST_EVENTS),
  };
};
