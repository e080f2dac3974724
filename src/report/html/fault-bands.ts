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
const MARK_NAMES = { mechanism: 'mechanism proof', effect: 'effect canary', control: 'negative control' } as const;

/** Faults whose bands overlap get rows of their own, so that labels stay apart; at most `most` rows. */
export const faultRows = (faults: readonly FaultReport[], most: number): readonly number[] => {
  const ends: number[] = [];
  return faults.map(({ appliedAt = 0, healedAt = Number.POSITIVE_INFINITY }) => {
    const free = ends.findIndex((end) => end < appliedAt);
    const row = Math.min(most - 1, free === -1 ? ends.length : free);
    ends[row] = Math.max(ends[row] ?? 0, healedAt);
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
  const text = faultTitle(fault).slice(0, 60);
  const start = frame.x(fault.appliedAt ?? 0);
  const fits = start + text.length * LETTER_WIDTH < frame.right;
  const [x, anchor] = fits ? [start, 'start'] : [frame.right, 'end'];
  return html`<text class="fault-name" x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;
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
