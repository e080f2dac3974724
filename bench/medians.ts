// Medians and ratios for the bench programs: what is compared runs in turn, so that a machine whose speed drifts slows both.

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
};

/** Median of `over[i] / under[i]`, pair by pair. */
export const medianRatio = (over: readonly number[], under: readonly number[]): number =>
  median(over.map((value, index) => value / (under[index] ?? Number.NaN)));
