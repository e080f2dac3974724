// Cooling of tiered storage: nothing is dropped, one waits until Kafka itself has. A broker keeps no copy of what it reads from the
// bucket, so a record is cold once its segment is on no broker's disk; the active segment never leaves it.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dataDirectory, type KafkaDisk } from './kafka-disks.ts';
import type { Cooling, LocalPart, NodeId, ObjectStoreAccess } from './target.ts';
import { done, notYet, waitFor } from './wait-for.ts';

const COOL_DEADLINE_MS = 90_000;
const LOOK_EVERY_MS = 250;

/** One replica's segments on the disk of its broker. */
interface LocalSegments {
  readonly node: NodeId;
  readonly name: string;
  readonly topicId: string;
  readonly partition: number;
  /** First offsets, ascending. */
  readonly bases: readonly number[];
}

const SEGMENT_FILE = /^(\d{20})\.log$/u;
const PARTITION_FOLDER = /^.+-(\d+)$/u;

/** Folders come and go while a broker runs: one that is gone has none. */
const segmentsIn = async (node: NodeId, folder: string, name: string): Promise<readonly LocalSegments[]> => {
  const partition = PARTITION_FOLDER.exec(name)?.[1];
  if (partition === undefined) return [];
  const metadata = await readFile(join(folder, 'partition.metadata'), 'utf8').catch(() => '');
  const topicId = /^topic_id: (\S+)$/mu.exec(metadata)?.[1];
  if (topicId === undefined) return [];
  const files = await readdir(folder).catch((): string[] => []);
  const bases = files.flatMap((file) => Number(SEGMENT_FILE.exec(file)?.[1] ?? Number.NaN)).filter(Number.isFinite);
  return [{ node, name, topicId, partition: Number(partition), bases: bases.sort((one, other) => one - other) }];
};

const segmentsOn = async (disk: KafkaDisk): Promise<readonly LocalSegments[]> => {
  const data = dataDirectory(disk);
  const names = await readdir(data);
  const found = await Promise.all(names.map(async (name) => await segmentsIn(disk.node, join(data, name), name)));
  return found.flat();
};

/**
 * Of each partition the first offset of the active segment, the largest of all replicas: one that stayed behind would excuse offsets that
 * the others have on no disk any more.
 */
const localParts = (replicas: readonly LocalSegments[]): readonly LocalPart[] => {
  const parts = new Map<string, LocalPart>();
  for (const { topicId, partition, bases } of replicas) {
    const [from] = bases;
    const known = parts.get(`${topicId}/${partition}`);
    if (from !== undefined && (known === undefined || from > known.from)) {
      parts.set(`${topicId}/${partition}`, { topicId, partition, from });
    }
  }
  return [...parts.values()];
};

/** Topics of which the store holds any segment are waited for; of others nothing is cold. */
export const tieredCooling = (disks: readonly KafkaDisk[], store: ObjectStoreAccess): Cooling => ({
  cool: async (signal) =>
    await waitFor(
      { awaited: 'rolled segments to leave the brokers', deadlineMs: COOL_DEADLINE_MS, everyMs: LOOK_EVERY_MS, signal },
      async () => {
        const objects = await store.list(store.dataPrefix, signal);
        const topics = new Set(objects.flatMap(({ key }) => store.describeKey?.(key)?.topicId ?? []));
        if (topics.size === 0) return notYet('no segment is in the object store');
        const all = (await Promise.all(disks.map(segmentsOn))).flat();
        const tiered = all.filter(({ topicId }) => topics.has(topicId));
        const warm = tiered.find(({ bases }) => bases.length > 1);
        return warm === undefined
          ? done(localParts(tiered))
          : notYet(`${warm.node} still has ${warm.bases.length - 1} rolled segments of ${warm.name}`);
      },
    ),
});
