// Where each leader epoch of a partition begins in its log, asked of the leader epoch by epoch from the newest down: the end of the
// epoch below is the start of the one above. It shows who owned which part of the log, without any broker's clock.
import { describeError } from '../errors.ts';
import type { ClusterClient } from '../wire/cluster-client.ts';
import { deadlineAfter, requestOptions } from '../wire/deadline.ts';
import { type CallOptions, describeTopic, epochEnd, type LogOffset } from '../wire/evidence-calls.ts';
import { WireError } from '../wire/wire-error.ts';

export interface EpochStart {
  readonly epoch: number;
  readonly offset: number;
}

export interface EpochSnapshot {
  readonly taken: readonly { readonly partition: number; readonly starts: readonly EpochStart[] }[];
  readonly missing: readonly { readonly partition: number; readonly why: string }[];
}

/** More epochs than this are not walked down; the newest are kept. */
const MOST_EPOCHS = 64;

/** The largest epoch not above `asked` and where it ended; undefined where the log does not know. */
type EndOf = (asked: number) => Promise<LogOffset | undefined>;

/** Rising; empty where the log knows no epoch near `newest`. */
export const walkDown = async (newest: number, endOf: EndOf): Promise<readonly EpochStart[]> => {
  const starts: EpochStart[] = [];
  let epoch = newest;
  for (let step = 0; step < MOST_EPOCHS && epoch > 0; step++) {
    const below = await endOf(epoch - 1);
    const known = starts[0];
    if (below === undefined) {
      // An epoch that has written nothing may have left no trace.
      if (known !== undefined) return starts;
      epoch -= 1;
      continue;
    }
    // The log knows no epoch below the last one that was found.
    if (known?.offset === below.offset) return starts;
    starts.unshift({ epoch, offset: below.offset });
    if (below.offset === 0 || below.leaderEpoch < 0) return starts;
    epoch = below.leaderEpoch;
  }
  // The first epoch there can be begins where every log does.
  return epoch === 0 ? [{ epoch: 0, offset: 0 }, ...starts] : starts;
};

const isUnknownEpoch = (thrown: unknown): boolean =>
  thrown instanceof WireError && thrown.code === 'WIRE_REFUSED' && thrown.kafkaCode === undefined;

/** A topic that is not there throws; a partition that does not answer is `missing`. One deadline holds for all questions. */
export const takeEpochStarts = async (
  client: ClusterClient,
  topic: string,
  options: CallOptions,
): Promise<EpochSnapshot> => {
  const deadline = deadlineAfter(options.deadlineMs, options.signal);
  const { partitions } = await describeTopic(client, topic, requestOptions(deadline));
  const taken: { partition: number; starts: readonly EpochStart[] }[] = [];
  const missing: { partition: number; why: string }[] = [];
  const endOf =
    (partition: number): EndOf =>
    async (asked) => {
      try {
        return await epochEnd(client, { topic, partition }, asked, requestOptions(deadline));
      } catch (thrown) {
        if (isUnknownEpoch(thrown)) return undefined;
        throw thrown;
      }
    };
  await Promise.all(
    partitions.map(async ({ partition, leaderEpoch }) => {
      try {
        const starts = leaderEpoch < 0 ? [] : await walkDown(leaderEpoch, endOf(partition));
        if (starts.length > 0) taken.push({ partition, starts });
        else missing.push({ partition, why: 'the cluster names no leader epoch that its log knows' });
      } catch (thrown) {
        options.signal?.throwIfAborted();
        missing.push({ partition, why: describeError(thrown) });
      }
    }),
  );
  return { taken, missing };
};
