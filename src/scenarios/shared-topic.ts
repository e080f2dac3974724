// A topic that others use too (`existing: true`). A run may neither make nor delete it, so it begins where the topic ends when
// the run looks first; and what the topic's own rules remove before it was read is no loss of anybody, and no proof either.
import { EnvironmentError } from '../errors.ts';
import { formatDuration } from '../units.ts';
import type { PartitionOffsets } from './cluster-eye.ts';
import type { Part } from './part.ts';
import type { Workload } from './scenario.ts';

/** For drain, replay and second looks, beside the load, ms. */
const BESIDE_MS = 300_000;

/** Throws where records would be removed before they can be read again. */
export const assertKeptLongEnough = (
  topic: string,
  inForce: Readonly<Record<string, string>>,
  { warmUpMs, durationMs }: Pick<Workload, 'warmUpMs' | 'durationMs'>,
): void => {
  const keptMs = Number(inForce['retention.ms'] ?? -1);
  const neededMs = warmUpMs + durationMs + BESIDE_MS;
  if (keptMs < 0 || keptMs >= neededMs) return;
  throw new EnvironmentError(
    'TOPIC_KEEPS_TOO_SHORT',
    `${topic} keeps records for ${formatDuration(keptMs)}, and this run may take ${formatDuration(neededMs)} until it has read them.`,
    { hint: 'Raise retention.ms of the topic, shorten the load, or name another topic.' },
  );
};

/** What is below was there before. Without it nobody could tell where to read from, and the topic may be of any size. */
export const beginAt = (part: Part, baseline: readonly PartitionOffsets[]): void => {
  for (const { partition, latest } of baseline) part.begins.set(partition, latest);
  const unknown = part.partitions.filter((partition) => !part.begins.has(partition));
  if (unknown.length === 0) return;
  throw new EnvironmentError(
    'TOPIC_END_UNKNOWN',
    `Where ${part.topic} ends just now is not known of partition ${unknown.join(', ')}.`,
    { hint: 'See that every partition has a leader, and that offsets may be asked for.' },
  );
};

/** The log begins above where this part began: what was removed there cannot be judged. */
export const tellRemoved = (part: Part, after: readonly PartitionOffsets[]): void => {
  for (const { partition, earliest } of after) {
    const begin = part.begins.get(partition);
    if (begin === undefined || earliest <= begin) continue;
    const detail =
      `records of this run were removed before all was read: partition ${partition} now begins at ${earliest}, ` +
      `and the run began at ${begin}`;
    part.tell({ t: 'harness', anomaly: 'insufficient-samples', detail });
  }
};
