// A set of whole numbers, kept as stretches: memory follows the stretches, not the numbers, and there is no limit to these.
export class RangeSet {
  /** First and last number of each stretch; rising, with a gap between any two. */
  readonly #firsts: number[] = [];
  readonly #lasts: number[] = [];

  /** Adds `first … last`, both included; tells each stretch of them that was not there, in order. */
  add(first: number, last: number, isNew: (first: number, last: number) => void = () => undefined): void {
    const index = this.#endingAtOrAfter(first - 1);
    let from = first;
    let to = last;
    let next = first;
    let end = index;
    for (; end < this.#firsts.length; end++) {
      const held = this.#firsts[end] as number;
      if (held > last + 1) break;
      if (held > next) isNew(next, held - 1);
      next = Math.max(next, (this.#lasts[end] as number) + 1);
      from = Math.min(from, held);
      to = Math.max(to, this.#lasts[end] as number);
    }
    if (next <= last) isNew(next, last);
    this.#firsts.splice(index, end - index, from);
    this.#lasts.splice(index, end - index, to);
  }

  has(number: number): boolean {
    const first = this.#firsts[this.#endingAtOrAfter(number)];
    return first !== undefined && first <= number;
  }

  /** What of `first … last`, both included, is in the set: stretches, both ends included, rising. */
  *within(first: number, last: number): Generator<{ readonly first: number; readonly last: number }> {
    for (let index = this.#endingAtOrAfter(first); index < this.#firsts.length; index++) {
      const held = this.#firsts[index] as number;
      if (held > last) return;
      yield { first: Math.max(first, held), last: Math.min(last, this.#lasts[index] as number) };
    }
  }

  /** Every number, rising. */
  *[Symbol.iterator](): Generator<number> {
    for (const [index, first] of this.#firsts.entries()) {
      for (let number = first; number <= (this.#lasts[index] as number); number++) yield number;
    }
  }

  /** Index of the first stretch that ends at or after a number. */
  #endingAtOrAfter(number: number): number {
    const newest = this.#lasts.at(-1);
    if (newest === undefined || newest < number) return this.#lasts.length;
    let low = 0;
    let high = this.#lasts.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#lasts[middle] as number) >= number) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
