// What a reader could not make sense of, gathered while it reads on. Each entry becomes a `ledger-damaged` line of the run:
// whatever was lost, the verdict can no longer be pass.

export class DamageLog {
  readonly #details: string[] = [];
  #lostRows = false;

  /** A sentence without its full stop. */
  note(detail: string): void {
    this.#details.push(detail);
  }

  /** Rows of the ledger itself are missing, so that records may have been sent that it does not name. */
  noteLostRows(detail: string): void {
    this.#lostRows = true;
    this.note(detail);
  }

  get lostRows(): boolean {
    return this.#lostRows;
  }

  get details(): readonly string[] {
    return this.#details;
  }
}
