// When a watch was not answered while a fault acted. A source that is silent just then saw nothing of it, however often it was
// answered before and after, so its clean cell says that, and is no clean cell where everybody who is asked was silent.
import type { NoteLine, TimelineLine } from '../ledger/history-lines.ts';
import { coverageIn, textIn } from './evidence-notes.ts';
import { moment } from './numbers.ts';

/** When a fault acted, ms of the part's time. */
export interface FaultWindow {
  readonly id: string;
  readonly from: number;
  readonly to: number;
}

export interface WatchSilence {
  /** Who was silent, when, and under which faults; part of a sentence. */
  readonly text: string;
  /** Whether under one fault each source was silent for more than half of its time. */
  readonly isBlind: boolean;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Of the faults of a part, from their edges; one that has no end acts to the end. */
export const faultWindows = (lines: readonly TimelineLine[]): readonly FaultWindow[] => {
  const edges = lines.filter((line) => line.t === 'fault');
  return edges.flatMap(({ id, edge, at }) => {
    if (edge !== 'applied') return [];
    const to = edges.find((other) => other.id === id && other.edge === 'healing')?.at ?? Number.POSITIVE_INFINITY;
    return [{ id, from: at, to }];
  });
};

/** When one source did not answer, as it was told. */
const silentStretches = (notes: readonly NoteLine[], source: string): readonly Stretch[] => {
  const states = notes.filter((note) => note.source === source && textIn(note.data, 'state') !== undefined);
  return states.flatMap(({ at, data }, index) =>
    textIn(data, 'state') === 'away' ? [{ from: at, to: states[index + 1]?.at ?? Number.POSITIVE_INFINITY }] : [],
  );
};

const overlapOf = (one: Stretch, other: Stretch): Stretch | undefined => {
  const both = { from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) };
  return both.from < both.to ? both : undefined;
};

const lastsMost = (part: readonly Stretch[], { from, to }: FaultWindow): boolean => {
  const end = to === Number.POSITIVE_INFINITY ? Math.max(...part.map((each) => each.from + 1)) : to;
  const silentMs = part.reduce((sum, each) => sum + Math.min(each.to, end) - each.from, 0);
  return silentMs * 2 > end - from;
};

const stretchText = (source: string, { from, to }: Stretch, id: string): string => {
  const until = to === Number.POSITIVE_INFINITY ? 'on' : `to ${moment(to)}`;
  return `${source} was not answered from ${moment(from)} ${until}, while ${id} acted`;
};

/** Undefined where every source of a watch was answered under each fault. */
export const silenceUnder = (
  notes: readonly NoteLine[],
  watch: string,
  faults: readonly FaultWindow[],
): WatchSilence | undefined => {
  const sources = [...new Set(coverageIn(notes, watch).map((each) => each.watch))];
  const texts: string[] = [];
  let isBlind = false;
  for (const fault of faults) {
    const silent = sources.map((source) => {
      const own = silentStretches(notes, source).flatMap((each) => overlapOf(each, fault) ?? []);
      texts.push(...own.map((each) => stretchText(source, each, fault.id)));
      return own;
    });
    if (silent.length > 0 && silent.every((own) => own.length > 0 && lastsMost(own, fault))) isBlind = true;
  }
  const [first, ...others] = texts;
  if (first === undefined) return undefined;
  return { text: others.length === 0 ? first : `${first}, and ${others.length} times more`, isBlind };
};
