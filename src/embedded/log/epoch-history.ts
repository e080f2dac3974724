// Which leader epoch began at which offset; answers OffsetForLeaderEpoch.

export interface EpochStart {
  readonly epoch: number;
  readonly startOffset: number;
}

/** The history with `epoch` starting at `startOffset`; an epoch that wrote nothing leaves no trace. */
export const beginEpoch = (
  history: readonly EpochStart[],
  epoch: number,
  startOffset: number,
): readonly EpochStart[] => [...history.filter((entry) => entry.startOffset < startOffset), { epoch, startOffset }];

/**
 * The largest epoch not above `epoch` and where it ends: where the next one starts, or `endOffset` for the last. Epoch −1 with
 * the first start when all are above; undefined when `epoch` is above them all.
 */
export const endOfEpoch = (
  history: readonly EpochStart[],
  epoch: number,
  endOffset: number,
): { readonly epoch: number; readonly endOffset: number } | undefined => {
  const next = history.findIndex((entry) => entry.epoch > epoch);
  const last = history.at(-1);
  if (next === -1) return last?.epoch === epoch ? { epoch, endOffset } : undefined;
  const end = history[next]?.startOffset ?? endOffset;
  return { epoch: history[next - 1]?.epoch ?? -1, endOffset: end };
};
