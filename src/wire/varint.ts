// Zig-zag varints written straight into a buffer of known size, for record batches, where every byte of overhead counts.

/** Bytes of a zig-zag varint; for safe integers up to 2^52 in size. */
export const varintBytes = (value: number): number => {
  let rest = value >= 0 ? value * 2 : -value * 2 - 1;
  let count = 1;
  while (rest >= 0x80) {
    rest = Math.floor(rest / 0x80);
    count++;
  }
  return count;
};

/** Writes a zig-zag varint at `at` and returns the position behind it. */
export const putVarint = (bytes: Buffer, at: number, value: number): number => {
  let rest = value >= 0 ? value * 2 : -value * 2 - 1;
  let next = at;
  while (rest >= 0x80) {
    bytes[next++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  bytes[next++] = rest;
  return next;
};
