// ListOffsets snapshots in the timeline: when each partition was asked decides where the line stands among the
// acknowledgements, so its place is reserved before the question leaves.
import { describeError } from '../errors.ts';
import type { SnapshotMoment } from '../vocabulary.ts';
import { type ClusterEye, type PartitionOffsets, SNAPSHOT_MS } from './cluster-eye.ts';
import type { Part } from './part.ts';

/** Without these a log that was cut or began anew cannot be told from one that was not. */
const NEEDED: ReadonlySet<SnapshotMoment> = new Set(['baseline', 'after-producers']);

/**
 * Takes a snapshot of every partition and writes it down; what could not be had within `deadlineMs` is told, never a number.
 * Two that overlapped could tell an older end after a newer one, which looks like a log that was cut: one waits for the other,
 * within its own deadline.
 */
export const snapshot = async (
  eye: Pick<ClusterEye, 'offsets'>,
  part: Part,
  when: SnapshotMoment,
  deadlineMs: number = SNAPSHOT_MS,
): Promise<readonly PartitionOffsets[]> => {
  const until = part.at() + deadlineMs;
  const taken = await part.snapshots.take(
    deadlineMs,
    async () => await snapshotNow(eye, part, when, until - part.at()),
  );
  if (taken === undefined) tellMissing(part, when, 'any partition: another snapshot took too long');
  return taken ?? [];
};

const snapshotNow = async (
  eye: Pick<ClusterEye, 'offsets'>,
  part: Part,
  when: SnapshotMoment,
  deadlineMs: number,
): Promise<readonly PartitionOffsets[]> => {
  const order = part.order.next();
  try {
    const { taken, missing } = await eye.offsets(part.topic, () => part.at(), deadlineMs);
    for (const { topic, partition, at, earliest, latest, latestCommitted, topicId, epoch } of taken) {
      const leader = epoch === undefined ? {} : { epoch };
      part.tell(
        { t: 'offsets', when, topic, partition, earliest, latest, latestCommitted, topicId, ...leader },
        at,
        order,
      );
    }
    for (const { partition, why } of missing) tellMissing(part, when, `partition ${partition}: ${why}`);
    const named = new Set([...taken, ...missing].map(({ partition }) => partition));
    for (const partition of part.partitions) {
      if (!named.has(partition)) tellMissing(part, when, `partition ${partition}: the cluster does not name it`);
    }
    return taken;
  } catch (thrown) {
    tellMissing(part, when, `any partition: ${describeError(thrown)}`);
    return [];
  }
};

const tellMissing = (part: Part, when: SnapshotMoment, why: string): void => {
  const text = `no ${when} snapshot of ${why}`;
  part.tell({ t: 'note', source: 'evidence', text });
  if (NEEDED.has(when)) part.tell({ t: 'harness', anomaly: 'insufficient-samples', detail: text });
};
