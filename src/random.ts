// The one source of randomness. Every choice comes from a stream named after what it decides, derived from the run's seed,
// so that adding a choice in one place does not change the choices made in another.

export interface Random {
  /** A float in [0, 1). */
  next(): number;
  /** An integer in [0, bound); `bound` is a positive safe integer. */
  integer(bound: number): number;
  /** One element of a non-empty list. */
  pick<T>(list: readonly T[]): T;
  /** A shuffled copy. */
  shuffle<T>(list: readonly T[]): T[];
}

/** FNV-1a over UTF-16 code units, 32 bits: spreads stream names, no security meant. */
const hash = (text: string, start: number): number => {
  let value = (2166136261 ^ start) >>> 0;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 16777619) >>> 0;
  }
  return value;
};

/** A deterministic stream (sfc32) for `(seed, name)`. */
export const randomStream = (seed: number, name: string): Random => {
  let a = hash(name, seed) | 0;
  let b = hash(name, seed ^ 0x9e3779b9) | 0;
  let c = Math.imul(seed, 0x85ebca6b) | 0;
  let counter = 1;
  const step = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round++) step();
  const next = (): number => step() / 4294967296;
  const integer = (bound: number): number => Math.floor(next() * bound);
  const pick = <T>(list: readonly T[]): T => {
    const chosen = list[integer(list.length)];
    if (chosen === undefined) throw new RangeError('pick() from an empty list');
    return chosen;
  };
  const shuffle = <T>(list: readonly T[]): T[] => {
    const copy = [...list];
    for (let index = copy.length - 1; index > 0; index--) {
      const other = integer(index + 1);
      const held = copy[index] as T;
      copy[index] = copy[other] as T;
      copy[other] = held;
    }
    return copy;
  };
  return { next, integer, pick, shuffle };
};

/** A seed nobody chose, 31 bits; printed first and last so that a run can be repeated. */
export const freshSeed = (): number => Math.floor(Math.random() * 0x7fffffff);

/** `length` random hexadecimal digits, for names that must not collide; never for anything that a seed should decide. */
export const freshHex = (length: number): string => {
  let text = '';
  while (text.length < length) text += Math.floor(Math.random() * 16).toString(16);
  return text;
};

/** 16 random bytes the way Kafka writes an id: 22 characters of base64url. */
export const freshUuid = (): string => Buffer.from(freshHex(32), 'hex').toString('base64url');
