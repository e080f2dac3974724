// From quantities to places on the timeline.

export interface Scale {
  (value: number): number;
}

const rounded = (place: number): number => Math.round(place * 10) / 10;

/** Linear, from `[0, highest]` to `[from, to]`; places have one decimal, which is what a page can show. */
export const linearScale = (highest: number, from: number, to: number): Scale => {
  const span = highest > 0 ? highest : 1;
  return (value) => rounded(from + ((to - from) * value) / span);
};

/** Logarithmic, from `[lowest, highest]` to `[from, to]`, cut off at both ends. */
export const logScale = (lowest: number, highest: number, from: number, to: number): Scale => {
  const span = Math.log10(highest / lowest);
  return (value) => {
    const share = Math.log10(Math.min(highest, Math.max(lowest, value)) / lowest) / span;
    return rounded(from + (to - from) * share);
  };
};

/** Round steps that divide `[0, highest]` into at most `most` parts; the last is at or above `highest`. */
export const niceTicks = (highest: number, most: number): readonly number[] => {
  const least = Math.max(highest, 1e-9) / most;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= least) ?? 10 * power;
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, index) => index * step);
};
