// Writes small text histories for tests: one topic, `orders`, one producer unless told otherwise, times that rise by
// themselves. What a test does not mention is the most ordinary thing.
type Fields = Readonly<Record<string, unknown>>;

export class TextHistory {
  readonly #lines: Fields[] = [];
  #at = 0;

  constructor(contract: Fields = {}, topic: Fields = {}) {
    this.#lines.push({
      t: 'history',
      version: 1,
      run: 'r1',
      contract: { acks: 'all', minInSyncReplicas: 2, ...contract },
      topics: [{ topic: 'orders', partitions: 2, replicationFactor: 3, ...topic }],
    });
  }

  /** Any line; `at` rises by 10 where the kind has one. */
  line(t: string, fields: Fields): this {
    const isTimed = t !== 'read' && t !== 'pass';
    if (isTimed) this.#at += 10;
    const partition = t === 'fault' || t === 'harness' ? {} : { partition: 0 };
    this.#lines.push({ t, ...(isTimed ? { at: this.#at } : {}), ...partition, ...fields });
    return this;
  }

  /** Sent, and acknowledged at `offset` unless that is undefined. */
  acked(seq: number, count: number, offset: number | undefined, more: Fields = {}): this {
    const { producer = 'p1', incarnation = 0, partition = 0, ...outcome } = more;
    const run = { producer, incarnation, partition, seq, count };
    this.line('send', run);
    return this.line('ack', { ...run, ...(offset === undefined ? {} : { offset }), ...outcome });
  }

  /** Sent, outcome unknown. */
  unknown(seq: number, count: number, more: Fields = {}): this {
    return this.line('send', { producer: 'p1', seq, count, ...more });
  }

  /** Records `seq …` of a producer at `offset …`. */
  read(pass: number | string, offset: number, seq: number, count: number, more: Fields = {}): this {
    const { producer = 'p1', incarnation = 0, from, ...fields } = more;
    const id = { producer, incarnation, seq, ...(from === undefined ? {} : { partition: from }) };
    return this.line('read', { pass, offset, count, id, ...fields });
  }

  pass(pass: number | string, from: number, position: number, end = 'complete', more: Fields = {}): this {
    return this.line('pass', { pass, from, position, end, ...more });
  }

  get text(): string {
    return `${this.#lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
  }
}
