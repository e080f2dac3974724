// Whether faults that were planned to act at the same time did. A kill amid a pause that has ended by then is another drill than the
// one that was asked for, however well each of them was confirmed, and what it does not find proves nothing. The other way round
// cannot happen: a fault waits for those that were to be over by its moment.
import type { FaultStory } from './fault-story.ts';
import type { Part } from './part.ts';

/** What is looked at of a fault. */
type Timed = Pick<FaultStory, 'id' | 'spec' | 'appliedAt' | 'healingAt'> & {
  readonly lateness: Pick<FaultStory['lateness'], 'plannedAt'>;
};

/** A stretch of the part's time, ms. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Undefined where its moment is no time; one without a duration is planned as the moment at which it begins. */
const plannedStretch = ({ spec, lateness: { plannedAt } }: Timed): Stretch | undefined =>
  plannedAt === undefined || spec.at.kind === 'acks'
    ? undefined
    : { from: plannedAt, to: plannedAt + (spec.durationMs ?? 0) };

/** Undefined where it never acted, which its edges tell; what has nothing to heal acts in one moment. */
const realStretch = ({ appliedAt, healingAt }: Timed): Stretch | undefined =>
  appliedAt === undefined ? undefined : { from: appliedAt, to: healingAt ?? appliedAt };

const isMoment = ({ from, to }: Stretch): boolean => from === to;

/** A mere moment overlaps what lasts when it comes; what begins as another one ends does not, and two moments never do. */
const doOverlap = (one: Stretch, other: Stretch): boolean => {
  const [first, second] = one.from <= other.from ? [one, other] : [other, one];
  return second.from < first.to || (second.from === first.from && isMoment(first) !== isMoment(second));
};

const text = ({ id }: Timed, { from, to }: Stretch): string =>
  `${id} acted from ${Math.round(from)} to ${Math.round(to)} ms`;

/** Two faults that last must share so long, or half of what was planned where that is less. */
const LEAST_MS = 250;

/** Negative where there is time between them. */
const sharedMs = (one: Stretch, other: Stretch): number => Math.min(one.to, other.to) - Math.max(one.from, other.from);

type Pair = readonly [Stretch, Stretch];

/** How far what was seen of two faults falls short of their plan, in words; undefined where it does not. */
const shortfall = (planned: Pair, real: Pair): string | undefined => {
  if (!doOverlap(...planned)) return undefined;
  if (!doOverlap(...real)) return 'although they were planned to overlap';
  if ([...planned, ...real].some(isMoment)) return undefined;
  const [plannedMs, realMs] = [sharedMs(...planned), sharedMs(...real)];
  const leastMs = Math.min(LEAST_MS, plannedMs / 2);
  if (realMs >= leastMs) return undefined;
  return `${Math.round(realMs)} ms of it together, although ${Math.round(plannedMs)} ms were planned and ${Math.round(leastMs)} ms are the least that counts`;
};

const pairOf = (one: Stretch | undefined, other: Stretch | undefined): Pair | undefined =>
  one === undefined || other === undefined ? undefined : [one, other];

/** A sentence for each two faults that were to act at the same time, and both acted, but not at the same time, or for a moment only. */
export const missedOverlaps = (stories: readonly Timed[]): readonly string[] =>
  stories.flatMap((one, index) =>
    stories.slice(index + 1).flatMap((other) => {
      const planned = pairOf(plannedStretch(one), plannedStretch(other));
      const real = pairOf(realStretch(one), realStretch(other));
      const short = planned === undefined || real === undefined ? undefined : shortfall(planned, real);
      if (short === undefined || real === undefined) return [];
      return [`${text(one, real[0])} and ${text(other, real[1])}, ${short}`];
    }),
  );

/** Writes them down: what a run claims of two faults at once, it has not tried. */
export const tellMissedOverlaps = (part: Pick<Part, 'tell'>, stories: readonly Timed[]): void => {
  for (const detail of missedOverlaps(stories)) part.tell({ t: 'harness', anomaly: 'insufficient-samples', detail });
};
