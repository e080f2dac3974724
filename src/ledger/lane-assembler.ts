// Joins intents and outcomes of one lane into runs of records that were sent together and ended alike. Outcomes may cover
// part of a send or several sends; runs are cut where they do. Throws MalformedLine on what cannot have happened.
import { MalformedLine } from './line-fields.ts';
import type { LaneRuns, Moment, SentRun } from './run-facts.ts';
import type { Settlement } from './settle-outcome.ts';

type Open = { -readonly [K in keyof SentRun]: SentRun[K] };

const endOf = (run: SentRun): number => run.seq + run.count;

const cut = (run: Open, at: number): [Open, Open] => {
  const head = at - run.seq;
  return [
    { ...run, count: head },
    {
      ...run,
      seq: at,
      count: run.count - head,
      ...(run.offset === undefined ? {} : { offset: run.offset + head }),
    },
  ];
};

export class LaneAssembler implements LaneRuns {
  readonly producer: string;
  readonly incarnation: number;
  readonly runs: Open[] = [];

  constructor(producer: string, incarnation: number) {
    this.producer = producer;
    this.incarnation = incarnation;
  }

  /** Records `seq … seq + count − 1` were about to be sent. */
  send(seq: number, count: number, sent: Moment): void {
    const index = this.#indexOf(seq);
    const next = this.runs[index];
    if (next !== undefined && next.seq < seq + count) {
      throw new MalformedLine(`Record ${Math.max(seq, next.seq)} of ${this.#name} was sent before.`);
    }
    this.runs.splice(index, 0, {
      producer: this.producer,
      incarnation: this.incarnation,
      seq,
      count,
      sent,
      outcome: 'unknown',
      attempts: 1,
      tainted: false,
    });
  }

  /** The outcome of records `seq … seq + count − 1`, each of which was sent and had none. */
  settle(seq: number, count: number, settled: Moment, settlement: Settlement): void {
    const first = this.#indexOf(seq);
    let last = first;
    let position = seq;
    for (; position < seq + count; last++) {
      const run = this.runs[last];
      if (run === undefined || run.seq > position) {
        throw new MalformedLine(`Record ${position} of ${this.#name} has an outcome but was not sent before.`);
      }
      if (run.settled !== undefined) {
        throw new MalformedLine(`Record ${position} of ${this.#name} has an outcome already.`);
      }
      position = endOf(run);
    }
    for (let index = last - 1; index >= first; index--) this.#settleRun(index, seq, count, settled, settlement);
  }

  /** The stretches `[seq, count]` of these records that were not sent. */
  missing(seq: number, count: number): [number, number][] {
    const stretches: [number, number][] = [];
    const end = seq + count;
    let position = seq;
    for (let index = this.#indexOf(seq); position < end; index++) {
      const run = this.runs[index];
      const next = Math.min(run?.seq ?? end, end);
      if (position < next) stretches.push([position, next - position]);
      position = run === undefined ? end : endOf(run);
    }
    return stretches;
  }

  #settleRun(index: number, seq: number, count: number, settled: Moment, settlement: Settlement): void {
    let run = this.runs[index] as Open;
    if (endOf(run) > seq + count) {
      const [head, tail] = cut(run, seq + count);
      this.runs.splice(index, 1, head, tail);
      run = head;
    }
    if (run.seq < seq) {
      const [head, tail] = cut(run, seq);
      this.runs.splice(index, 1, head, tail);
      run = tail;
    }
    const { offset, ...rest } = settlement;
    Object.assign(run, rest, { settled }, offset === undefined ? {} : { offset: offset + run.seq - seq });
  }

  /** Index of the first run that ends after `seq`. */
  #indexOf(seq: number): number {
    const { runs } = this;
    const newest = runs.at(-1);
    if (newest === undefined || endOf(newest) <= seq) return runs.length;
    let low = 0;
    let high = runs.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (endOf(runs[middle] as Open) > seq) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  get #name(): string {
    return `producer ${this.producer} (incarnation ${this.incarnation})`;
  }
}
