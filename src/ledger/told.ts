// Tells what several passes show alike once. Memory follows the stretches that were told, not the records.
import { RangeSet } from './range-set.ts';

/** What has been told, by whatever tells records apart. */
export class Told {
  readonly #offsets = new Map<string, RangeSet>();

  /** Calls `each` for every offset from `first` to `last` that was not told of this before. */
  once(what: string, first: number, last: number, each: (offset: number) => void): void {
    const offsets = this.#offsets.get(what) ?? new RangeSet();
    this.#offsets.set(what, offsets);
    offsets.add(first, last, (from, to) => {
      for (let offset = from; offset <= to; offset++) each(offset);
    });
  }
}
