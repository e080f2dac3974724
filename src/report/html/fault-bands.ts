// Faults on the timeline: a band from the first step to healed, darker from applied until the healing began, and a circle for each of the three
// proofs at the moment it was first seen. A dashed circle is a proof that was not seen.
import { MARK_LETTERS } from '../evidence-marks.ts';
import type { FaultReport } from '../model.ts';
import { moment } from '../numbers.ts';
import { faultTitle } from '../words.ts';
import type { Frame } from './frame.ts';
import { html, type Markup, NOTHING } from './markup.ts';

export const FAULT_ROW_HEIGHT = 42;
const MARK_STEP = 19;
const MARK_RADIUS = 8;
const LETTER_WIDTH = 6.4;
const MOST_LETTERS = 60;
/** Between what is drawn of two faults in one row. */
const GAP = 8;
const MARK_NAMES = { mechanism: 'mechanism proof', effect: 'effect canary', control: 'negative control' } as const;

/** What a label says, as it is drawn. */
const labelOf = (fault: FaultReport): string => faultTitle(fault).slice(0, MOST_LETTERS);

interface LabelPlace {
  readonly x: number;
  readonly anchor: 'start' | 'end';
  readonly from: number;
  readonly to: number;
}

/** At the fault's beginning, or against the right edge where there is no room behind it. */
const placeOfLabel = (fault: FaultReport, frame: Frame): LabelPlace => {
  const width = labelOf(fault).length * LETTER_WIDTH;
  const start = frame.x(fault.appliedAt ?? 0);
  return start + width < frame.right
    ? { x: start, anchor: 'start', from: start, to: start + width }
    : { x: frame.right, anchor: 'end', from: frame.right - width, to: frame.right };
};

/** From the first to the last of what is drawn in a fault's row: band, label and marks. */
const extentOf = (fault: FaultReport, frame: Frame): readonly [number, number] => {
  const { appliedAt = 0, healedAt = frame.until, marks: proofs } = fault;
  const label = placeOfLabel(fault, frame);
  const first = Math.min(frame.x(appliedAt), label.from);
  const marked = Math.max(0, ...proofs.map(({ at }) => frame.x(at))) + proofs.length * MARK_STEP;
  return [first - MARK_RADIUS, Math.max(frame.x(healedAt), label.to, Math.min(marked, frame.right))];
};

/** The row of each fault: what is drawn of two that share one does not overlap; at most `most` rows. */
export const faultRows = (faults: readonly FaultReport[], frame: Frame, most: number): readonly number[] => {
  const rows: (readonly [number, number])[][] = [];
  return faults.map((fault) => {
    const [from, to] = extentOf(fault, frame);
    const isFree = (taken: readonly (readonly [number, number])[]): boolean =>
      taken.every(([first, last]) => last + GAP < from || to + GAP < first);
    const free = rows.findIndex(isFree);
    const row = Math.min(most - 1, free === -1 ? rows.length : free);
    rows[row] = [...(rows[row] ?? []), [from, to]];
    return row;
  });
};

const marks = (fault: FaultReport, frame: Frame, y: number, bottom: number): Markup[] => {
  let next = Number.NEGATIVE_INFINITY;
  return [...fault.marks]
    .sort((one, other) => one.at - other.at)
    .map(({ at, kind, holds, seen }) => {
      const exact = frame.x(at);
      const x = Math.min(frame.right - MARK_RADIUS, Math.max(next, exact));
      next = x + MARK_STEP;
      const missing = holds ? '' : ' mark-missing';
      const state = holds ? 'seen' : 'not seen';
      return html`<g><title>${MARK_NAMES[kind]} ${state} at ${moment(at)}: ${seen}</title>
<line class="mark-line" x1="${exact}" x2="${exact}" y1="${y + MARK_RADIUS}" y2="${bottom}"/>
<circle class="mark${missing}" cx="${x}" cy="${y}" r="${MARK_RADIUS}"/><text class="mark-letter" x="${x}" y="${y + 3.6}">${MARK_LETTERS[kind]}</text></g>`;
    });
};

const label = (fault: FaultReport, frame: Frame, y: number): Markup => {
  const { x, anchor } = placeOfLabel(fault, frame);
  return html`<text class="fault-name" x="${x}" y="${y}" text-anchor="${anchor}">${labelOf(fault)}</text>`;
};

/** One fault's band behind the rows from `top` to `bottom`, its name and marks in the row that begins at `rowTop`. */
export const faultBand = (fault: FaultReport, frame: Frame, rowTop: number, top: number, bottom: number): Markup => {
  const { appliedAt, intentAt = appliedAt, healingAt = frame.until, healedAt = frame.until } = fault;
  if (appliedAt === undefined) return NOTHING;
  const [from, until, end] = [appliedAt, healingAt, healedAt].map(frame.x) as [number, number, number];
  const begin = frame.x(Math.min(intentAt ?? appliedAt, appliedAt));
  const height = bottom - top;
  const edge = (x: number, name: string): Markup =>
    html`<line class="${name}" x1="${x}" x2="${x}" y1="${rowTop + 14}" y2="${bottom}"/>`;
  return html`<g><title>${faultTitle(fault)}: applied ${moment(appliedAt)}, healed ${fault.healedAt === undefined ? 'never' : moment(fault.healedAt)}</title>
<rect class="band-healing" x="${begin}" y="${top}" width="${Math.max(0, from - begin).toFixed(1)}" height="${height}"/>
<rect class="band" x="${from}" y="${top}" width="${Math.max(1, until - from).toFixed(1)}" height="${height}"/>
<rect class="band-healing" x="${until}" y="${top}" width="${Math.max(0, end - until).toFixed(1)}" height="${height}"/>
${edge(from, 'band-edge')}${fault.healedAt === undefined ? undefined : edge(end, 'band-end')}</g>
${label(fault, frame, rowTop + 10)}${marks(fault, frame, rowTop + 28, bottom)}`;
};
