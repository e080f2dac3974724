// Records whose bytes are not those that were sent. Proved: a checksum that covers value, key and header does not hold. A
// damaged record still counts as seen.

import type { Example } from '../judgement.ts';
import { hasOwnId, LaneIndex } from '../lane-index.ts';
import { NEVER } from '../legality.ts';
import type { PartitionView } from '../partition-view.ts';
import type { ReadRun } from '../run-facts.ts';
import { Told } from '../told.ts';
import type { Checker, Report } from './checker.ts';

type NamedRead = ReadRun & { readonly id: NonNullable<ReadRun['id']> };

class DamageReport {
  readonly #told = new Told();
  readonly #index: LaneIndex;
  readonly #view: PartitionView;
  readonly #report: Report;

  constructor(view: PartitionView, report: Report) {
    this.#view = view;
    this.#report = report;
    this.#index = new LaneIndex(view.lanes);
  }

  /** A damaged read of this partition's records; `place` is where it was read. */
  named(read: NamedRead, place: number): void {
    const { producer, incarnation } = read.id;
    const tell = (partition: number) => (seq: number, count: number, offset: number) => {
      const what = `${place} ${seq - offset} ${incarnation} ${producer}`;
      this.#told.once(what, offset, offset + count - 1, (at) =>
        this.#tell(partition, { producer, incarnation, seq: seq - offset + at, offset: at }),
      );
    };
    const sent = tell(this.#view.partition);
    this.#index.match(read, (_, seq, count, offset) => sent(seq, count, offset), tell(place));
  }

  nameless({ offset, count }: ReadRun): void {
    this.#told.once('', offset, offset + count - 1, (at) => this.#tell(this.#view.partition, { offset: at }));
  }

  #tell(partition: number, example: Example): void {
    this.#report.found({ anomaly: 'corrupt-value', ruling: NEVER, partition, example });
  }
}

export const corruption: Checker<'corruption'> = {
  kind: 'corruption',
  detects: ['corrupt-value'],
  summary: 'Every record is read back byte for byte.',
  check: (view, report) => {
    const damage = new DamageReport(view, report);
    for (const { reads } of view.passes) {
      for (const read of reads) {
        if (!read.bad) continue;
        if (hasOwnId(read, view.partition)) damage.named(read, view.partition);
        else if (read.id === undefined) damage.nameless(read);
      }
    }
    for (const { read, partition } of view.strays) if (read.bad) damage.named(read, partition);
  },
};
