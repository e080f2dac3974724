// What each broker has of the topic on its own disks: which partitions, how large, how far behind, and which directories it has
// given up. Sizes grow with every record, so they are told with whatever else changes, and once at the end.
import type { BrokerId } from '../vocabulary.ts';
import type { LogDirectory } from '../wire/log-dirs.ts';
import { type ClusterFact, idList, ToldBefore } from './cluster-fact.ts';

interface OnDisk {
  readonly offline: readonly string[];
  readonly partitions: readonly number[];
  readonly behind: readonly number[];
  readonly bytes: number;
  readonly offsetLag: number;
  readonly usableBytes: number | undefined;
}

const summary = (directories: readonly LogDirectory[]): OnDisk => {
  const replicas = directories.flatMap((directory) => directory.replicas);
  const partitionsOf = (some: typeof replicas): readonly number[] =>
    [...new Set(some.map(({ partition }) => partition))].sort((one, other) => one - other);
  const free = directories.flatMap(({ usableBytes }) => usableBytes ?? []);
  return {
    offline: directories.filter(({ errorCode }) => errorCode !== 0).map(({ path }) => path),
    partitions: partitionsOf(replicas.filter(({ isFuture }) => !isFuture)),
    behind: partitionsOf(replicas.filter(({ offsetLag }) => offsetLag > 0)),
    bytes: replicas.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    offsetLag: replicas.reduce((most, { offsetLag }) => Math.max(most, offsetLag), 0),
    usableBytes: free.length === 0 ? undefined : Math.min(...free),
  };
};

const factOf = (broker: BrokerId, disk: OnDisk): ClusterFact => {
  const { offline, partitions, behind, bytes, offsetLag, usableBytes } = disk;
  const gone = offline.length === 0 ? '' : `; given up: ${offline.join(', ')}`;
  const text =
    `${bytes} bytes of partitions ${idList(partitions)}; behind: ${idList(behind)}` +
    `${offsetLag === 0 ? '' : ` by up to ${offsetLag} offsets`}${gone}`;
  const free = usableBytes === undefined ? {} : { usableBytes };
  return {
    source: `log-dirs/${broker}`,
    text,
    data: { broker, offline, partitions, behind, bytes, offsetLag, ...free },
  };
};

/** Tells the disks of one broker when a directory fails or comes back, or a replica comes, goes or falls behind. */
export class DiskStanding {
  readonly #broker: BrokerId;
  readonly #told = new ToldBefore();
  #last: OnDisk | undefined;

  constructor(broker: BrokerId) {
    this.#broker = broker;
  }

  news(directories: readonly LogDirectory[]): readonly ClusterFact[] {
    const disk = summary(directories);
    this.#last = disk;
    const { offline, partitions, behind } = disk;
    return this.#told.isNews('disk', { offline, partitions, behind }) ? [factOf(this.#broker, disk)] : [];
  }

  /** How large everything was in the end. */
  end(): readonly ClusterFact[] {
    if (this.#last === undefined) return [];
    const fact = factOf(this.#broker, this.#last);
    return [{ ...fact, data: { ...fact.data, atEnd: true } }];
  }
}
