// How many operations each listener has answered, and how. Moves when an answer is finished, so a prober can see at once whether
// its request arrived by the path it meant.

/** listener → operation → status → count. */
export type CounterTable = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>;

export class Counters {
  readonly #counts = new Map<string, Map<string, Map<number, number>>>();

  /** Listeners that have answered nothing are listed too. */
  constructor(listeners: readonly string[]) {
    for (const listener of listeners) this.#counts.set(listener, new Map());
  }

  add(listener: string, operation: string, status: number): void {
    const operations = this.#counts.get(listener) ?? new Map<string, Map<number, number>>();
    const statuses = operations.get(operation) ?? new Map<number, number>();
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    operations.set(operation, statuses);
    this.#counts.set(listener, operations);
  }

  table(): CounterTable {
    return Object.fromEntries(
      [...this.#counts].map(([listener, operations]) => [
        listener,
        Object.fromEntries(
          [...operations].map(([operation, statuses]) => [operation, Object.fromEntries(statuses)] as const),
        ),
      ]),
    );
  }
}
