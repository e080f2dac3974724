// A wait with an end: the value, or undefined when it did not come in time.

/** Resolves with `promise`, or with undefined after `ms`. A rejection after that is nobody's business any more. */
export const within = async <T>(promise: Promise<T>, ms: number): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
};
