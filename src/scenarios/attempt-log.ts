// When requests of the load were on their way, partition by partition: whether anything was attempted while a fault acted is
// asked after its heal, and the answer decides whether the run proved anything.

interface Attempt {
  readonly from: number;
  /** Absent while it has no outcome. */
  to?: number;
}

/** Requests kept for each partition: those of the last minutes, at any rate a drill runs at. */
const KEPT = 20_000;

/** Times are milliseconds since the start of the part. */
export class AttemptLog {
  readonly #byPartition = new Map<number, Attempt[]>();

  /** Notes a request that leaves now; call the result when its outcome is known. */
  begin(partition: number, from: number): (to: number) => void {
    const attempt: Attempt = { from };
    const known = this.#byPartition.get(partition);
    if (known === undefined) this.#byPartition.set(partition, [attempt]);
    else if (known.push(attempt) > 2 * KEPT) known.splice(0, KEPT);
    return (to) => {
      attempt.to = to;
    };
  }

  /** Whether a request of this partition was on its way at any moment from `from` to `to`. */
  overlaps(partition: number, from: number, to: number): boolean {
    const attempts = this.#byPartition.get(partition) ?? [];
    return attempts.some((attempt) => attempt.from <= to && (attempt.to ?? Number.POSITIVE_INFINITY) >= from);
  }
}
