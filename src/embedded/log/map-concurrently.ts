// Many store reads at once, but not too many.

/** The results of `work` for each item, in the order of the items; at most `limit` run at a time. The first error wins. */
export const mapConcurrently = async <T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> => {
  const results = new Array<R>(items.length);
  const remaining = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of remaining) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
};
