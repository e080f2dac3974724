// The series that were scraped while a part went on, as cells with one of four states. A series that no scrape held is not collected;
// one that is a bad sign and stood still is not observed, with how often it was looked at.
import type { NoteLine } from '../ledger/history-lines.ts';
import { coverageIn, numberIn, textIn } from './evidence-notes.ts';
import type { EvidenceSource, EvidenceState } from './model.ts';
import { grouped, moment } from './numbers.ts';
import { type FaultWindow, silenceUnder } from './watch-silence.ts';

type Data = Readonly<Record<string, unknown>>;

interface Series {
  readonly kind: string;
  readonly isBadSign: boolean;
  readonly boundary: string;
}

interface Reading {
  readonly at: number;
  readonly node: string;
  readonly value: number;
}

const isData = (value: unknown): value is Data => typeof value === 'object' && value !== null && !Array.isArray(value);

const isMetrics = ({ source }: NoteLine): boolean => source.startsWith('metrics/');

const lookedFor = (notes: readonly NoteLine[]): readonly Series[] => {
  const list = notes.find(({ data }) => Array.isArray(data?.['lookedFor']))?.data?.['lookedFor'];
  return (Array.isArray(list) ? list : []).filter(isData).flatMap((each) => {
    const kind = textIn(each, 'kind');
    const boundary = textIn(each, 'boundary');
    return kind === undefined || boundary === undefined
      ? []
      : [{ kind, boundary, isBadSign: each['isBadSign'] === true }];
  });
};

const readingsOf = (notes: readonly NoteLine[], kind: string): readonly Reading[] =>
  notes.filter(isMetrics).flatMap(({ at, source, data }) => {
    const series = data?.['series'];
    const value = isData(series) ? numberIn(series, kind) : undefined;
    return value === undefined ? [] : [{ at, node: source.slice('metrics/'.length), value }];
  });

/** `0 to 2 on broker/2 at 14.4 s`: the first node on which it moved; undefined where it stood still. */
const movement = (readings: readonly Reading[]): string | undefined => {
  const first = new Map<string, number>();
  for (const { at, node, value } of readings) {
    const before = first.get(node);
    if (before === undefined) first.set(node, value);
    else if (value !== before) return `${before} to ${value} on ${node} at ${moment(at)}`;
  }
  return undefined;
};

interface SeriesCell {
  readonly state: EvidenceState;
  readonly text: string;
}

const seriesCell = (notes: readonly NoteLine[], { kind, isBadSign }: Series): SeriesCell => {
  const readings = readingsOf(notes, kind);
  const [first] = readings;
  if (first === undefined) return { state: 'not collected', text: kind };
  const moved = movement(readings);
  if (moved !== undefined) return { state: 'observed', text: `${kind} ${moved}` };
  const values = [...new Set(readings.map(({ value }) => value))].join(' and ');
  return { state: isBadSign ? 'not observed' : 'observed', text: `${kind} stood at ${values}` };
};

const ENDS: Readonly<Partial<Record<EvidenceState, string>>> = { 'not collected': ': no scrape held it' };

/** One cell for each state that a series of the boundary has. */
export const metricCells = (
  notes: readonly NoteLine[],
  boundary: string,
  faults: readonly FaultWindow[] = [],
): readonly EvidenceSource[] => {
  const coverage = coverageIn(notes, 'metrics').filter(({ everyMs }) => everyMs > 0);
  if (coverage.length === 0) return [];
  const source = 'metrics';
  const answered = coverage.reduce((sum, one) => sum + one.answered, 0);
  const asked = coverage.reduce((sum, one) => sum + one.asked, 0);
  const silent = silenceUnder(notes, 'metrics', faults);
  const counted = `${grouped(answered)} of ${grouped(asked)} scrapes answered, one every ${coverage[0]?.everyMs ?? 0} ms`;
  const scrapes = silent === undefined ? counted : `${counted}; ${silent.text}`;
  if (answered === 0) return [{ source, state: 'not collected', detail: scrapes }];
  const cells = lookedFor(notes)
    .filter((series) => series.boundary === boundary)
    .map((series) => seriesCell(notes, series));
  return (['observed', 'not observed', 'not collected'] as const).flatMap((state) => {
    const own = cells.filter((cell) => cell.state === state);
    if (own.length === 0) return [];
    const detail = `${own.map(({ text }) => text).join(', ')}${ENDS[state] ?? ''}; ${scrapes}`;
    // What nobody could have seen move stood still for nobody.
    const isBlind = state === 'not observed' && silent?.isBlind === true;
    return [{ source, state: isBlind ? 'not collected' : state, detail }];
  });
};
