// Turns at something that takes one piece of work after the other. A change goes before the looks that wait: they come round after
// round, and a fault that had to wait for all of them would come to act one link after the other, seconds apart.

type Work = () => Promise<void>;

export class Turns {
  readonly #changes: Work[] = [];
  readonly #looks: Work[] = [];
  /** Looks that have not begun, by what is looked at. */
  readonly #awaited = new Map<string, Promise<unknown>>();
  #isTaken = false;

  /** After the changes that wait already, and before every look that has not begun. */
  async change<T>(work: () => Promise<T>): Promise<T> {
    return await this.#queue(this.#changes, work);
  }

  /** Whoever asks for the same before a look has begun gets what that one sees; `what` names one kind of result. */
  async look<T>(what: string, work: () => Promise<T>): Promise<T> {
    const awaited = this.#awaited.get(what) as Promise<T> | undefined;
    if (awaited !== undefined) return await awaited;
    const beginsAtOnce = !this.#isTaken;
    const looking = this.#queue(this.#looks, async () => {
      this.#awaited.delete(what);
      return await work();
    });
    if (!beginsAtOnce) this.#awaited.set(what, looking);
    return await looking;
  }

  async #queue<T>(line: Work[], work: () => Promise<T>): Promise<T> {
    return await new Promise<T>((resolve, reject) => {
      line.push(async () => await work().then(resolve, reject));
      this.#next();
    });
  }

  #next(): void {
    if (this.#isTaken) return;
    const work = this.#changes.shift() ?? this.#looks.shift();
    if (work === undefined) return;
    this.#isTaken = true;
    void work().then(() => {
      this.#isTaken = false;
      this.#next();
    });
  }
}
