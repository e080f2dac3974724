// Object keys in the order S3 lists them: by their UTF-8 bytes. JavaScript compares UTF-16 code units, which differs only where
// one side has a surrogate pair (U+10000 and above sorts after U+E000..U+FFFF in UTF-8, before it in UTF-16).

const rank = (codeUnit: number): number => {
  if (codeUnit < 0xd800) return codeUnit;
  return codeUnit >= 0xe000 ? codeUnit - 0x800 : codeUnit + 0x2000;
};

/** Negative, zero or positive, as `left` sorts before, with or after `right` by UTF-8 bytes. */
export const compareKeys = (left: string, right: string): number => {
  if (left === right) return 0;
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index++) {
    const one = left.charCodeAt(index);
    const other = right.charCodeAt(index);
    if (one !== other) return rank(one) - rank(other);
  }
  return left.length - right.length;
};

/** The keys of one bucket, always in order; insertion and removal move memory, they never sort. */
export class SortedKeys {
  readonly #keys: string[];

  /** `keys` in any order, without repetition. */
  constructor(keys: readonly string[] = []) {
    this.#keys = [...keys].sort(compareKeys);
  }

  get size(): number {
    return this.#keys.length;
  }

  at(index: number): string | undefined {
    return this.#keys[index];
  }

  /** Adds a key; a key that is there already is left alone. */
  add(key: string): void {
    const index = this.firstNotBefore(key);
    if (this.#keys[index] !== key) this.#keys.splice(index, 0, key);
  }

  remove(key: string): void {
    const index = this.firstNotBefore(key);
    if (this.#keys[index] === key) this.#keys.splice(index, 1);
  }

  /** Index of the first key that is not before `key`. */
  firstNotBefore(key: string): number {
    return this.#firstWhereNot((candidate) => compareKeys(candidate, key) < 0);
  }

  /** Index of the first key after `key` itself. */
  firstAfter(key: string): number {
    return this.#firstWhereNot((candidate) => compareKeys(candidate, key) <= 0);
  }

  /** Index of the first key behind every key that starts with `prefix`. */
  firstAfterPrefix(prefix: string): number {
    return this.#firstWhereNot((candidate) => candidate.startsWith(prefix) || compareKeys(candidate, prefix) < 0);
  }

  #firstWhereNot(holds: (candidate: string) => boolean): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (holds(this.#keys[middle] as string)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
