// The notes of a part's timeline as evidence: what each watch told, and how much it covered. Notes are foreign text, so every field
// is looked at before it is believed.
import type { NoteLine } from '../ledger/history-lines.ts';

/** How often a watch asked and was answered, or how much it looked through. */
export interface WatchCoverage {
  readonly watch: string;
  readonly state: string;
  readonly asked: number;
  readonly answered: number;
  readonly everyMs: number;
}

/** One log pattern: how often it matched while the part went on, and before. */
export interface PatternCount {
  readonly kind: string;
  readonly means: string;
  readonly isBadSign: boolean;
  readonly boundary: string;
  readonly before: number;
  readonly during: number;
}

export interface LogsCoverage {
  readonly files: number;
  readonly lines: number;
  /** Nodes from whose file nothing was read. */
  readonly silent: readonly string[];
  readonly patterns: readonly PatternCount[];
}

type Data = Readonly<Record<string, unknown>>;

export const numberIn = (data: Data | undefined, key: string): number | undefined => {
  const value = data?.[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

export const textIn = (data: Data | undefined, key: string): string | undefined => {
  const value = data?.[key];
  return typeof value === 'string' ? value : undefined;
};

/** Undefined where there is no list. */
export const numbersIn = (data: Data | undefined, key: string): readonly number[] | undefined => {
  const value = data?.[key];
  return Array.isArray(value) ? value.filter((each): each is number => typeof each === 'number') : undefined;
};

const isData = (value: unknown): value is Data => typeof value === 'object' && value !== null && !Array.isArray(value);

const coverageOf = ({ data }: NoteLine): readonly WatchCoverage[] => {
  const watch = textIn(data, 'watch');
  const state = textIn(data, 'state');
  if (watch === undefined || state === undefined) return [];
  const count = (key: string): number => numberIn(data, key) ?? 0;
  return [{ watch, state, asked: count('asked'), answered: count('answered'), everyMs: count('everyMs') }];
};

const patternsIn = (data: Data | undefined): readonly PatternCount[] => {
  const list: unknown = data?.['patterns'];
  if (!Array.isArray(list)) return [];
  return list.filter(isData).flatMap((each) => {
    const kind = textIn(each, 'kind');
    if (kind === undefined) return [];
    const boundary = textIn(each, 'boundary') ?? '';
    const counts = { before: numberIn(each, 'before') ?? 0, during: numberIn(each, 'during') ?? 0 };
    return [{ kind, means: textIn(each, 'means') ?? kind, isBadSign: each['isBadSign'] === true, boundary, ...counts }];
  });
};

const isCoverage = ({ source }: NoteLine): boolean => source === 'coverage';

/** The coverage of a watch, or of each part of it: `log-dirs` has one for each broker. */
export const coverageIn = (notes: readonly NoteLine[], watch: string): readonly WatchCoverage[] =>
  notes
    .filter(isCoverage)
    .flatMap(coverageOf)
    .filter((one) => one.watch === watch || one.watch.startsWith(`${watch}/`));

export const logsCoverageIn = (notes: readonly NoteLine[]): LogsCoverage | undefined => {
  const data = notes.filter(isCoverage).findLast((note) => textIn(note.data, 'watch') === 'logs')?.data;
  const lines = numberIn(data, 'lines');
  if (lines === undefined) return undefined;
  const list: unknown = data?.['silent'];
  const silent = Array.isArray(list) ? list.filter((each): each is string => typeof each === 'string') : [];
  return { files: numberIn(data, 'files') ?? 0, lines, silent, patterns: patternsIn(data) };
};
