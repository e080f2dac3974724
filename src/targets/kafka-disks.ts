// The data directories of brokers that are processes of this machine: what is in them, and a new one in the place of one that is
// gone for good. A directory tells by its inode and the time of its birth that it is another, and by its meta.properties.
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EnvironmentError, InputError } from '../errors.ts';
import { freshHex, freshUuid } from '../random.ts';
import type { DirectoryIdentity, NodeDisks, NodeId, StoredState } from './target.ts';

/** Where a node keeps its data, and what a first start finds there. */
export interface KafkaDisk {
  readonly node: NodeId;
  /** Its own id in the cluster. */
  readonly id: number;
  readonly directory: string;
}

const META = 'meta.properties';
const PARTITION = /^(?!__cluster_metadata-).+-\d+$/;

export const dataDirectory = ({ directory }: Pick<KafkaDisk, 'directory'>): string => join(directory, 'data');

/** Makes the data directory of a node that starts for the first time; by Kafka's own tool it would take another Java process. */
export const formatDisk = async (disk: KafkaDisk, clusterId: string, directoryId = freshUuid()): Promise<void> => {
  const data = dataDirectory(disk);
  await mkdir(data, { recursive: true });
  const meta = { version: '1', 'cluster.id': clusterId, 'node.id': String(disk.id), 'directory.id': directoryId };
  const lines = Object.entries(meta).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(data, META), lines.join(''));
};

const directoryIdOf = async (data: string): Promise<string> => {
  const text = await readFile(join(data, META), 'utf8').catch(() => '');
  return /^directory\.id=(.+)$/mu.exec(text)?.[1] ?? 'none';
};

/** Files come and go while a broker runs: what is gone has no size. */
const sizeOf = async (file: string): Promise<number> => (await stat(file).catch(() => undefined))?.size ?? 0;

const segmentBytes = async (partition: string): Promise<number> => {
  const names = await readdir(partition).catch((): string[] => []);
  const sizes = await Promise.all(
    names.filter((name) => name.endsWith('.log')).map(async (name) => await sizeOf(join(partition, name))),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};

const lookAt = async (disk: KafkaDisk): Promise<StoredState> => {
  const data = dataDirectory(disk);
  const { ino, birthtimeMs } = await stat(data);
  const entries = await readdir(data, { withFileTypes: true });
  const partitions = entries.filter((entry) => entry.isDirectory() && PARTITION.test(entry.name));
  const bytes = await Promise.all(partitions.map(async ({ name }) => await segmentBytes(join(data, name))));
  return {
    directory: `${ino}@${Math.round(birthtimeMs)}`,
    directoryId: await directoryIdOf(data),
    partitions: partitions.length,
    bytes: bytes.reduce((sum, each) => sum + each, 0),
  };
};

/** Never aborted half-way. The old directory is there until the new one is, so that no inode is used twice. */
const replaceDisk = async (disk: KafkaDisk, clusterId: string, identity: DirectoryIdentity): Promise<void> => {
  const data = dataDirectory(disk);
  const directoryId = identity === 'kept' ? await directoryIdOf(data) : freshUuid();
  const lost = `${data}.lost-${freshHex(8)}`;
  await rename(data, lost);
  await formatDisk(disk, clusterId, directoryId);
  await rm(lost, { recursive: true, force: true });
};

/** The disks of some nodes. `isRunning` tells of a node whether it has a process, under which nothing may be taken away. */
export const kafkaDisks = (
  disks: readonly KafkaDisk[],
  clusterId: string,
  isRunning: (node: NodeId) => boolean,
): NodeDisks => {
  const find = (node: NodeId): KafkaDisk => {
    const found = disks.find((disk) => disk.node === node);
    if (found !== undefined) return found;
    const hint = `Nodes with one: ${disks.map((disk) => disk.node).join(', ')}.`;
    throw new InputError('TARGET_NO_SUCH_DISK', `The target knows no disk of "${node}".`, { hint });
  };
  return {
    nodes: disks.map(({ node }) => node),
    look: async (node) => await lookAt(find(node)),
    replace: async (node, identity) => {
      const disk = find(node);
      if (isRunning(node)) {
        throw new EnvironmentError('TARGET_NODE_RUNS', `The disk of ${node} cannot be replaced: it has a process.`, {
          hint: 'Stop it first.',
        });
      }
      await replaceDisk(disk, clusterId, identity);
    },
  };
};
