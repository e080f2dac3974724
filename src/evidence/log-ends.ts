// Where each partition begins and ends, told as it moves. It is asked seldom, because every question goes to the leader of each
// partition; what the judge goes by are the snapshots, which are taken by themselves.

import { type ClusterFact, ToldBefore } from './cluster-fact.ts';
import type { OffsetSnapshot } from './offset-snapshot.ts';

export class LogEnds {
  readonly #told = new ToldBefore();

  news({ taken, missing }: OffsetSnapshot): readonly ClusterFact[] {
    const ends = taken.map(({ partition, earliest, latestCommitted, latest }) => ({
      partition,
      earliest,
      latestCommitted,
      latest,
    }));
    const silent = missing.map(({ partition }) => partition);
    if (!this.#told.isNews('ends', { ends, silent })) return [];
    const told = ends.map(({ partition, earliest, latest }) => `${partition}: ${earliest} to ${latest}`);
    const text = [...told, ...silent.map((partition) => `${partition}: not told`)].join('; ');
    return [{ source: 'log-ends', text, data: { ends, silent } }];
  }
}
