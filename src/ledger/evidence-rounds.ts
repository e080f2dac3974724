// Evidence comes in rounds, and a kind may be sampled several times in one, of each victim or link. A round shows a kind only
// where each of its samples does; that is how a fault is confirmed, so that is how its evidence is told.
import type { EvidenceLine } from './history-lines.ts';

type Sample = Pick<EvidenceLine, 'at' | 'holds'>;

/** The samples of one kind by rounds, whose samples have one time. */
const roundsOf = <S extends Sample>(samples: readonly S[]): readonly (readonly [S, ...S[]])[] => {
  const rounds: [S, ...S[]][] = [];
  for (const sample of samples) {
    const open = rounds.at(-1);
    if (open?.[0].at === sample.at) open.push(sample);
    else rounds.push([sample]);
  }
  return rounds;
};

const held = (round: readonly Sample[]): boolean => round.every(({ holds }) => holds);

/** Whether the newest round of one kind shows it. `samples`: in the order they were taken. */
export const holdsNow = (samples: readonly Sample[]): boolean => {
  const newest = samples.at(-1)?.at;
  return newest !== undefined && held(samples.filter(({ at }) => at === newest));
};

/** What one kind has to show: of the first round that shows it, or, where none does, what the last round lacks. */
export const tellingSample = <S extends Sample>(
  samples: readonly S[],
): { readonly sample: S; readonly holds: boolean } | undefined => {
  const rounds = roundsOf(samples);
  const shown = rounds.find(held);
  if (shown !== undefined) return { sample: shown[0], holds: true };
  const sample = rounds.at(-1)?.find(({ holds }) => !holds);
  return sample === undefined ? undefined : { sample, holds: false };
};
