import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataDirectory, formatDisk, type KafkaDisk, kafkaDisks } from './kafka-disks.ts';

const CLUSTER = 'some-cluster';
let folder: string;
let disk: KafkaDisk;
let running: boolean;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ackproof-disks-'));
  disk = { node: 'broker/2', id: 2, directory: join(folder, 'broker-2') };
  running = false;
  await formatDisk(disk, CLUSTER);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const disks = () => kafkaDisks([disk], CLUSTER, () => running);

const metaLines = (): readonly string[] =>
  readFileSync(join(dataDirectory(disk), 'meta.properties'), 'utf8')
    .trim()
    .split('\n');

const fill = (): void => {
  const data = dataDirectory(disk);
  for (const name of ['orders-0', 'orders-1', '__consumer_offsets-2', '__cluster_metadata-0']) {
    mkdirSync(join(data, name));
    writeFileSync(join(data, name, '00000000000000000000.log'), Buffer.alloc(100));
    // Made as large as it may become, and empty.
    writeFileSync(join(data, name, '00000000000000000000.index'), Buffer.alloc(10_000));
  }
};

describe('the disk of a broker', () => {
  it('is formatted as a first start finds it', () => {
    expect(metaLines().slice(0, 3)).toEqual(['version=1', `cluster.id=${CLUSTER}`, 'node.id=2']);
    expect(metaLines()[3]).toMatch(/^directory\.id=[\w-]{22}$/);
  });

  it('has the partitions of topics, and the bytes of their segments', async () => {
    expect(await disks().look('broker/2')).toMatchObject({ partitions: 0, bytes: 0 });
    fill();
    expect(await disks().look('broker/2')).toMatchObject({ partitions: 3, bytes: 300 });
  });

  it('is another one after it was replaced, empty, and nothing of the old one is left', async () => {
    fill();
    const before = await disks().look('broker/2');
    await disks().replace('broker/2', 'new');
    const after = await disks().look('broker/2');
    expect(after).toMatchObject({ partitions: 0, bytes: 0 });
    expect(after.directory).not.toBe(before.directory);
    expect(after.directoryId).not.toBe(before.directoryId);
    expect(readdirSync(disk.directory)).toEqual(['data']);
    expect(metaLines().slice(0, 3)).toEqual(['version=1', `cluster.id=${CLUSTER}`, 'node.id=2']);
  });

  it('calls itself what it did where that is asked for, and is another one all the same', async () => {
    const before = await disks().look('broker/2');
    await disks().replace('broker/2', 'kept');
    const after = await disks().look('broker/2');
    expect(after.directoryId).toBe(before.directoryId);
    expect(after.directory).not.toBe(before.directory);
  });

  it('is not taken away under a process', async () => {
    running = true;
    fill();
    await expect(disks().replace('broker/2', 'new')).rejects.toMatchObject({ code: 'TARGET_NODE_RUNS' });
    expect(existsSync(join(dataDirectory(disk), 'orders-0'))).toBe(true);
  });

  it('is told only of nodes that have one', async () => {
    await expect(disks().look('broker/9')).rejects.toThrow(/no disk of "broker\/9"/);
  });
});
