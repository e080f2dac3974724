// What each watch adds to the evidence at a boundary, as a cell with one of four states. Silence is only worth something with its
// coverage, so a watch that was never answered is `not collected`, and a log pattern that never matched, not even while the cluster
// started and ran undisturbed, as well.
import type { NoteLine } from '../ledger/history-lines.ts';
import {
  coverageIn,
  type LogsCoverage,
  logsCoverageIn,
  numberIn,
  numbersIn,
  textIn,
  type WatchCoverage,
} from './evidence-notes.ts';
import { metricCells } from './metric-cells.ts';
import type { EvidenceSource, EvidenceState } from './model.ts';
import { bytes, grouped, moment, plural } from './numbers.ts';
import { type FaultWindow, silenceUnder } from './watch-silence.ts';

export type CellBoundary = 'write' | 'wal' | 'objects' | 'ownership' | 'replay';

export type WatchCells = Readonly<Record<CellBoundary, readonly EvidenceSource[]>>;

const asked = (coverage: readonly WatchCoverage[]): string => {
  const sum = (key: 'asked' | 'answered'): number => coverage.reduce((all, one) => all + one[key], 0);
  const everyMs = coverage[0]?.everyMs ?? 0;
  return `${grouped(sum('answered'))} of ${grouped(sum('asked'))} questions answered, one every ${everyMs} ms`;
};

const WORDS: Readonly<Record<string, EvidenceState>> = {
  'not-provided': 'not provided',
  'not-collected': 'not collected',
  'not-permitted': 'not collected',
};

/** Why a watch has nothing to say; undefined where it was answered. Where nothing is known of it there is no cell. */
const silence = (
  notes: readonly NoteLine[],
  watch: string,
): Omit<EvidenceSource, 'source'> | 'no watch' | undefined => {
  const coverage = coverageIn(notes, watch);
  const [first] = coverage;
  if (first === undefined) return 'no watch';
  if (coverage.some(({ answered }) => answered > 0)) return undefined;
  const told = notes.find(({ source, data }) => source === watch && textIn(data, 'state') === first.state);
  const state = WORDS[first.state];
  if (state !== undefined) {
    const why = told?.text ?? first.state.replace('-', ' ');
    return { state, detail: why.replace(/^not provided: /u, '') };
  }
  return { state: 'not collected', detail: `never answered: ${asked(coverage)}` };
};

/** The notes of a part, and when its faults acted. */
interface Watched {
  readonly notes: readonly NoteLine[];
  readonly faults: readonly FaultWindow[];
}

/** `found` gives what was seen, or undefined where the watch was answered and it did not appear. */
const cell = (
  { notes, faults }: Watched,
  watch: string,
  source: string,
  found: (own: readonly NoteLine[]) => string | undefined,
): readonly EvidenceSource[] => {
  const nothing = silence(notes, watch);
  if (nothing === 'no watch') return [];
  if (nothing !== undefined) return [{ source, ...nothing }];
  const own = notes.filter((note) => note.source === watch || note.source.startsWith(`${watch}/`));
  const coverage = asked(coverageIn(notes, watch));
  const seen = found(own);
  const silent = silenceUnder(notes, watch, faults);
  const detail = silent === undefined ? coverage : `${coverage}; ${silent.text}`;
  if (seen !== undefined) return [{ source, state: 'observed', detail: `${seen}; ${detail}` }];
  return [{ source, state: silent?.isBlind === true ? 'not collected' : 'not observed', detail }];
};

/** `broker 1 from 14.4 s`, each once. */
const firstOf = (own: readonly NoteLine[], key: string, what: string): readonly string[] => {
  const first = new Map<number, number>();
  for (const { at, data } of own) {
    for (const id of numbersIn(data, key) ?? []) if (!first.has(id)) first.set(id, at);
  }
  return [...first].map(([id, at]) => `broker ${id} ${what} from ${moment(at)}`);
};

const fenced = (own: readonly NoteLine[]): string | undefined => {
  const told = [...firstOf(own, 'fenced', 'fenced'), ...firstOf(own, 'absent', 'not registered')];
  return told.length === 0 ? undefined : told.join(', ');
};

const quorum = (own: readonly NoteLine[]): string | undefined => {
  const terms = own.flatMap(({ at, data }) => {
    const leader = numberIn(data, 'leader');
    const epoch = numberIn(data, 'epoch');
    return leader === undefined || epoch === undefined ? [] : [{ at, term: `${leader} in epoch ${epoch}` }];
  });
  const changes = terms.filter(({ term }, index) => term !== terms[index - 1]?.term);
  const [first, ...later] = changes;
  if (first === undefined) return undefined;
  const after = later.map(({ at, term }) => `${term} from ${moment(at)}`);
  return `led by ${[first.term, ...after].join(', ')}`;
};

const eligible = (own: readonly NoteLine[]): string | undefined => {
  const told = own.flatMap(({ at, data }) => {
    const sets = [numbersIn(data, 'eligible'), numbersIn(data, 'lastKnownEligible')];
    const partition = numberIn(data, 'partition');
    return sets.some((ids) => ids !== undefined && ids.length > 0)
      ? [`partition ${partition ?? '?'} at ${moment(at)}`]
      : [];
  });
  return told.length === 0 ? undefined : `${plural(told.length, 'set')} seen, first of ${told[0] ?? ''}`;
};

/** A cluster that keeps no such set says nothing by not showing one. */
const eligibleCell = (watched: Watched): readonly EvidenceSource[] => {
  const { notes } = watched;
  const source = 'replicas eligible to lead (ELR)';
  const told = notes.filter((note) => note.source === 'elr' && numbersIn(note.data, 'inSync') !== undefined);
  const isKept = told.some(({ data }) => numbersIn(data, 'eligible') !== undefined);
  if (told.length > 0 && !isKept) return [{ source, state: 'not provided', detail: 'the cluster keeps no such set' }];
  return cell(watched, 'elr', source, eligible).map((found) =>
    found.state === 'not observed'
      ? {
          ...found,
          detail: `none outside the in-sync set, which a cluster without the feature says as well; ${found.detail}`,
        }
      : found,
  );
};

const disks = (own: readonly NoteLine[]): string | undefined => {
  const last = new Map(
    own.flatMap((note) => (numberIn(note.data, 'bytes') === undefined ? [] : [[note.source, note]])),
  );
  if (last.size === 0) return undefined;
  const all = [...last.values()].reduce((sum, { data }) => sum + (numberIn(data, 'bytes') ?? 0), 0);
  const given = own.filter(({ data }) => Array.isArray(data?.['offline']) && data['offline'].length > 0);
  const gone = given[0] === undefined ? '' : `, a directory given up at ${moment(given[0].at)}`;
  return `${bytes(all)} on ${plural(last.size, 'broker')}${gone}`;
};

const logEnds = (own: readonly NoteLine[]): string | undefined => {
  const told = own.filter(({ data }) => Array.isArray(data?.['ends']));
  return told.length === 0 ? undefined : `begin and end of each partition, ${plural(told.length, 'time')}`;
};

/** A file to which nothing was added shows nothing: the node was silent, or its log no longer came. */
const lookedThrough = ({ lines, files, silent }: LogsCoverage): string => {
  const through = `${grouped(lines)} lines of ${plural(files, 'file')}`;
  return silent.length === 0 ? through : `${through} (nothing new from ${silent.join(', ')})`;
};

/** The patterns of one boundary: a cell for those that matched, one for those that did not, one for those that never did. */
const patternCells = (watched: Watched, boundary: CellBoundary): readonly EvidenceSource[] => {
  const logs = logsCoverageIn(watched.notes);
  const source = 'node logs';
  if (logs === undefined || logs.patterns.length === 0) return cell(watched, 'logs', source, () => undefined);
  const own = logs.patterns.filter((pattern) => pattern.boundary === boundary);
  const looked = lookedThrough(logs);
  const list = (
    state: EvidenceState,
    some: typeof own,
    text: (pattern: (typeof own)[number]) => string,
    tail: string,
  ) => (some.length === 0 ? [] : [{ source, state, detail: `${some.map(text).join(', ')}${tail}` }]);
  const seen = own.filter(({ during }) => during > 0);
  const absent = own.filter(({ during, before }) => during === 0 && before > 0);
  const isBlind = logs.lines === 0;
  const never = own.filter(({ during, before }) => during === 0 && before === 0);
  return [
    ...list('observed', seen, ({ kind, during }) => `${kind} × ${grouped(during)}`, `; ${looked}`),
    ...list(
      isBlind ? 'not collected' : 'not observed',
      absent,
      ({ kind }) => kind,
      `; matched before, in ${looked} of this part not`,
    ),
    ...list('not collected', never, ({ kind }) => kind, ': never matched here, so its absence shows nothing'),
  ];
};

/** The series of one boundary, or why there are none. */
const metrics = (watched: Watched, boundary: CellBoundary): readonly EvidenceSource[] => {
  const { notes, faults } = watched;
  const cells = metricCells(notes, boundary, faults);
  const isScraped = notes.some(({ source }) => source.startsWith('metrics/'));
  return cells.length > 0 || isScraped ? cells : cell(watched, 'metrics', 'metrics', () => undefined);
};

const cellsOf = (watched: Watched): WatchCells => ({
  write: [...metrics(watched, 'write'), ...patternCells(watched, 'write')],
  wal: [...cell(watched, 'log-dirs', 'log directories', disks), ...patternCells(watched, 'wal')],
  objects: [...cell(watched, 'object-store', 'object store', () => undefined)],
  ownership: [
    ...cell(watched, 'fenced', 'fenced brokers', fenced),
    ...cell(watched, 'quorum', 'quorum of controllers', quorum),
    ...eligibleCell(watched),
    ...metrics(watched, 'ownership'),
    ...patternCells(watched, 'ownership'),
  ],
  replay: [...cell(watched, 'log-ends', 'log ends', logEnds)],
});

/** `faults`: when they acted, so that a watch which was silent just then is not taken for one that saw nothing. */
export const watchCells = (notes: readonly NoteLine[], faults: readonly FaultWindow[] = []): WatchCells =>
  cellsOf({ notes, faults });
